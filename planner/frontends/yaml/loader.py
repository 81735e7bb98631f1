"""The YAML front end: a file, or data of the same shape, becomes the frozen job definition.

Ids are Flink's: they count from 1 in creation order. Operators are created in document order (later only where they
read a later one), each after the virtual transformations of its inputs from left to right; a `multi_input` takes its
id before them, since Flink constructs it first.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from planner.errors import JobDefinitionError
from planner.frontends.yaml.fields import Fields, read_fields
from planner.frontends.yaml.inputs import (
    FromOperator,
    FromPartition,
    FromSideOutput,
    Reference,
    creation_order,
    read_reference,
)
from planner.frontends.yaml.operators import check_operator, key_columns, operator_fields
from planner.frontends.yaml.parser import Document, read_yaml
from planner.frontends.yaml.restart import read_restart_strategy
from planner.job import (
    Exchange,
    JobDefinition,
    Location,
    Operator,
    OperatorKind,
    Partition,
    Partitioner,
    PythonFunction,
    SideOutput,
    Transformation,
    Union,
)
from planner.kinds import SINKS, TWO_INPUTS
from planner.records import record
from planner.settings.job_format import JOB_KEYS, KIND_KEYS, KINDS, OPERATOR_KEYS
from planner.settings.values import describe
from planner.spelling import did_you_mean

__all__ = ["load_job_data", "load_yaml"]

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
    references = [entry.references for entry in entries]
    ids = {entry.key: position for position, entry in enumerate(entries)}
    sinks = frozenset(position for position, entry in enumerate(entries) if entry.kind in SINKS)
    order = creation_order(ids, references, sinks, [entry.fields.owner for entry in entries])
    creation = _Creation()
    for position in order:
        creation.operator(entries[position])
    return _job(document, fields, tuple(cast("list[Transformation]", creation.made)))


def _job_fields(document: Document) -> Fields:
    data = document.data
    if not isinstance(data, Mapping):
        found = "the file is empty" if data is None else f"found {describe(data)}"
        raise JobDefinitionError(
            f"a job is a mapping with `operators`, {found}",
            location=document.origin,
            hint="begin with `name: ...` and `operators:`",
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
    written = {key: fields.values[key] for key in _JOB_PLAIN if key in fields}
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


_JOB_PLAIN = (
    "name",
    "parallelism",
    "max_parallelism",
    "runtime_mode",
    "chaining",
    "chain_different_max_parallelism",
    "buffer_timeout",
)


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
    references: tuple[Reference, ...]
    keys: tuple[tuple[str, ...], ...]  # the key columns of each input; () where it is not keyed
    arguments: dict[str, Any]


def _read_entries(document: Document, job: Fields) -> list[_Entry]:
    operators = job.raw["operators"]
    entries: list[_Entry] = []
    seen: dict[str, _Entry] = {}
    for index in range(len(operators)):
        entry = _read_entry(document, operators, index)
        if entry.key in seen:
            raise JobDefinitionError(
                f"the id {entry.key!r} is taken",
                location=entry.fields.location("id"),
                hint=f"the first operator of that id is at {seen[entry.key].location}; ids are unique",
            )
        seen[entry.key] = entry
        entries.append(entry)
    return entries


def _read_entry(document: Document, operators: Any, index: int) -> _Entry:
    raw, location = operators[index], document.of_value(operators, index)
    if not isinstance(raw, Mapping):
        raise JobDefinitionError(
            f"operator {index + 1} must be a mapping with `id` and `type`, found {describe(raw)}", location=location
        )
    identity = raw.get("id")
    owner = f"operator {identity[:60]!r}: " if isinstance(identity, str) else f"operator {index + 1}: "
    kind = _kind(document, raw, owner, location)
    fields = read_fields(document, raw, _KEYS_OF[kind], owner)
    if "id" not in fields:
        raise JobDefinitionError(f"{owner}no `id`", location=location, hint="give every operator a unique `id`")
    check_operator(kind, fields)
    return _Entry(
        key=fields.get("id"),
        kind=kind,
        location=location,
        fields=fields,
        references=_references(document, kind, fields),
        keys=key_columns(kind, fields),
        arguments=operator_fields(kind, fields),
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

    def operator(self, entry: _Entry) -> None:
        """Create the virtual transformations of an operator's inputs and the operator itself."""
        first = self._reserve() if entry.kind == "multi_input" else None
        inputs = tuple(self._input(entry, position) for position in range(len(entry.references)))
        identity = first or self._reserve()
        self.made[identity - 1] = Operator(
            id=identity, key=entry.key, kind=entry.kind, location=entry.location, inputs=inputs, **entry.arguments
        )
        self.ids[entry.key] = identity

    def _reserve(self) -> int:
        self.made.append(None)
        return len(self.made)

    def _input(self, entry: _Entry, position: int) -> int:
        upstream = self._reference(entry.references[position])
        if not entry.keys:
            return upstream
        identity = self._reserve()
        self.made[identity - 1] = Partition(
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
