"""The functions a job brings, loaded for running: those of operators, key selectors and partitioners."""

from __future__ import annotations

import dis
import operator
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from planner.errors import UnsupportedOnSpark
from planner.job import JobDefinition, Operator, Partition, PythonFunction, Watermarks, Window
from spark_runner.executor.rows import form_of, row_class
from spark_runner.lowering.ddl import declared_columns
from spark_runner.lowering.functions import resolve, window_form
from spark_runner.program.program import Key

# What a function may do that only reads: load, index, take an attribute, make a tuple, return. An instruction that is
# not known here, such as one of a newer Python, counts as doing more: the key is then computed by the function itself.
_READING = re.compile(
    r"RESUME|NOP|CACHE|COPY_FREE_VARS|LOAD_(?:FAST|CONST|SMALL_INT|ATTR|DEREF)\w*|BINARY_(?:SUBSCR|OP)\w*|BUILD_TUPLE"
    r"|RETURN_\w+"
)


class JobFunctions:
    """Loads functions by the names a job's file gives them."""

    def __init__(self, job: JobDefinition) -> None:
        self._job, self._folder = job, Path(job.location.file).resolve().parent

    def loaded(self, function: PythonFunction, owner: Operator) -> PythonFunction:
        """One function with its target."""
        return resolve(function, owner, self._folder)

    def operator(self, operator: Operator) -> Operator:
        """An operator with its functions."""
        behaviour = operator.behaviour
        if isinstance(behaviour, PythonFunction):
            return replace(operator, behaviour=self.loaded(behaviour, operator))
        if isinstance(behaviour, Window) and behaviour.function is not None:
            function = self.loaded(behaviour.function, operator)
            form = window_form(function.target, behaviour.form)
            return replace(operator, behaviour=replace(behaviour, function=function, form=form))
        if isinstance(behaviour, Watermarks) and behaviour.assigner is not None:
            return replace(operator, behaviour=replace(behaviour, assigner=self.loaded(behaviour.assigner, operator)))
        return operator

    def key(self, operator: Operator, position: int, columns: str | None = None) -> Key | None:
        """The key of an operator's input, of which `columns` are declared; None where the input has none."""
        if position >= len(operator.inputs):
            return None
        partition = self._job.by_id[operator.inputs[position]]
        if isinstance(partition, Partition) and partition.partitioner == "HASH":
            return self.key_of(partition, operator, columns)
        return None

    def key_of(self, partition: Partition, operator: Operator, columns: str | None) -> Key:
        """The key that records are moved by: columns where it only reads them, else a function."""
        if partition.key_selector is None:
            return Key(columns=partition.key_columns)
        selector = self.loaded(partition.key_selector, operator)
        read = selected_columns(selector.target, columns)
        return Key(columns=read) if read else Key(selector=selector, type=partition.key_type)

    def partitioner(self, partition: Partition, operator: Operator) -> PythonFunction:
        """The function that chooses subtasks."""
        if partition.custom is None:
            raise UnsupportedOnSpark(
                f"operator {operator.key!r} is downstream of a custom partition without a function",
                location=operator.location,
                hint="use partition_custom(function, key) in Python, or another partition in YAML",
            )
        return self.loaded(partition.custom, operator)


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
