"""Key selectors that only read columns: such a key needs no Python, and Spark can aggregate by it directly."""

from __future__ import annotations

import dis
import operator
import re
from typing import Any

from spark_runner.executor.rows import form_of, row_class
from spark_runner.lowering.ddl import declared_columns

__all__ = ["selected_columns"]

# What a function may do that only reads: load, index, take an attribute, make a tuple, return. An instruction that is
# not known here, such as one of a newer Python, counts as doing more: the key is then computed by the function itself.
_READING = re.compile(
    r"RESUME|NOP|CACHE|COPY_FREE_VARS|LOAD_(?:FAST|CONST|SMALL_INT|ATTR|DEREF)\w*|BINARY_(?:SUBSCR|OP)\w*|BUILD_TUPLE"
    r"|RETURN_\w+"
)


def selected_columns(selector: Any, ddl: str | None) -> tuple[str, ...]:
    """The columns a key selector only reads: () where it computes anything, or where the columns are not declared.

    A key that is a column needs no Python, and Spark can aggregate by it directly.
    """
    if ddl is None:
        return ()
    names = declared_columns(ddl)
    fields = [_Untouchable() for _ in names]
    form = form_of(names)
    record: Any = fields[0] if form == "value" else tuple(fields)
    if form == "row":
        record = tuple.__new__(row_class(names), fields)
    call = selector.get_key if callable(getattr(selector, "get_key", None)) else selector
    if not _only_reads(call):
        return ()
    try:
        key = call(record)
    except Exception:
        return ()
    parts = key if type(key) is tuple and len(key) > 1 else (key,)
    found = [next((name for name, field in zip(names, fields, strict=True) if field is part), None) for part in parts]
    return tuple(name for name in found if name is not None) if None not in found else ()


def _only_reads(function: Any) -> bool:
    """Whether a function has no branch and calls nothing: `x is None` would not touch the stand-ins."""
    code = getattr(function, "__code__", None)
    if code is None:
        return isinstance(function, operator.itemgetter | operator.attrgetter)
    return all(_READING.fullmatch(one.opname) for one in dis.get_instructions(code))


class _Untouchable:
    """A stand-in for a field's value: whatever is done with it fails, so only plain access gets through a selector."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        raise _Touched

    def _touched(self, *arguments: Any) -> Any:
        raise _Touched

    __eq__ = __ne__ = __lt__ = __gt__ = __le__ = __ge__ = __bool__ = __hash__ = __str__ = __repr__ = _touched
    __add__ = __radd__ = __sub__ = __mul__ = __mod__ = __getitem__ = __iter__ = __len__ = __call__ = __format__ = (
        _touched
    )
    __int__ = __float__ = __index__ = __contains__ = _touched


class _Touched(Exception):
    pass
