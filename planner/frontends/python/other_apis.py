"""Parts of PyFlink that have no plan here: names can be imported, and using one is refused with its place.

Scripts of the DataStream API often import a name of the Table API and never use it. `DataTypes` is one that they do
use, for the columns of files.
"""

from __future__ import annotations

from typing import Any, NoReturn

from planner.errors import NeedsFlink
from planner.frontends.python_files.places import user_location

__all__ = ["DataTypes", "Refused", "refuse_tables"]

_TABLE = (
    "only Flink's own compiler can plan it",
    "plan asks the PyFlink of the owner's Python: --python PATH; see docs/flink-compiler.md",
)
_JVM = (
    "there is no JVM while a script is loaded for its plan",
    "ask real PyFlink for the plan with --with-flink, or guard what needs Java with an option of your own",
)


class Refused:
    """A name of another API: fine to import, refused when used."""

    def __init__(self, module: str, name: str) -> None:
        self._plan_name = f"{module}.{name}"
        self._plan_why = _TABLE if module.startswith("pyflink.table") else _JVM

    def _plan_refuse(self) -> NoReturn:
        if self._plan_why is _TABLE:
            refuse_tables(self._plan_name)
        _refuse("PyFlink's way to Java", self._plan_name, _JVM)

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        self._plan_refuse()

    def __mro_entries__(self, _: Any) -> NoReturn:
        self._plan_refuse()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._plan_refuse()


def refuse_tables(what: str) -> NoReturn:
    """Refuse a part of the Table API."""
    _refuse("the Table API", what, _TABLE)


def _refuse(api: str, what: str, why: tuple[str, str]) -> NoReturn:
    raise NeedsFlink(f"the script uses {api} ({what}): {why[0]}", location=user_location(), hint=why[1])


class _DataType:
    """A column type of a file, as it was written."""

    def __init__(self, name: str, arguments: tuple[Any, ...] = (), *, nulls: bool = True) -> None:
        self.name, self.arguments, self.nulls = name, arguments, nulls

    def not_null(self) -> _DataType:
        """The type without nulls."""
        return _DataType(self.name, self.arguments, nulls=False)

    def nullable(self) -> _DataType:
        """The type with nulls."""
        return _DataType(self.name, self.arguments)

    def __repr__(self) -> str:
        written = f"{self.name}({', '.join(map(str, self.arguments))})" if self.arguments else self.name
        return written if self.nulls else f"{written} NOT NULL"


class _DataTypes:
    """`DataTypes.ROW([...])` and the like."""

    def __getattr__(self, name: str) -> Any:
        if not name.isupper():
            raise AttributeError(name)
        return lambda *arguments, nullable=True, **_: _DataType(
            name,
            tuple(one for one in arguments if not isinstance(one, bool)),
            nulls=bool(nullable) and not any(one is False for one in arguments),
        )


DataTypes = _DataTypes()
