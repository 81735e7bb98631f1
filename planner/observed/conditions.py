"""The twelve chaining conditions, as far as Flink's exports decide them.

Each function looks at one edge and says of one condition: it fails, it holds, or nobody can tell. The words give the
fact behind it. A condition that nobody can tell stays possible; it is never guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from planner.flink.defaults import default_max_parallelism
from planner.observed.job import ObservedEdge, ObservedJob, ObservedOperator, ObservedVertex
from planner.observed.labels import called_multiple_input, may_be_multiple_input, sql_kind

_Value = TypeVar("_Value")
_OTHER_SHIPS = ("HASH", "REBALANCE", "RESCALE", "SHUFFLE", "GLOBAL", "BROADCAST", "CUSTOM")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one condition came out on one edge."""

    state: Literal["fails", "holds", "unknown"]
    words: str


def fails(words: str) -> Outcome:
    """The condition does not hold."""
    return Outcome(state="fails", words=words)


def holds(words: str) -> Outcome:
    """The condition holds: it is no cause."""
    return Outcome(state="holds", words=words)


def unknown(words: str) -> Outcome:
    """The exports do not say."""
    return Outcome(state="unknown", words=words)


@dataclass(frozen=True, kw_only=True)
class Look:
    """One edge with its surroundings."""

    job: ObservedJob
    position: int

    @property
    def edge(self) -> ObservedEdge:
        """The edge itself."""
        return self.job.edges[self.position]

    @property
    def up(self) -> ObservedOperator | None:
        """The operator in front, where it is known."""
        return None if self.edge.source is None else self.job.operators[self.edge.source]

    @property
    def down(self) -> ObservedOperator:
        """The operator behind."""
        return self.job.operators[self.edge.target]

    @property
    def up_name(self) -> str:
        """The operator in front as messages name it."""
        return self.up.name if self.up else "the operator in front"

    @property
    def inputs(self) -> int:
        """How many edges enter the operator behind."""
        return len(self.job.into[self.edge.target])

    @property
    def from_lone_source(self) -> bool:
        """Whether a multi-input operator could absorb what is in front: a source that feeds nothing else."""
        before = ((self.job.operators[one], len(self.job.out[one])) for one in self.edge.sources)
        return all(one.source and not one.iteration_end and outputs == 1 for one, outputs in before)

    @property
    def vertices_in_front(self) -> tuple[ObservedVertex, ...]:
        """The vertices that the operator in front runs in, or may run in."""
        return tuple(vertex for one in self.edge.sources for vertex in self.job.vertices_of(one))

    @property
    def may_take_sources(self) -> bool:
        """Whether the operator behind might be a multi-input operator."""
        return may_be_multiple_input(self.down.name, self.down.description)


def _ch001(look: Look) -> Outcome:
    if look.job.linked:
        return holds("other edges of the job are chained")
    return unknown("chaining may be off for the job")


def _ch002(look: Look) -> Outcome:
    if look.inputs == 1:
        return holds("one input")
    if look.from_lone_source and look.may_take_sources:
        return unknown(f"{look.down.name} may be a multi-input operator that takes sources into its own task")
    return fails(f"{look.down.name} has {look.inputs} input edges")


def _ch003(look: Look) -> Outcome:
    groups = _groups(look)
    if look.job.batch is False and groups is not None:
        if groups[0] != groups[1]:
            return fails("different slot sharing groups (slotSharingGroupId differs)")
        return holds("same slot sharing group")
    return unknown("the slot sharing groups may differ")


def _groups(look: Look) -> tuple[str, str] | None:
    up = _agreed({vertex.group for vertex in look.vertices_in_front})
    down = _agreed({vertex.group for vertex in look.job.vertices_of(look.edge.target)})
    return None if up is None or down is None else (up, down)


def _agreed(values: set[_Value]) -> _Value | None:
    """The value that all possible vertices have; None where they differ, or none is known."""
    return next(iter(values)) if len(values) == 1 else None


def _ch004(look: Look) -> Outcome:
    if look.edge.source is not None and look.edge.source in look.job.linked:
        return holds(f"{look.up_name} is chained to another operator")
    return unknown(f"{look.up_name} may have disableChaining()")


def _ch005(look: Look) -> Outcome:
    onward = any(look.job.edges[position].chained for position in look.job.out[look.edge.target])
    asked = "startNewChain()" if onward else "startNewChain() or disableChaining()"
    return unknown(f"{look.down.name} may have {asked}, or be of a kind that always begins a chain")


def _ch006(look: Look) -> Outcome:
    if called_multiple_input(look.down.name, look.down.description) or (look.inputs > 1 and look.may_take_sources):
        return unknown(f"{look.down.name} may take sources of the new API only")
    return holds(f"{look.down.name} is no multi-input operator")


def _ch007(look: Look) -> Outcome:
    ship = look.edge.ship
    if ship.startswith(_OTHER_SHIPS):
        if look.job.batch and not look.job.planned and ship.startswith(("HASH", "RESCALE")):
            return unknown(f"{ship}, which batch mode may have made of a forward edge that did not chain")
        return fails(f"records are shipped by {ship}")
    if ship != "FORWARD":
        return unknown(f"{ship} is a partitioner of the program")
    if look.edge.shipped not in (None, "FORWARD"):
        return holds(f"planned as FORWARD; batch mode made it {look.edge.shipped} because it did not chain")
    return holds("FORWARD")


def _ch008(look: Look) -> Outcome:
    if look.edge.mode == "BATCH":
        return fails("the exchange mode is BATCH")
    if look.edge.mode is not None:
        return holds(f"the exchange mode is {look.edge.mode}")
    if look.job.batch is False:
        return holds("streaming job")
    if look.edge.exchange and not look.edge.exchange.startswith("blocking"):
        return holds(f"the exchange is {look.edge.exchange}")
    return unknown("the exchange may be a batch exchange" if look.job.batch else "only if this is a batch job")


def _ch009(look: Look) -> Outcome:
    if look.up is None and len({look.job.operators[one].parallelism for one in look.edge.sources}) != 1:
        return unknown("the parallelism in front is not known")
    up, down = look.job.operators[look.edge.sources[0]].parallelism, look.down.parallelism
    words = f"parallelism {up} -> {down}"
    if look.job.batch is False or _differs_in_batch_too(look):
        return fails(words) if up != down else holds(words)
    if up == down and look.job.batch is None:
        return unknown(f"{words}, but a batch job may still change it")
    return unknown(f"{words}, which batch mode may have decided later")


def _differs_in_batch_too(look: Look) -> bool:
    """A source and its only reader: if neither had its parallelism set, both would have the job's."""
    up = look.up
    differs = up is not None and up.parallelism != look.down.parallelism
    return look.job.batch is None and differs and up is not None and up.source and look.inputs == 1


def _ch010(look: Look) -> Outcome:
    first = _agreed({vertex.max_parallelism for vertex in look.vertices_in_front})
    second = _agreed({vertex.max_parallelism for vertex in look.job.vertices_of(look.edge.target)})
    if first is None or second is None:
        return unknown("the max parallelism may differ, if the job does not chain across that")
    inherited = {look.job.max_parallelism, default_max_parallelism(max(look.down.parallelism, 1))}
    if first == second and first not in inherited:
        return holds(f"max parallelism {first} on both sides")
    if first == second:
        return unknown(f"max parallelism {first} on both sides, but it may be set on one and a default on the other")
    return unknown(f"max parallelism {first} -> {second}, if the job does not chain across that")


def _ch011(look: Look) -> Outcome:
    if look.inputs == 1:
        return holds("one input")
    return unknown("another edge may enter the same input")


def _ch012(look: Look) -> Outcome:
    heads = [look.job.chain_sources[one] for one in look.edge.sources]
    if all(head is None for head in heads):
        return holds("the chain in front does not begin at a source")
    found = [look.job.vertices_of(head) for head in heads if head is not None]
    kinds = {vertex.source_kind for vertices in found for vertex in vertices}
    kinds |= {None} if not all(found) else set()
    if kinds == {"new"}:
        return holds("the chain in front begins at a source of the new API")
    if kinds == {"legacy"}:
        return unknown("the chain in front begins at a legacy source, and the operator behind may be a yielding one")
    return unknown("the chain in front may begin at a legacy source, and the operator behind may be a yielding one")


CONDITIONS: dict[str, Callable[[Look], Outcome]] = {
    "CH001": _ch001,
    "CH002": _ch002,
    "CH003": _ch003,
    "CH004": _ch004,
    "CH005": _ch005,
    "CH006": _ch006,
    "CH007": _ch007,
    "CH008": _ch008,
    "CH009": _ch009,
    "CH010": _ch010,
    "CH011": _ch011,
    "CH012": _ch012,
}


def sql_source_of_either_kind(operator: ObservedOperator) -> bool:
    """Whether this is a SQL source that may be of the old or the new API: its name does not tell."""
    return sql_kind(operator.description) is not None and operator.name.endswith("]")
