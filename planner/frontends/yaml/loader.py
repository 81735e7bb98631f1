"""The YAML front end: a file, or data of the same shape, becomes the frozen job definition.

Ids are Flink's: they count from 1 in creation order. Operators are created in document order (later only where they
read a later one), each after the virtual transformations of its inputs from left to right; a `multi_input` takes its
id before them, since Flink constructs it first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from planner.errors import JobDefinitionError, NoJobError
from planner.frontends.yaml.fields import Fields, owner_words, read_fields
from planner.frontends.yaml.inputs import (
    FromOperator,
    FromPartition,
    FromSideOutput,
    Reference,
    creation_order,
    named_operators,
    read_reference,
)
from planner.frontends.yaml.operators import check_operator, key_columns, operator_fields
from planner.frontends.yaml.parser import Document, read_yaml
from planner.job import (
    Exchange,
    JobDefinition,
    Location,
    Operator,
    OperatorKind,
    Partition,
    Partitioner,
    PythonFunction,
    RestartStrategy,
    SideOutput,
    Transformation,
    Union,
)
from planner.kinds import SINKS, TWO_INPUTS
from planner.records import maker, record
from planner.settings.job_format import JOB_KEYS, KIND_KEYS, KINDS, OPERATOR_KEYS, RESTART_KEYS
from planner.settings.restart import RESTART_TYPES, meaningless, restart_strategy
from planner.settings.values import describe
from planner.spelling import did_you_mean, nearest


def read_restart_strategy(job: Fields) -> RestartStrategy:
    """The strategy written in the job's `restart_strategy`."""
    raw: Mapping[str, Any] = job.raw["restart_strategy"]
    fields = read_fields(job.document, raw, RESTART_KEYS, "`restart_strategy`: ")
    if "type" not in fields:
        raise job.error("restart_strategy", "`restart_strategy` has no `type`", f"one of {', '.join(RESTART_TYPES)}")
    chosen = fields.get("type")
    given = {key: value for key, value in fields.values.items() if key != "type"}
    wrong = meaningless(chosen, given)
    if wrong:
        raise fields.error(wrong[0], f"`{wrong[0]}` means nothing for the type {chosen}", wrong[1])
    return restart_strategy(chosen, given)


_KEYS_OF = {kind: {**OPERATOR_KEYS, **keys} for kind, keys in KIND_KEYS.items()}


def load_yaml(path: Path | str, shown_as: str | None = None) -> JobDefinition:
    """Load the job of a YAML (or JSON) file."""
    return _load(read_yaml(Path(path), shown_as or str(path)))


def load_job_data(data: Mapping[str, Any], location: Location | None = None) -> JobDefinition:
    """Load a job from plain data in the YAML format's shape, such as parsed JSON."""
    return _load(Document(data, location or Location("<data>", 1)))


def _load(document: Document) -> JobDefinition:
    fields = _job_fields(document)
    entries = _read_entries(document, fields)
    creation = _Creation()
    for entry in entries if _reads_what_is_above(entries) else _in_order(entries):
        creation.operator(entry)
    return _job(document, fields, tuple(cast("list[Transformation]", creation.made)))


def _reads_what_is_above(entries: Sequence[_Entry]) -> bool:
    """Whether every operator reads only operators above it, as in most files: the order of creation is the file's."""
    above: set[str] = set()
    for entry in entries:
        if entry.upstream is not None:
            if entry.upstream not in above:
                return False
        elif entry.references and any(named.id not in above for named in named_operators(entry.references)):
            return False
        if entry.kind not in SINKS:
            above.add(entry.key)
    return True


def _in_order(entries: Sequence[_Entry]) -> list[_Entry]:
    """The entries as they are created, where that is not the order of the file or where an input is wrong."""
    ids = {entry.key: position for position, entry in enumerate(entries)}
    sinks = frozenset(position for position, entry in enumerate(entries) if entry.kind in SINKS)
    references = [entry.all_references() for entry in entries]
    order = creation_order(ids, references, sinks, [entry.fields.owner for entry in entries])
    return [entries[position] for position in order]


def _job_fields(document: Document) -> Fields:
    data = document.data
    if not isinstance(data, Mapping):
        found = "the file is empty" if data is None else f"found {describe(data)}"
        raise NoJobError(
            f"the file defines no job: a job is a mapping with `operators`, {found}",
            location=document.origin,
            hint="begin with `name: ...` and `operators:`",
        )
    if not any(key in JOB_KEYS for key in data) and not any(nearest(str(key), JOB_KEYS) for key in data):
        raise NoJobError(
            "the file defines no job: it has none of the keys of a job",
            location=document.origin,
            hint="a job begins with `name: ...` and `operators:`",
        )
    fields = read_fields(document, data, JOB_KEYS, "")
    if "operators" not in fields:
        raise JobDefinitionError(
            "the job has no `operators`",
            location=document.origin,
            hint="add `operators:` with at least a source and an operator",
        )
    if not fields.get("operators"):
        raise fields.error(
            "operators",
            "the job has no operators, so there is nothing to execute",
            "add at least a source and an operator",
        )
    return fields


def _job(document: Document, fields: Fields, transformations: tuple[Transformation, ...]) -> JobDefinition:
    written = {field: value for key, value in fields.values.items() if (field := JOB_KEYS[key].field)}
    return JobDefinition(
        transformations=transformations,
        location=document.origin,
        **{"name": None, **_options(document, fields), **written, **_restart(fields)},
    )


def _options(document: Document, fields: Fields) -> dict[str, Any]:
    if "options" not in fields:
        return {}
    from planner.settings.flink_options import job_arguments  # most jobs set none

    return job_arguments(fields.get("options"), document.origin)


def _restart(fields: Fields) -> dict[str, Any]:
    return {"restart_strategy": read_restart_strategy(fields)} if "restart_strategy" in fields else {}


# --- entries ----------------------------------------------------------------------------------------------------------


@record(kw_only=False)
class _Entry:
    """One checked entry of `operators`."""

    key: str
    kind: OperatorKind
    location: Location
    fields: Fields
    upstream: str | None  # the one operator it reads, where it says no more of its input than that
    references: tuple[Reference, ...]  # any other inputs
    keys: tuple[tuple[str, ...], ...]  # the key columns of each input; () where it is not keyed
    arguments: dict[str, Any]

    def all_references(self) -> tuple[Reference, ...]:
        """Its inputs, in one form."""
        if self.upstream is None:
            return self.references
        return (FromOperator(self.upstream, self.fields.location("input")),)


def _read_entries(document: Document, job: Fields) -> list[_Entry]:
    operators = job.raw["operators"]
    make = maker(_Entry)
    entries: dict[str, _Entry] = {}
    for index in range(len(operators)):
        entry = _read_entry(document, operators, index, make)
        first = entries.setdefault(entry.key, entry)
        if first is not entry:
            raise JobDefinitionError(
                f"the id {entry.key!r} is taken",
                location=entry.fields.location("id"),
                hint=f"the first operator of that id is at {first.location}; ids are unique",
            )
    return list(entries.values())


def _read_entry(document: Document, operators: Any, index: int, make: Callable[..., _Entry]) -> _Entry:
    raw, location = operators[index], document.of_value(operators, index)
    if type(raw) is not dict and not isinstance(raw, Mapping):
        raise JobDefinitionError(
            f"operator {index + 1} must be a mapping with `id` and `type`, found {describe(raw)}", location=location
        )
    kind: Any = raw.get("type")
    if type(kind) is not str or kind not in _KEYS_OF:
        kind = _kind(document, raw, owner_words(index, raw), location)
    fields = read_fields(document, raw, _KEYS_OF[kind], index)
    values = fields.values
    if "id" not in values:
        raise JobDefinitionError(f"{fields.owner}no `id`", location=location, hint="give every operator a unique `id`")
    check_operator(kind, fields)
    upstream = values.get("input")
    plain = type(upstream) is str
    return make(
        values["id"],
        kind,
        location,
        fields,
        upstream if plain else None,
        () if plain else _references(document, kind, fields),
        key_columns(kind, fields),
        operator_fields(kind, fields),
    )


def _kind(document: Document, raw: Mapping[str, Any], owner: str, location: Location) -> OperatorKind:
    if "type" not in raw:
        near = next(
            (key for key in raw if isinstance(key, str) and key.lower() in ("typ", "kind", "tpye", "types")), None
        )
        hint = f"did you mean `type` instead of `{near}`?" if near else f"one of {', '.join(KINDS)}"
        raise JobDefinitionError(f"{owner}no `type`", location=location, hint=hint)
    kind = raw["type"]
    if kind not in KINDS:
        hint = (did_you_mean(kind, KINDS) if isinstance(kind, str) else None) or f"one of {', '.join(KINDS)}"
        raise JobDefinitionError(
            f"{owner}`type` must be a kind of operator, found {describe(kind)}",
            location=document.of_value(raw, "type"),
            hint=hint,
        )
    return cast(OperatorKind, kind)


def _references(document: Document, kind: OperatorKind, fields: Fields) -> tuple[Reference, ...]:
    if kind == "source":
        return ()
    if kind not in TWO_INPUTS and kind != "multi_input":
        if "input" not in fields:
            raise fields.error("type", f"`{kind}` has no `input`", "add `input: ID`")
        return (read_reference(document, fields.raw, "input", fields.owner),)
    if "inputs" not in fields:
        raise fields.error("type", f"`{kind}` has no `inputs`", "add `inputs: [FIRST, SECOND]`")
    inputs = fields.get("inputs")
    if not isinstance(inputs, (list, tuple)):
        raise fields.error(
            "inputs", f"`inputs` must be a list of inputs, found {describe(inputs)}", "write `inputs: [FIRST, SECOND]`"
        )
    if kind == "multi_input" and not inputs:
        raise fields.error("inputs", "`multi_input` needs at least one input", "write `inputs: [FIRST, SECOND]`")
    if kind in TWO_INPUTS and len(inputs) != 2:
        raise fields.error(
            "inputs", f"`{kind}` has two inputs, found {len(inputs)}", "a list inside `inputs` is a union"
        )
    return tuple(read_reference(document, inputs, index, fields.owner) for index in range(len(inputs)))


# --- creation ---------------------------------------------------------------------------------------------------------


class _Creation:
    """Transformations as they are created; the id is the position from 1."""

    def __init__(self) -> None:
        self.made: list[Transformation | None] = []
        self.ids: dict[str, int] = {}
        self.make_operator = maker(Operator)
        self.make_partition = maker(Partition)

    def operator(self, entry: _Entry) -> None:
        """Create the virtual transformations of an operator's inputs and the operator itself."""
        first = self._reserve() if entry.kind == "multi_input" else None
        if entry.upstream is not None:
            upstream = self.ids[entry.upstream]
            inputs: tuple[int, ...] = (self._keyed(entry, 0, upstream) if entry.keys else upstream,)
        else:
            inputs = tuple([self._input(entry, position) for position in range(len(entry.references))])
        identity = first or self._reserve()
        make, key, kind, location, arguments = (
            self.make_operator,
            entry.key,
            entry.kind,
            entry.location,
            entry.arguments,
        )
        self.made[identity - 1] = (
            make(id=identity, key=key, kind=kind, location=location, inputs=inputs, **arguments)
            if arguments
            else make(id=identity, key=key, kind=kind, location=location, inputs=inputs)  # twice as fast
        )
        self.ids[key] = identity

    def _reserve(self) -> int:
        self.made.append(None)
        return len(self.made)

    def _input(self, entry: _Entry, position: int) -> int:
        upstream = self._reference(entry.references[position])
        return self._keyed(entry, position, upstream) if entry.keys else upstream

    def _keyed(self, entry: _Entry, position: int, upstream: int) -> int:
        identity = self._reserve()
        self.made[identity - 1] = self.make_partition(
            id=identity,
            input=upstream,
            partitioner="HASH",
            location=entry.fields.location("key_by"),
            key_columns=entry.keys[position],
        )
        return identity

    def _reference(self, reference: Reference) -> int:
        # Recursion is bounded: references nest at most as deep as read_reference allows.
        if isinstance(reference, FromOperator):
            return self.ids[reference.id]
        if isinstance(reference, FromSideOutput):
            upstream = self.ids[reference.origin.id]
            identity = self._reserve()
            self.made[identity - 1] = SideOutput(
                id=identity, input=upstream, tag=reference.tag, location=reference.location
            )
            return identity
        if isinstance(reference, FromPartition):
            return self._partition(reference)
        inputs = tuple(self._reference(part) for part in reference.parts)
        identity = self._reserve()
        self.made[identity - 1] = Union(id=identity, inputs=inputs, location=reference.location)
        return identity

    def _partition(self, reference: FromPartition) -> int:
        upstream = self._reference(reference.origin)
        identity = self._reserve()
        self.made[identity - 1] = Partition(
            id=identity,
            input=upstream,
            partitioner=cast(Partitioner, reference.partition.upper()),
            location=reference.location,
            exchange=cast("Exchange | None", reference.exchange),
            key_columns=reference.key,
            custom=PythonFunction(reference=reference.function) if reference.function else None,
        )
        return identity
