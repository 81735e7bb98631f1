"""The kinds of programs that Flink compiles: what each asks of the process beside Flink, and what it depends on."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planner.errors import ExecutionError, JobDefinitionError, OptionError
from planner.frontends.flink_compiler.class_archive import flink_archive
from planner.frontends.flink_compiler.installation import FlinkInstallation, find_installation
from planner.frontends.flink_compiler.pythons import find_python
from planner.frontends.flink_compiler.request import FlinkRequest
from planner.frontends.flink_compiler.sql_script import Statement, find_unclosed, read_statements
from planner.machine.class_archive import ClassArchive
from planner.machine.java import JavaRuntime, find_java
from planner.records import record
from planner.source_text import read_text

__all__ = ["Asked", "content_of", "jar_asked", "script_asked", "sql_asked"]

_FILES = re.compile(r"\b(?:JAR|PLAN)\s+(?:IF\s+NOT\s+EXISTS\s+)?'((?:[^']|'')*)'", re.IGNORECASE)
_OUTSIDE = re.compile(r"\bCREATE\s+CATALOG\b", re.IGNORECASE)
_CATALOG_STORE = "table.catalog-store.kind"
_MOST_MODULES = 2_000
_IN_MEMORY = re.compile(r"'type'\s*=\s*'generic_in_memory'", re.IGNORECASE)


@record
class Asked:
    """One question to Flink: everything that its answer depends on."""

    way: str
    path: Path
    flink: str  # the release
    origin: str  # of that release
    interpreter: str
    program: Mapping[str, Any]  # for the process beside Flink
    depends: Mapping[str, Any]  # by content: equal dependencies give equal answers
    may_keep: bool = True  # False where the answer depends on something outside of the machine
    installation: FlinkInstallation | None = None  # None: PyFlink starts its own

    def document(self) -> dict[str, Any]:
        """The request to the process beside Flink; finding Java and unpacking is left until Flink is really asked."""
        document = {"way": self.way, **self.program}
        if self.installation is not None:
            document["class_path"] = [*map(str, self.installation.class_path(self.way)), *self.program["class_path"]]
            archive = self.archive()
            document["java"], document["java_options"] = str(archive.java.executable), list(archive.options())
        return document

    def java_notes(self) -> list[str]:
        """That another Java was taken than the one that the user names."""
        if self.installation is None:
            return []
        java = self.archive().java
        wrong = [one for one in java.passed_over if one.startswith("JAVA_HOME")]
        return [f"{one}: {java.executable} was taken, Java {java.version}" for one in wrong]

    def archive(self) -> ClassArchive:
        """The archive of the classes that such programs load."""
        assert self.installation is not None
        return flink_archive(_java(), self.installation, self.way)


def sql_asked(path: Path, request: FlinkRequest, configuration: Mapping[str, str]) -> tuple[Asked, list[Statement]]:
    """A SQL script."""
    text = read_text(path, str(path))
    unclosed = find_unclosed(text, str(path))
    if unclosed is not None:
        raise JobDefinitionError(f"this {unclosed[0]} is never closed", location=unclosed[1], hint="close it")
    statements = read_statements(text)
    installation = find_installation(request)
    files = sorted({name for one in statements for name in _FILES.findall(one.text)})
    outside = _CATALOG_STORE in configuration or any(_is_outside(one.text) for one in statements)
    asked = Asked(
        way="sql",
        path=path,
        flink=installation.version,
        origin=installation.origin,
        interpreter=sys.executable,
        installation=installation,
        program={
            "class_path": [str(jar) for jar in _absolute(request.class_path)],
            "configuration": dict(configuration),
            "statements": [one.to_dict() for one in statements],
            "guard_catalogs": outside and not request.change_catalogs,
        },
        depends={
            **_common(installation, request, configuration),
            "statements": [[one.kind, one.text] for one in statements],
            "files": [[name, content_of(Path(name))] for name in files],
        },
        may_keep=not outside,
    )
    return asked, statements


def _is_outside(statement: str) -> bool:
    """Whether a statement names a catalog, or a store of catalogs, that is not in Flink's memory."""
    return _CATALOG_STORE in statement or bool(_OUTSIDE.match(statement) and not _IN_MEMORY.search(statement))


def jar_asked(path: Path, arguments: tuple[str, ...], request: FlinkRequest, configuration: Mapping[str, str]) -> Asked:
    """The main of a jar."""
    installation = find_installation(request)
    return Asked(
        way="jar",
        path=path,
        flink=installation.version,
        origin=installation.origin,
        interpreter=sys.executable,
        installation=installation,
        program={
            "class_path": [],
            "configuration": dict(configuration),
            "jar": str(path.absolute()),
            "arguments": list(arguments),
            "main_class": request.main_class,
            "user_class_path": [str(jar) for jar in _absolute(request.class_path)],
        },
        depends={
            **_common(installation, request, configuration),
            "jar": content_of(path),
            "arguments": list(arguments),
            "main_class": request.main_class,
        },
    )


def script_asked(
    path: Path, arguments: tuple[str, ...], request: FlinkRequest, configuration: Mapping[str, str]
) -> Asked:
    """A PyFlink script, run by a Python that has PyFlink."""
    python = find_python(request)
    return Asked(
        way="script",
        path=path,
        flink=python.flink,
        origin=python.program,
        interpreter=python.program,
        program={
            "configuration": dict(configuration),
            "script": str(path),
            "arguments": list(arguments),
            "user_class_path": [str(jar) for jar in _absolute(request.class_path)],
        },
        depends={
            "python": [python.program, python.version],
            "flink": python.flink,
            "class_path": [[jar.name, content_of(jar)] for jar in _absolute(request.class_path)],
            "configuration": dict(configuration),
            "script": [str(path), content_of(path)],
            "beside": [[str(one), content_of(one)] for one in _modules_beside(path)],
            "arguments": list(arguments),
        },
    )


def _modules_beside(path: Path) -> list[Path]:
    """The modules that a script may import from its own folder: a change of one may change the plan."""
    found = [one for one in path.parent.rglob("*.py") if one != path and not _is_hidden(one.relative_to(path.parent))]
    return sorted(found)[:_MOST_MODULES]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") or part in ("site-packages", "node_modules", "__pycache__") for part in path.parts)


def content_of(path: Path) -> str | None:
    """A file by its content; None where it is not there."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _java() -> JavaRuntime:
    try:
        return find_java(user="Flink")
    except ExecutionError as error:
        raise OptionError(error.message, hint=error.hint) from error


def _common(installation: FlinkInstallation, request: FlinkRequest, configuration: Mapping[str, str]) -> dict[str, Any]:
    return {
        "flink": installation.version,
        "lib": [[jar.name, jar.stat().st_size] for jar in installation.jars],
        "class_path": [[jar.name, content_of(jar)] for jar in _absolute(request.class_path)],
        "configuration": dict(configuration),
    }


def _absolute(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    for path in paths:
        if not path.exists():
            raise JobDefinitionError(f"there is no {path} for the class path", hint="check --classpath")
    return tuple(path.absolute() for path in paths)
