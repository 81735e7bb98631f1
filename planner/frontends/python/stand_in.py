"""The stand-in for the package `pyflink` while a job's file is loaded.

Modules are found by a finder of ours in front of all others, and their names are looked up when a script asks for
them. An installed PyFlink is neither imported nor touched: what `sys.modules` had before is put back afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

from planner.frontends.python.api import BY_HAND, DECLARED, STARS, TABLE_STARS, handed_on
from planner.frontends.python.versions import MODULES, NAMES, by_version, has, note_import, release, version

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder

__all__ = ["pyflink_stand_in"]

_OURS: Final = __name__.rpartition(".")[0]
_PACKAGES: Final = frozenset(
    {"", "common", "datastream", "datastream.connectors", "datastream.formats", "metrics", "table", "util"}
)
_REFUSED: Final = ("table", "java_gateway", "util", "fn_execution", "gateway_server", "pyflink_gateway_server")
_JAVA: Final = ("pyflink.java_gateway", "pyflink.util.java_utils")
# What DataStream scripts use of the Table API, by the modules of ours that have it.
_TABLES: Final = {
    "DataTypes": "other_apis", "EnvironmentSettings": "tables", "Schema": "table_definitions",
    "StreamTableEnvironment": "tables", "Table": "tables", "TableDescriptor": "table_definitions",
}  # fmt: skip
_made: dict[tuple[str, str], ModuleType] = {}  # by version and name


@contextmanager
def pyflink_stand_in() -> Iterator[None]:
    """Let `import pyflink` find the stand-in."""
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_pyflink(name)}
    finder = _Finder()
    sys.meta_path.insert(0, cast("MetaPathFinder", finder))
    try:
        yield
    finally:
        sys.meta_path.remove(cast("MetaPathFinder", finder))
        for name in [name for name in sys.modules if _is_pyflink(name)]:
            del sys.modules[name]
        sys.modules.update(before)


def _is_pyflink(name: str) -> bool:
    return name == "pyflink" or name.startswith("pyflink.")


def _is_module(name: str) -> bool:
    """Whether PyFlink has a module."""
    known = name in BY_HAND or name in DECLARED or name in _PACKAGES or name == "version"
    return (known or name.split(".")[0] in _REFUSED) and has(MODULES.get(name))


class _Finder:
    """Finds and loads the modules of the stand-in; `importlib.abc` has classes for it, and takes long to import."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module that PyFlink has."""
        if not _is_pyflink(fullname):
            return None
        name = fullname.partition(".")[2]
        if not _is_module(name):
            return None
        return ModuleSpec(
            fullname, cast("Loader", self), is_package=name in _PACKAGES or name.split(".")[0] in _REFUSED
        )

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """One object for each module and version, however many files are loaded."""
        return _made.setdefault((version(), spec.name), _StandIn(spec.name))

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: names are found when they are asked for."""


class _StandIn(ModuleType):
    """A module of `pyflink` whose names are found when they are asked for."""

    is_plan_stand_in = True  # see `differences.as_pyflink`

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return _all_names(self.__name__)
        if name == "__file__":  # of no machine: scripts print it, and name jars beside it
            return f"/{self.__name__.replace('.', '/')}{'/__init__' if hasattr(self, '__path__') else ''}.py"
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        value = _found(self.__name__, name)
        if value is _MISSING:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        if self.__name__ not in _JAVA and name not in NAMES:  # these belong to one loading
            setattr(self, name, value)
        return value


_MISSING: Final = object()


def _found(module: str, name: str) -> Any:
    part = module.partition(".")[2]
    if part.split(".")[0] in _REFUSED:
        return _of_other_api(module, name)
    if part == "version" and name == "__version__":
        return release()
    if name in NAMES:
        if not has(NAMES[name]):
            return _MISSING
        note_import(name)
    for home in BY_HAND.get(part, ()):
        found = getattr(import_module(f"{_OURS}.{home}"), name, _MISSING)
        if found is not _MISSING and not isinstance(found, ModuleType):
            return by_version(found) if isinstance(found, type) else found
    home, defined = DECLARED.get(part, ("", ""))
    if name in defined.split():
        return getattr(import_module(f"{_OURS}.declared.{home}"), name)
    origin = handed_on(part).get(name)
    if origin is not None and _is_module(origin):
        return getattr(import_module(f"pyflink.{origin}"), name)
    if part in _PACKAGES and _is_module(f"{part}.{name}".lstrip(".")):
        return import_module(f"{module}.{name}")
    return _MISSING


def _of_other_api(module: str, name: str) -> Any:
    from planner.frontends.python import java_objects, other_apis

    if module in _JAVA:
        return java_objects.java_name(name)
    home = _TABLES.get(name) if module.startswith("pyflink.table") else None
    if home is not None:
        return getattr(import_module(f"{_OURS}.{home}"), name)
    return other_apis.Refused(module, name)


def _all_names(module: str) -> list[str]:
    """What `from module import *` takes."""
    part = module.partition(".")[2]
    return sorted(name for name in _starred(part) if has(NAMES.get(name)))


def _starred(part: str) -> Iterable[str]:
    if part in STARS or part in TABLE_STARS:
        return (STARS.get(part) or TABLE_STARS[part]).split()
    if part in _PACKAGES:
        return handed_on(part)
    own = {name for home in BY_HAND.get(part, ()) for name in import_module(f"{_OURS}.{home}").__all__}
    return own.union(DECLARED.get(part, ("", ""))[1].split())
