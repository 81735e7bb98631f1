"""The modules that are a job's own: imported from its folder, or from a folder that its file put on `sys.path`.

Loading a job forgets them again, so that the next job's module of the same name is its own. They are kept here for
those who must still find a function's module by its name: a run ships them, and pickles their functions by reference.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

__all__ = ["forget_modules", "modules_found", "own_modules"]

_OURS = tuple(f"{Path(__file__).parents[3] / name}{os.sep}" for name in ("planner", "spark_runner", "cli"))
_kept: dict[str, dict[str, ModuleType]] = {}  # by the job's folder


def forget_modules(folder: str, known: set[str], path: Sequence[str]) -> None:
    """Take the modules that a job imported since `known` out of `sys.modules`; `path` is `sys.path` without the job."""
    fresh = {name: module for name, module in sys.modules.items() if name not in known}
    added = [entry for entry in sys.path if entry not in path]
    mine = {
        name: module
        for name, module in fresh.items()
        if _is_own(module, folder, path) or _owner(_file(module), added) is not None
    }
    _kept[folder] = mine
    for name in mine:
        del sys.modules[name]


def own_modules(folder: str) -> Mapping[str, ModuleType]:
    """The modules of the jobs in a folder: those that loading set aside, and those that are imported now."""
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


def _owner(file: str, path: Sequence[str]) -> str | None:
    """The entry of `sys.path` that a file was found through."""
    entries = (str(Path(entry).absolute()) for entry in path if entry)
    return max((entry for entry in entries if file.startswith(entry + os.sep)), key=len, default=None)


def _file(module: ModuleType) -> str:
    file = getattr(module, "__file__", None)
    if file is None and (folders := list(getattr(module, "__path__", ()))):
        file = os.path.join(folders[0], "__init__.py")  # noqa: PTH118 (a package without a file of its own)
    # not Path(): this is asked of every module there is
    return os.path.abspath(file) if isinstance(file, str) else ""  # noqa: PTH100
