"""The modules that are a job's own: imported from its folder, or from a folder that its file put on `sys.path`.

Loading a job forgets them again, so that the next job's module of the same name is its own. They are kept here for
those who must still find a function's module by its name: a run ships them, and pickles their functions by reference.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType

__all__ = ["loading_modules", "modules_found", "own_modules"]

_OURS = tuple(f"{Path(__file__).parents[3] / name}{os.sep}" for name in ("planner", "spark_runner", "cli"))
_kept: dict[str, dict[str, ModuleType]] = {}  # by the job's folder
_loading: dict[str, Callable[[], dict[str, ModuleType]]] = {}  # by the folder of a job that is loaded now


@contextmanager
def loading_modules(folder: str, known: set[str], path: Sequence[str]) -> Iterator[None]:
    """A job is loaded inside: what it imports is its own, and is taken out of `sys.modules` afterwards.

    `known` are the modules that were imported before, `path` is `sys.path` without the job.
    """

    def own() -> dict[str, ModuleType]:
        added = [entry for entry in sys.path if entry not in path]
        fresh = {name: module for name, module in sys.modules.items() if name not in known}
        return {
            name: module
            for name, module in fresh.items()
            if _is_own(module, folder, path) or _is_under(module, added, path)
        }

    _loading[folder] = own
    try:
        yield
    finally:
        del _loading[folder]
        _kept[folder] = own()
        for name in _kept[folder]:
            del sys.modules[name]


def own_modules(folder: str) -> Mapping[str, ModuleType]:
    """The modules of the jobs in a folder: those that loading set aside, and those that are imported now."""
    if folder in _loading:  # a script that runs its jobs while it is loaded
        return {**_kept.get(folder, {}), **_loading[folder]()}
    now = {name: module for name, module in sys.modules.items() if _is_own(module, folder, sys.path)}
    return {**now, **_kept.get(folder, {})}


@contextmanager
def modules_found(folder: str) -> Iterator[None]:
    """`sys.modules` with the modules of a folder's jobs in it."""
    kept = _kept.get(folder, {})
    before = {name: sys.modules.get(name) for name in kept}
    sys.modules.update(kept)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def _is_own(module: ModuleType, folder: str, path: Sequence[str]) -> bool:
    """Whether a module lies under the folder, and not in an environment that lies there too."""
    file = _file(module)
    if not file.startswith(folder + os.sep) or module.__name__ == "__main__":
        return False
    if file.startswith(_OURS):
        return False
    owner = _owner(file, path)
    return owner is None or not owner.startswith(folder + os.sep)


def _is_under(module: ModuleType, added: Sequence[str], path: Sequence[str]) -> bool:
    """Whether a module was found through a folder that its job put on `sys.path`, and not in an environment there."""
    file = _file(module)
    owner = _owner(file, added)
    if owner is None or file.startswith(_OURS) or module.__name__ == "__main__":
        return False
    other = _owner(file, path)
    return other is None or len(other) < len(owner)


def _owner(file: str, path: Sequence[str]) -> str | None:
    """The entry of `sys.path` that a file was found through."""
    here = os.getcwd()  # noqa: PTH109 (quicker, and asked of every module)
    return next((entry for entry in _entries(tuple(path), here) if file.startswith(entry + os.sep)), None)


@lru_cache(maxsize=8)
def _entries(path: tuple[str, ...], here: str) -> tuple[str, ...]:
    """The folders of a path, the longest first; `here` is the current folder."""
    return tuple(sorted((str(Path(here, entry)) for entry in path if entry), key=len, reverse=True))


def _file(module: ModuleType) -> str:
    file = getattr(module, "__file__", None)
    if file is None and (folders := list(getattr(module, "__path__", ()))):
        file = os.path.join(folders[0], "__init__.py")  # noqa: PTH118 (a package without a file of its own)
    # not Path(): this is asked of every module there is
    return os.path.abspath(file) if isinstance(file, str) else ""  # noqa: PTH100
