"""Modules that a PyFlink script imports and that are not installed here: a placeholder stands in for each.

A plan needs the script's calls of PyFlink, not what its functions do with a database or a model. So a module that
nobody installed beside `plan` need not stop it. A placeholder can be imported, named, called and inherited from. Where
its value would decide something (a number, a truth, the records of a source), the script is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, cast

from planner.errors import JobDefinitionError
from planner.frontends.python_files.places import user_location

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder

__all__ = ["Placeholder", "placeholders_for", "refuse_placeholder"]


class Placeholder:
    """A name of a module that is not installed, or what calling it gave."""

    def __init__(self, path: str) -> None:
        self._plan_path = path

    def __getattr__(self, name: str) -> Placeholder:
        if name.startswith("__"):
            raise AttributeError(name)
        return Placeholder(f"{self._plan_path}.{name}")

    def __call__(self, *_: Any, **__: Any) -> Placeholder:
        return Placeholder(f"{self._plan_path}()")

    def __getitem__(self, _: Any) -> Placeholder:
        return Placeholder(f"{self._plan_path}[]")

    def __setitem__(self, _: Any, __: Any) -> None:
        pass

    def __mro_entries__(self, _: Any) -> tuple[type, ...]:
        return ()

    def __or__(self, _: Any) -> Placeholder:
        return self

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"<{self._plan_path}>"

    def __hash__(self) -> int:
        return hash(self._plan_path)

    def __bool__(self) -> bool:
        refuse_placeholder(self)

    def __iter__(self) -> Iterator[Any]:
        refuse_placeholder(self)

    def __len__(self) -> int:
        refuse_placeholder(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (str, bytes, int, float)):
            refuse_placeholder(self)
        return self is other  # `typing` compares what it is given with types

    def __enter__(self) -> NoReturn:
        refuse_placeholder(self)

    def __exit__(self, *_: object) -> None:
        pass

    def __int__(self) -> int:
        refuse_placeholder(self)

    __index__ = __int__

    def __float__(self) -> float:
        refuse_placeholder(self)

    def __fspath__(self) -> str:
        refuse_placeholder(self)


def _refused(self: Placeholder, *_: Any) -> NoReturn:
    refuse_placeholder(self)


for _name in ("lt", "le", "gt", "ge", "contains", "instancecheck", "subclasscheck", "neg"):
    setattr(Placeholder, f"__{_name}__", _refused)
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    setattr(Placeholder, f"__{_name}__", _refused)
    setattr(Placeholder, f"__r{_name}__", _refused)


def refuse_placeholder(placeholder: Placeholder) -> NoReturn:
    """Refuse a script whose job depends on a module that is not there."""
    module = placeholder._plan_path.partition(".")[0].partition("(")[0]
    raise JobDefinitionError(
        f"the job depends on {placeholder._plan_path}, and the module {module!r} is not installed here",
        location=user_location(),
        hint=f"install {module} beside plan, or put its folder on PYTHONPATH",
    )


@contextmanager
def placeholders_for(modules: Sequence[str]) -> Iterator[None]:
    """Let these modules be imported, where nothing else finds them."""
    if not modules:
        yield
        return
    finder = cast("MetaPathFinder", _Finder(modules))
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name, module in sys.modules.items() if isinstance(module, _Absent)]:
            del sys.modules[name]


class _Finder:
    """Finds placeholders; `importlib.abc` has classes for it, and takes long to import."""

    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = tuple(modules)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec of an absent module or of a part of it."""
        if not any(name == module or name.startswith(f"{module}.") for module in self._modules):
            return None
        return ModuleSpec(name, cast("Loader", self), is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A module whose names are placeholders."""
        return _Absent(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run."""


class _Absent(ModuleType):
    """A module that is not installed."""

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return []
        if name.startswith("__"):
            raise AttributeError(name)
        return Placeholder(f"{self.__name__}.{name}")
