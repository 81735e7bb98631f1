"""An edge of an observed job as the twelve chaining conditions read it. What no export shows stays unknown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar, get_args

from planner.chaining.facts import ExportedEdge, Fact, Facts, OneOf, OperatorFacts, anything
from planner.flink.defaults import default_max_parallelism
from planner.graphs.stream_graph import ChainingStrategy, ExchangeMode, SourceKind
from planner.job import Partitioner
from planner.observed.job import ObservedEdge, ObservedJob, ObservedOperator, ObservedVertex
from planner.observed.labels import called_multiple_input, may_be_multiple_input

__all__ = ["inputs_of", "look_at", "takes_sources"]

_Value = TypeVar("_Value")
_PARTITIONERS: tuple[Partitioner, ...] = get_args(Partitioner)
_STRATEGIES: tuple[ChainingStrategy, ...] = get_args(ChainingStrategy)
_MODES: tuple[ExchangeMode, ...] = get_args(ExchangeMode)


def look_at(job: ObservedJob, position: int) -> ExportedEdge:
    """One edge, with what is known of it and how the exports show that."""
    edge = job.edges[position]
    down = job.operators[edge.target]
    told: dict[str, str] = {}
    first, second = _max_parallelism(job, edge, told)
    up_parallelism, down_parallelism = _parallelism(job, edge, told)
    up_group, down_group = _groups(job, edge)
    inputs = inputs_of(job, edge)
    facts = Facts(
        upstream=OperatorFacts(
            parallelism=up_parallelism,
            max_parallelism=first,
            slot_sharing_group=up_group,
            chaining_strategy=_upstream_strategy(job, edge),
            source=_either(_kinds_of_sources(job, edge)),
            yielding=OneOf((True, False)),
        ),
        downstream=OperatorFacts(
            parallelism=down_parallelism,
            max_parallelism=second,
            slot_sharing_group=down_group,
            chaining_strategy=_downstream_strategy(job, edge),
            source=None,
            yielding=OneOf((True, False)),
        ),
        partitioner=_partitioner(job, edge, told),
        exchange_mode=_exchange_mode(job, edge, told),
        inputs=inputs,
        outputs=max(len(job.out[one]) for one in edge.sources),
        position_shared=OneOf((True, False)) if inputs > 1 else False,
        chain_source=_either(_kinds_of_chain_sources(job, edge)),
        chaining=True if job.linked else OneOf((True, False)),
        chain_different_max_parallelism=OneOf((True, False)),
    )
    upstream = "the upstream operator" if edge.source is None else job.operators[edge.source].name
    return ExportedEdge(facts=facts, upstream=upstream, downstream=down.name, told=told)


def inputs_of(job: ObservedJob, edge: ObservedEdge) -> int:
    """How many edges enter the downstream operator."""
    return len(job.into[edge.target])


def takes_sources(operator: ObservedOperator) -> bool:
    """Whether an operator is called a multi-input operator, which may take sources into its own task."""
    return called_multiple_input(operator.name, operator.description)


def _either(values: Iterator[Fact[_Value]]) -> Fact[_Value]:
    """The value that all agree on; else one of all of them."""
    found: dict[_Value, None] = {}
    for value in values:
        found |= dict.fromkeys(value if isinstance(value, OneOf) else (value,))
    return next(iter(found)) if len(found) == 1 else OneOf(tuple(found))


def _upstream_strategy(job: ObservedJob, edge: ObservedEdge) -> Fact[ChainingStrategy]:
    if edge.source is not None and edge.source in job.linked:
        return OneOf(tuple(one for one in _STRATEGIES if one != "NEVER"))
    return anything()


def _downstream_strategy(job: ObservedJob, edge: ObservedEdge) -> Fact[ChainingStrategy]:
    down = job.operators[edge.target]
    impossible: set[ChainingStrategy] = set()
    if any(job.edges[position].chained for position in job.out[edge.target]):
        impossible.add("NEVER")  # it is chained onward
    several = inputs_of(job, edge) > 1
    if not (takes_sources(down) or (several and may_be_multiple_input(down.name, down.description))):
        impossible.add("HEAD_WITH_SOURCES")
    return OneOf(tuple(one for one in _STRATEGIES if one not in impossible))


def _kinds_of_sources(job: ObservedJob, edge: ObservedEdge) -> Iterator[Fact[SourceKind | None]]:
    """By operator that may be the upstream, the kind of source that it is."""
    for one in edge.sources:
        operator = job.operators[one]
        yield _kind(job, one) if operator.source and not operator.iteration_end else None


def _kinds_of_chain_sources(job: ObservedJob, edge: ObservedEdge) -> Iterator[Fact[SourceKind | None]]:
    """By operator that may be the upstream, the kind of source that its chain begins at; None: at no source."""
    heads = [job.chain_sources[one] for one in edge.sources]
    for head in heads:
        if head is not None:
            yield _kind(job, head)
    if all(head is None for head in heads):
        yield None


def _kind(job: ObservedJob, source: int) -> Fact[SourceKind | None]:
    """The kind of a source, as the metrics of its vertex show it."""
    kinds = {vertex.source_kind for vertex in job.vertices_of(source)}
    return next(iter(kinds)) if len(kinds) == 1 and None not in kinds else OneOf(("new", "legacy"))


def _upstream_vertices(job: ObservedJob, edge: ObservedEdge) -> list[ObservedVertex]:
    """The vertices that the upstream operator runs in, or may run in."""
    return [vertex for one in edge.sources for vertex in job.vertices_of(one)]


def _agreed(values: set[_Value | None]) -> _Value | None:
    """The value that all possible vertices have; None where they differ, or none is known."""
    return next(iter(values)) if len(values) == 1 else None


def _groups(job: ObservedJob, edge: ObservedEdge) -> tuple[Fact[str], Fact[str]]:
    """The slot sharing groups. In batch mode every region has a group of its own, which says nothing."""
    up = _agreed({vertex.group for vertex in _upstream_vertices(job, edge)})
    down = _agreed({vertex.group for vertex in job.vertices_of(edge.target)})
    return (anything(), anything()) if job.batch is not False or up is None or down is None else (up, down)


def _partitioner(job: ObservedJob, edge: ObservedEdge, told: dict[str, str]) -> Fact[Partitioner]:
    ship = edge.ship
    name = next((one for one in _PARTITIONERS if one != "FORWARD" and ship.startswith(one)), None)
    if name is not None and job.batch and not job.planned and name in ("HASH", "RESCALE"):
        told["partitioner"] = f"{ship}, which batch mode may have made of a forward edge that did not chain"
        return OneOf(("FORWARD", name))
    if name is not None:
        told["partitioner"] = f"records are shipped by {ship}"
        return name
    if ship != "FORWARD":
        told["partitioner"] = f"{ship} is a partitioner of the program"
        return anything()
    changed = edge.shipped not in (None, "FORWARD")
    words = f"planned as FORWARD; batch mode made it {edge.shipped} because it did not chain" if changed else "FORWARD"
    told["partitioner"] = words
    return "FORWARD"


def _exchange_mode(job: ObservedJob, edge: ObservedEdge, told: dict[str, str]) -> Fact[ExchangeMode]:
    if edge.mode is not None:
        told["exchange_mode"] = f"the exchange mode is {edge.mode}"
        return next((one for one in _MODES if one == edge.mode), "UNDEFINED")
    if job.batch is False:
        told["exchange_mode"] = "streaming job"
    elif edge.exchange and not edge.exchange.startswith("blocking"):
        told["exchange_mode"] = f"the exchange is {edge.exchange}"
    else:
        told["exchange_mode"] = "the exchange may be a batch exchange" if job.batch else "only if this is a batch job"
        return anything()
    return OneOf(tuple(one for one in _MODES if one != "BATCH"))


def _parallelism(job: ObservedJob, edge: ObservedEdge, told: dict[str, str]) -> tuple[Fact[int], Fact[int]]:
    """The two numbers. Those of a batch job may have been decided later, and need not be those that were planned."""
    numbers = {job.operators[one].parallelism for one in edge.sources}
    down = job.operators[edge.target].parallelism
    if len(numbers) != 1:
        told["parallelism"] = "the upstream parallelism is not known"
        return anything(), down
    (up,) = numbers
    told["parallelism"] = f"parallelism {up} -> {down}"
    if job.batch is False or (job.batch is None and up != down and _from_source(job, edge)):
        return up, down
    undecided = ", but a batch job may still change it" if up == down and job.batch is None else None
    told["parallelism"] += undecided or ", which batch mode may have decided later"
    return anything(), anything()


def _from_source(job: ObservedJob, edge: ObservedEdge) -> bool:
    """A source and its only reader: if neither had its parallelism set, both would have the job's, also in batch."""
    return edge.source is not None and job.operators[edge.source].source and inputs_of(job, edge) == 1


def _max_parallelism(job: ObservedJob, edge: ObservedEdge, told: dict[str, str]) -> tuple[Fact[int], Fact[int]]:
    """The two numbers as Flink resolved them. A resolved default does not show whether the program set it."""
    first = _agreed({vertex.max_parallelism for vertex in _upstream_vertices(job, edge)})
    second = _agreed({vertex.max_parallelism for vertex in job.vertices_of(edge.target)})
    if first is None or second is None:
        told["max_parallelism"] = "the max parallelism may differ, if the job does not chain across that"
        return anything(), anything()
    if first != second:
        told["max_parallelism"] = f"max parallelism {first} -> {second}, if the job does not chain across that"
        return first, second
    told["max_parallelism"] = f"max parallelism {first} on both sides"
    if first in (job.max_parallelism, default_max_parallelism(max(job.operators[edge.target].parallelism, 1))):
        told["max_parallelism"] += ", but it may be set on one and a default on the other"
        return anything(), anything()
    return first, second
