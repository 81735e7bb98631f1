"""Which columns of a batch go to each Python pass: those that somebody reads, where the sources of functions say so.

Only the way from a reader to the first exchange is looked at: there a record that fails can be found again as a whole,
so that its author sees all of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from planner.job import Reader, Watermarks, Where
from spark_runner.lowering.ddl import declared_columns
from spark_runner.lowering.fields_read import fields_read
from spark_runner.program.program import Inlet, Operation, Outlet, Pass
from spark_runner.program.roles import ROLES

__all__ = ["pruned"]

_WIDEST = 60  # columns: of wider records a loop makes whole ones
_PURE = ("filter",)  # roles that give the records they take, and whose written-out functions may be called again
# roles that call a method of their function with each record, by input
_CALLED = {
    **{role: (role,) for role in ("map", "flat_map", "filter")},
    **{f"keyed_{role}": (role,) for role in ("map", "flat_map", "filter")},
    "process": ("process_element",),
    "keyed_process": ("process_element",),
    "keyed_co_process": ("process_element1", "process_element2"),
}
Fields = frozenset[str] | None  # None: all
_NOTHING: Fields = frozenset()


def pruned(passes: Sequence[Pass]) -> tuple[Pass, ...]:
    """The passes with what is read of their inlets."""
    return _Pruning(passes).pruned()


def _both(one: Fields, other: Fields) -> Fields:
    return None if one is None or other is None else one | other


@dataclass(slots=True)
class _Pruning:
    """One walk over the passes against the stream: what is read of an outlet is known before its pass is looked at."""

    passes: Sequence[Pass]
    repeatable: list[bool] = field(default_factory=list)  # by pass

    def pruned(self) -> tuple[Pass, ...]:
        for one in self.passes:  # each stands after those that it reads
            self.repeatable.append(self._repeats(one))
        made = list(self.passes)
        read: dict[tuple[int, int], Fields] = {}
        seen: dict[tuple[int, int], int] = {}
        for number in reversed(range(len(made))):
            one = made[number]
            outlets = tuple(
                self._narrow(
                    number, outlet, read.get((number, at)) if seen.get((number, at)) == outlet.readers else None
                )
                for at, outlet in enumerate(one.outlets)
            )
            one = made[number] = replace(one, outlets=outlets)
            wanted = self._wanted(one) if one.engine == "python" else [None, None]
            inlets = []
            for inlet in one.inlets:
                names = self._names(one, inlet.position)
                fields = wanted[inlet.position] if names is not None else None
                key = inlet.key.columns if inlet.key is not None else ()
                place = inlet.source, inlet.outlet
                seen[place] = seen.get(place, 0) + 1
                read[place] = _both(read.get(place, _NOTHING), None if fields is None else fields | {*key})
                if names is not None and fields is not None and len(fields) < len(names):
                    inlet = replace(inlet, fields=names, read=_ordered(names, fields or key[:1]))
                inlets.append(inlet)
            made[number] = replace(one, inlets=tuple(inlets))
        return tuple(made)

    # --- where records come from

    def _names(self, one: Pass, position: int) -> tuple[str, ...] | None:
        """The columns of what arrives at a position; None where its records cannot be found again by their number."""
        found: set[tuple[str, ...] | None] = set()
        for inlet in one.inlets:
            if inlet.position == position:
                columns = self.passes[inlet.source].outlets[inlet.outlet].columns
                again = columns is not None and self._gives_again(inlet)
                found.add(declared_columns(columns) if again and columns is not None else None)
        return next(iter(found)) if len(found) == 1 else None

    def _gives_again(self, inlet: Inlet) -> bool:
        """Whether what an inlet reads comes in the same order whenever it is read, without a function that counts."""
        outlet = self.passes[inlet.source].outlets[inlet.outlet]
        if outlet.tag is not None or outlet.key is not None or outlet.custom is not None or outlet.pickled:
            return False
        return self.repeatable[inlet.source]

    def _repeats(self, one: Pass) -> bool:
        """Whether what a pass gives comes in the same order whenever it is read."""
        if one.engine == "native":
            return not one.inlets and all(isinstance(o.operator.behaviour, _KEEPING) for o in one.operations)
        return self._filters(one) and all(i.exchange is None and self._gives_again(i) for i in one.inlets)

    def _filters(self, one: Pass) -> bool:
        alone = len(one.inlets) == 1 and bool(one.operations) and not one.grouped
        return alone and all(o.role in _PURE and o.inlined is not None for o in one.operations)

    # --- where they go

    def _narrow(self, number: int, outlet: Outlet, fields: Fields) -> Outlet:
        """An outlet of filters gives only what is read."""
        one = self.passes[number]
        plain = outlet.tag is None and outlet.key is None and outlet.custom is None and outlet.columns is not None
        if fields is None or one.engine != "python" or not plain or not self._filters(one) or len(one.outlets) > 1:
            return outlet
        names = declared_columns(outlet.columns or "")
        if len(names) > _WIDEST:
            return outlet
        return replace(outlet, read=_ordered(names, fields) if len(fields) < len(names) else None)

    def _wanted(self, one: Pass) -> list[Fields]:
        """By input, the fields that are read in a pass and downstream of it."""
        wanted: list[Fields] = [_NOTHING, _NOTHING]
        given: list[Fields] = [_NOTHING] * len(one.operations)  # by operation, what is read of what it gives on
        for outlet in one.outlets:
            if outlet.operation is None:
                wanted[0] = None
            elif outlet.tag is None:
                read = None if outlet.read is None else frozenset(outlet.read)
                given[outlet.operation] = _both(given[outlet.operation], read)
        names = [self._names(one, position) for position in range(len({inlet.position for inlet in one.inlets}))]
        for at in reversed(range(len(one.operations))):  # readers stand after what they read
            operation = one.operations[at]
            for position, fields in enumerate(_taken(operation, names, given[at])):
                if operation.parent is None:
                    wanted[position] = _both(wanted[position], fields)
                elif operation.tag is None:
                    given[operation.parent] = _both(given[operation.parent], fields)
        return wanted


def _taken(operation: Operation, names: Sequence[tuple[str, ...] | None], given: Fields) -> Iterator[Fields]:
    """By input, the fields of its records that an operation needs, of which `given` are read downstream of it."""
    methods = _CALLED.get(operation.role, ())
    known = [one for one in names if one is not None]
    if len(methods) != len(names) or len(known) != len(names):
        yield from [None] * len(names)
        return
    for fields in fields_read(operation.function, methods, known):
        yield _both(fields, given) if _gives_on(operation.role) else fields


_KEEPING = (Reader, Watermarks, Where)  # native operators that compute nothing which may fail for a column unread


def _gives_on(role: str) -> bool:
    return ROLES[role].gives_same or role == "keyed_filter"


def _ordered(names: Sequence[str], fields: Collection[str]) -> tuple[str, ...]:
    """The fields as they stand in a record, and at least one: a struct has to have a field."""
    return tuple(name for name in names if name in fields) or tuple(names[:1])
