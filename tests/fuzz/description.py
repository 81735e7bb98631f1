"""One random job as plain data: steps that read earlier steps. `repr` of a job can be pasted into Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["FIRST_KEY_KINDS", "KEY_KINDS", "Job", "KeyKind", "Step"]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step. Every record is (key, number, time)."""

    id: int
    kind: str
    inputs: tuple[int, ...] = ()
    parallelism: int = 1
    form: str = "tuple"  # how the result is declared: tuple, row, named, none
    options: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.options[name]


@dataclass(frozen=True, kw_only=True)
class Job:
    """Steps in an order in which each stands behind its inputs. `keys` names the kind of the first field."""

    seed: int
    keys: str
    parallelism: int
    steps: tuple[Step, ...]

    @property
    def by_id(self) -> dict[int, Step]:
        """The steps by their id."""
        return {step.id: step for step in self.steps}

    @property
    def key_kind(self) -> KeyKind:
        """What the first field is."""
        return KEY_KINDS[self.keys]

    @property
    def size(self) -> int:
        """How much there is to read for somebody who looks for the fault."""
        records = sum(len(step["records"]) for step in self.steps if step.kind == "source")
        return 10 * len(self.steps) + records + sum(step.parallelism for step in self.steps) + self.parallelism

    def readers_of(self, step: Step) -> Iterator[Step]:
        """The steps that read a step."""
        return (one for one in self.steps if step.id in one.inputs)

    def with_step(self, changed: Step) -> Job:
        """The job with one step changed."""
        return replace(self, steps=tuple(changed if one.id == changed.id else one for one in self.steps))


@dataclass(frozen=True, kw_only=True)
class KeyKind:
    """Values of the first field as Python source, and their declared type; None where there is none."""

    values: tuple[str, ...]
    type: str | None
    written: bool = False  # whether files may hold the value itself


KEY_KINDS = {
    "string": KeyKind(
        values=("'a'", "'b'", "'ü'", "'日本'", "'x y'", "'ab'", "'😀'"), type="Types.STRING()", written=True
    ),
    "long": KeyKind(values=("0", "1", "-5", "7", "2**40", "3"), type="Types.LONG()", written=True),
    "double": KeyKind(values=("1.5", "-2.25", "float('nan')", "float('inf')", "3.0"), type="Types.DOUBLE()"),
    "boolean": KeyKind(values=("True", "False"), type="Types.BOOLEAN()"),
    "nullable": KeyKind(values=("None", "'a'", "'b'"), type="Types.STRING()"),
    "tuple": KeyKind(values=("(1, 'a')", "(1, 'b')", "(2, 'a')"), type="Types.TUPLE([Types.LONG(), Types.STRING()])"),
    "date": KeyKind(values=("date(2024, 2, 29)", "date(1970, 1, 1)", "date(1969, 7, 20)"), type="Types.SQL_DATE()"),
    "decimal": KeyKind(values=("Decimal('1.5')", "Decimal('2')", "Decimal('-0.25')"), type=None),
    "mixed": KeyKind(values=("1", "'1'", "None", "(1,)", "b'1'"), type=None),
    "enum": KeyKind(values=("Colour.RED", "Colour.GREEN"), type=None),
    "frozen": KeyKind(values=("Point(1, 2)", "Point(2, 1)"), type=None),
    "set": KeyKind(values=("frozenset({'a', 'b'})", "frozenset({'b', 'c', 'd'})", "frozenset()"), type=None),
    # of newer seeds alone
    "float": KeyKind(values=("0.5", "1.25", "float('nan')", "-3.0"), type="Types.FLOAT()"),
    "moment": KeyKind(
        values=("datetime(2024, 2, 29, 1, 2, 3)", "datetime(1969, 7, 20)", "datetime(2024, 2, 29)"),
        type="Types.SQL_TIMESTAMP()",
    ),
    "name": KeyKind(values=("Name.X", "Name.Y"), type=None),
    "bytes": KeyKind(values=("b'a'", "b''", "b'\\xff'"), type=None),
    "number": KeyKind(values=("1", "1.5", "Decimal('2.25')", "-7"), type=None),
    "plain": KeyKind(values=("Plain(1)", "Plain(2)"), type=None),
}
FIRST_KEY_KINDS = tuple(KEY_KINDS)[:12]  # of seeds whose jobs stay as they are
