"""The inputs of YAML operators: which operators they name, in which order all are created, and their virtual steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from planner.errors import JobDefinitionError
from planner.frontends.yaml.fields import Fields, read_fields
from planner.frontends.yaml.parser import Document
from planner.job import Location
from planner.records import record
from planner.settings.job_format import REFERENCE_KEYS
from planner.settings.values import describe
from planner.spelling import did_you_mean
from planner.topology import topological_order

__all__ = [
    "FromOperator",
    "FromPartition",
    "FromSideOutput",
    "FromUnion",
    "Reference",
    "creation_order",
    "named_operators",
    "read_reference",
]

MAX_NESTING: Final = 64


@record(kw_only=False)
class FromOperator:
    """The output of the operator with this id."""

    id: str
    location: Location


@record(kw_only=False)
class FromUnion:
    """Several inputs as one."""

    parts: tuple[Reference, ...]
    location: Location


@record(kw_only=False)
class FromSideOutput:
    """The tagged records of an operator."""

    origin: FromOperator
    tag: str
    location: Location


@record(kw_only=False)
class FromPartition:
    """An input whose records take a partitioner to the consumer."""

    origin: Reference
    partition: str
    exchange: str | None
    function: str | None
    key: tuple[str, ...]
    location: Location


Reference = FromOperator | FromUnion | FromSideOutput | FromPartition


def read_reference(document: Document, container: Any, key: Any, owner: str, depth: int = 0) -> Reference:
    """Read the input at `key` of `container`."""
    value = container[key]
    if isinstance(value, str):
        return FromOperator(value, document.of_value(container, key))
    location = document.of_value(container, key)
    if depth > MAX_NESTING:
        raise JobDefinitionError(f"{owner}an input is nested more than {MAX_NESTING} levels deep", location=location)
    if isinstance(value, Mapping):
        return _read_mapping(document, value, location, owner, depth)
    if not isinstance(value, (list, tuple)):
        raise JobDefinitionError(
            f"{owner}an input must be an id, a list of inputs or {{from: ...}}, found {describe(value)}",
            location=location,
            hint=f'ids are text: write "{value}"' if isinstance(value, int) and not isinstance(value, bool) else None,
        )
    if not value:
        raise JobDefinitionError(
            f"{owner}an input must not be an empty list", location=location, hint="name at least one operator"
        )
    parts = tuple(read_reference(document, value, index, owner, depth + 1) for index in range(len(value)))
    return parts[0] if len(parts) == 1 else FromUnion(parts, location)


def _read_mapping(document: Document, raw: Mapping[str, Any], location: Location, owner: str, depth: int) -> Reference:
    fields = read_fields(document, raw, REFERENCE_KEYS, owner)
    if "from" not in fields:
        raise JobDefinitionError(f"{owner}an input has no `from`", location=location, hint="write {from: ID, ...}")
    reference = read_reference(document, raw, "from", owner, depth + 1)
    if "side_output" in fields:
        if not isinstance(reference, FromOperator):
            raise fields.error(
                "side_output", "only an operator has side outputs, not a union, a partition or another side output",
                "name one operator in `from`",
            )  # fmt: skip
        reference = FromSideOutput(reference, fields.get("side_output"), location)
    if "partition" in fields:
        return _partition(fields, reference, location)
    for extra in ("exchange", "function", "key"):
        if extra in fields:
            raise fields.error(extra, f"`{extra}` without `partition` has no effect", "add `partition`, or remove it")
    return reference


def _partition(fields: Fields, reference: Reference, location: Location) -> FromPartition:
    partition = fields.get("partition")
    for extra in ("function", "key"):
        if extra in fields and partition != "custom":
            raise fields.error(extra, f"`{extra}` belongs to a custom partition, this one is {partition}")
    key = fields.get("key", ())
    if any(not isinstance(column, str) for column in key):
        raise fields.error("key", "`key` must be a column or a list of columns")
    return FromPartition(reference, partition, fields.get("exchange"), fields.get("function"), key, location)


def named_operators(references: Iterable[Reference]) -> list[FromOperator]:
    """The operators that references name, left to right."""
    found: list[FromOperator] = []
    pending = list(references)[::-1]
    while pending:
        reference = pending.pop()
        if isinstance(reference, FromOperator):
            found.append(reference)
        elif isinstance(reference, FromUnion):
            pending.extend(reversed(reference.parts))
        else:
            pending.append(reference.origin)
    return found


def creation_order(
    ids: Mapping[str, int], references: Sequence[Sequence[Reference]], sinks: frozenset[int], owners: Sequence[str]
) -> list[int]:
    """The positions of operators in the order they are created: document order, except after later inputs.

    An operator is created once all it reads exists, the earliest in the document first. Unknown ids and cycles raise.
    """
    needs: list[list[int]] = []
    in_order = True
    for position, inputs in enumerate(references):
        needed = [_position(named, ids, sinks, owners[position]) for named in named_operators(inputs)]
        in_order = in_order and all(n < position for n in needed)
        needs.append(needed)
    return list(range(len(needs))) if in_order else _stable_topological(needs, references, list(ids))


def _position(named: FromOperator, ids: Mapping[str, int], sinks: frozenset[int], owner: str) -> int:
    position = ids.get(named.id)
    if position is None:
        raise JobDefinitionError(
            f"{owner}unknown input {named.id[:60]!r}",
            location=named.location,
            hint=did_you_mean(named.id, ids) or "no operator has this id",
        )
    if position in sinks:
        raise JobDefinitionError(
            f"{owner}input {named.id!r} is a sink, which has no output",
            location=named.location,
            hint="read from the operator upstream of that sink",
        )
    return position


def _stable_topological(needs: list[list[int]], references: Sequence[Sequence[Reference]], ids: list[str]) -> list[int]:
    ends = ((upstream, position) for position, needed in enumerate(needs) for upstream in set(needed))
    order = topological_order(range(len(needs)), ends, smallest_first=True)
    if len(order) < len(needs):
        raise _cycle_error(needs, set(range(len(needs))) - set(order), references, ids)
    return order


def _cycle_error(
    needs: list[list[int]], waiting: set[int], references: Sequence[Sequence[Reference]], ids: list[str]
) -> JobDefinitionError:
    """Walk upstream among the operators that never became ready until one comes back: that is a cycle."""
    current = min(waiting)
    seen: dict[int, int] = {}
    path: list[int] = []
    while current not in seen:
        seen[current] = len(path)
        path.append(current)
        current = next(upstream for upstream in needs[current] if upstream in waiting)
    cycle = path[seen[current] :][::-1]
    start = cycle.index(min(cycle))
    cycle = cycle[start:] + cycle[:start]
    closing = ids[cycle[-1]]
    names = [ids[position] for position in cycle] + [ids[cycle[0]]]
    shown = names if len(names) <= 12 else [*names[:6], f"... ({len(names) - 11} more)", *names[-5:]]
    place = next(named for named in named_operators(references[cycle[0]]) if named.id == closing)
    return JobDefinitionError(
        f"the operators form a cycle: {' -> '.join(shown)}",
        location=place.location,
        hint="a Flink job has no cycles: remove one of these inputs",
    )
