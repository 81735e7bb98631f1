"""Where Flink's jars are: a distribution, or the pip package `apache-flink-libraries`, which has the same `lib`."""

from __future__ import annotations

import importlib.util
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from planner.durable import write_whole
from planner.errors import OptionError
from planner.flink.versions import RELEASES
from planner.frontends.flink_compiler.request import FlinkRequest
from planner.machine.cache import cache_folder
from planner.records import record

__all__ = ["FlinkInstallation", "find_installation", "package_of"]

_DIST = re.compile(r"flink-dist-(\d+\.\d+(?:\.\d+)?[\w.-]*)\.jar")
_LOADER = "flink-table-planner-loader-"
_PLANNER = "flink-table-planner.jar"


@record
class FlinkInstallation:
    """A folder with Flink's jars."""

    folder: Path  # the one with `lib` in it
    version: str  # of the release: 2.3.0
    origin: str  # who named it

    @property
    def minor(self) -> str:
        """The version without its last number."""
        return ".".join(self.version.split(".")[:2])

    @property
    def jars(self) -> tuple[Path, ...]:
        """All jars of `lib`, sorted; the planner's last, where archives of classes end."""
        found = sorted((self.folder / "lib").glob("*.jar"), key=lambda jar: (jar.name.startswith(_LOADER), jar.name))
        return tuple(found)

    def class_path(self, way: str) -> tuple[Path, ...]:
        """The jars; for SQL with the planner itself in place of its loader, which would unpack it each time.

        A jar's main would see the planner's classes beside its own, so it keeps the loader.
        """
        jars = self.jars
        if way != "sql" or not jars or not jars[-1].name.startswith(_LOADER):
            return jars
        return (*jars[:-1], _unpacked_planner(jars[-1], self.version))


def _unpacked_planner(loader: Path, version: str) -> Path:
    """The planner's jar out of its loader's, kept in the cache."""
    stamp = loader.stat()
    target = cache_folder() / f"flink-table-planner-{version}-{stamp.st_size}-{int(stamp.st_mtime)}.jar"
    if target.is_file():
        return target
    with zipfile.ZipFile(loader) as archive:
        if _PLANNER not in archive.namelist():
            return loader
        content = archive.read(_PLANNER)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, content)
    return target


def package_of(version: str) -> str:
    """The pip requirement of a version's jars."""
    return f"apache-flink-libraries=={version}.*"


def find_installation(request: FlinkRequest) -> FlinkInstallation:
    """The first Flink of the version that was asked for: named, then installed beside plan, then in the cache."""
    seen: list[FlinkInstallation] = []
    for origin, folder in _candidates(request):
        found = _installation(folder, origin)
        if found is None:
            raise OptionError(
                f"{origin}: there is no Flink in {folder}",
                hint="name a folder with lib/flink-dist-VERSION.jar in it, such as an unpacked distribution",
            )
        if request.version is None or found.minor == request.version:
            return _checked(found)
        seen.append(found)
    raise _not_found(request, seen)


def _candidates(request: FlinkRequest) -> Iterator[tuple[str, Path]]:
    yield from request.homes
    extra = _extra()
    if extra is not None:
        yield "the extra plan-inspector[flink]", extra
    for version in (request.version,) if request.version else reversed(RELEASES):
        kept = _kept(version)
        if (kept / "pyflink" / "lib").is_dir():
            yield "the cache", kept


def _kept(version: str) -> Path:
    return cache_folder() / f"flink-{version}"


def _extra() -> Path | None:
    """The folder of `apache-flink-libraries`, which has no module of its own to import."""
    spec = importlib.util.find_spec("pyflink")
    for place in spec.submodule_search_locations or () if spec is not None else ():
        if (Path(place) / "lib").is_dir():
            return Path(place)
    return None


def _installation(folder: Path, origin: str) -> FlinkInstallation | None:
    for home in (folder, folder / "pyflink"):
        names = sorted(entry.name for entry in (home / "lib").iterdir()) if (home / "lib").is_dir() else []
        for name in names:
            if found := _DIST.fullmatch(name):
                return FlinkInstallation(folder=home.absolute(), version=found[1], origin=origin)
    return None


def _checked(found: FlinkInstallation) -> FlinkInstallation:
    if found.minor in RELEASES:
        return found
    raise OptionError(
        f"{found.origin} has Flink {found.version}, and plan knows {', '.join(RELEASES)}",
        hint="name another one with --flink-home, or --flink VERSION",
    )


def _not_found(request: FlinkRequest, seen: list[FlinkInstallation]) -> OptionError:
    if request.version is None:
        return OptionError(
            "this needs Flink's own compiler, and there is no Flink here",
            hint="pip install 'plan-inspector[flink]', or name a distribution with --flink-home or FLINK_HOME",
        )
    others = f" (found: {', '.join(f'{one.version} in {one.folder}' for one in seen)})" if seen else ""
    target = _shown(_kept(request.version))
    return OptionError(
        f"this needs Flink {request.version}, and it is not here{others}",
        hint=f"pip install --no-deps --target {target} '{package_of(request.version)}'\n"
        f"or name a distribution of {request.version} with --flink-home",
    )


def _shown(path: Path) -> str:
    return f"~/{path.relative_to(Path.home())}" if path.is_relative_to(Path.home()) else str(path)
