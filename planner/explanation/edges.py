"""Edges with reasons: why each is chained or not, who asked for its exchange, and what would chain it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from planner.flink.network_buffers import NetworkBuffers
from planner.graphs.exchange_size import exchange_buffers
from planner.graphs.job_graph import PIPELINED
from planner.graphs.repeated_keys import repeated_key
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Location, Partitioner
from planner.operators import OperatorRef
from planner.pipeline import Plan
from planner.records import record
from planner.rules import Obstacle, to_remove

if TYPE_CHECKING:
    from planner.explanation.advice import Advice, Trials
    from planner.observed.judgement import Judgement

__all__ = ["EdgeExplanation", "EdgeVerdict", "Traffic", "explain_edges"]

# chained; broken: a change of the job would chain it; needed: chaining it would change the result; fixed: nothing that
# the user can write chains it; open: a job that Flink described does not tell what would chain it.
EdgeVerdict = Literal["chained", "broken", "needed", "fixed", "open"]


@record
class Traffic:
    """What an edge between two chains costs at run time."""

    channels: int
    gates: int  # input gates: one for each consuming subtask
    buffers_to_start: int  # the fewest network buffers of gates and partitions, all on one task manager
    buffers_to_start_apart: int  # the same with every channel between two task managers
    buffers_wanted: int  # what Flink wants to run well, wherever the subtasks are

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON-ready data."""
        return {
            "channels": self.channels,
            "gates": self.gates,
            "buffers_to_start": self.buffers_to_start,
            "buffers_to_start_apart": self.buffers_to_start_apart,
            "buffers_wanted": self.buffers_wanted,
        }


@record
class EdgeExplanation:
    """One edge of the stream graph, explained."""

    position: int  # in StreamGraph.edges
    source: OperatorRef
    target: OperatorRef
    partitioner: Partitioner
    exchange_mode: str
    type_number: int
    side_output: str | None
    verdict: EdgeVerdict
    asked_by: str  # who chose the partitioner
    location: Location  # of the partitioning where one is written, else of the downstream operator
    obstacles: tuple[Obstacle, ...]
    settings: tuple[str, ...]  # for `--set`: together they chain the edge; empty where `--set` cannot
    traffic: Traffic | None  # None: chained, or not known before run time
    advice: Advice | None = None  # judged by compiling it; None: chained, or nothing that `--set` can try
    repeats: OperatorRef | None = None  # already partitioned the records by the same key: the exchange moves nothing
    judgement: Judgement | None = None  # of a job that Flink described: how certain the verdict is
    ship: str = ""  # as Flink writes it: HASH[auction]; else the partitioner
    possible_sources: tuple[OperatorRef, ...] = ()  # there, where several operators may feed the edge

    @property
    def certain(self) -> bool:
        """Whether it is certain that the edge is chained, or that it is not."""
        return self.judgement is None or self.judgement.certainty != "expected"

    @property
    def sources(self) -> tuple[OperatorRef, ...]:
        """The upstream operator; all that it may be where that is not known."""
        return self.possible_sources or (self.source,)

    @property
    def upstream(self) -> str:
        """The upstream operator in a message; a job plan alone tells only in which chain it is."""
        if not self.possible_sources:
            return self.source.label
        return f"one of the chain of {self.possible_sources[0].name} ({len(self.possible_sources)} operators)"

    @property
    def chained(self) -> bool:
        """Whether both ends run in one task."""
        return self.verdict == "chained"

    @property
    def changes(self) -> tuple[str, ...]:
        """The smallest changes that would chain the edge, all of them together; empty where nothing should or can."""
        if self.verdict != "broken":
            return ()
        if self.advice is not None:
            return self.advice.changes
        return tuple(dict.fromkeys(o.change for o in to_remove(self.obstacles) if o.change))

    def to_dict(self) -> dict[str, Any]:
        """The edge as JSON-ready data."""
        return {
            "source": self.source.to_dict(),
            "target": self.target.to_dict(),
            "partitioner": self.partitioner,
            "asked_by": self.asked_by,
            "exchange_mode": self.exchange_mode,
            "type_number": self.type_number,
            "side_output": self.side_output,
            "location": str(self.location),
            "chained": self.chained,
            "verdict": self.verdict,
            "obstacles": [
                {"code": o.code, "slug": o.slug, "values": o.values, "change": o.change, "needed": o.needed}
                for o in self.obstacles
            ],
            "changes": list(self.changes),
            "settings": list(self.settings),
            "advice": self.advice.to_dict() if self.advice else None,
            "traffic": self.traffic.to_dict() if self.traffic else None,
        }


def explain_edges(
    plan: Plan,
    operators: Mapping[int, OperatorRef],
    *,
    buffers_per_channel: int,
    floating_buffers: int,
    advised: bool = True,
) -> tuple[EdgeExplanation, ...]:
    """Every edge of the stream graph, in its order; `advised`: with what would chain it, each tried by compiling it."""
    traffic = _traffic(plan, buffers_per_channel, floating_buffers)
    edges = tuple(
        _explain(plan, position, edge, operators, traffic.get(position))
        for position, edge in enumerate(plan.stream_graph.edges)
    )
    if not advised or plan.job_graph is None or not any(edge.settings for edge in edges):
        return edges
    from planner.explanation.advice import Trials  # most edges chain, or need their exchange

    trials = Trials(plan)
    return tuple(_advised(edge, trials) if edge.settings else edge for edge in edges)


def _advised(edge: EdgeExplanation, trials: Trials) -> EdgeExplanation:
    advice = trials.advise([edge.position])
    return replace(edge, advice=advice, settings=advice.settings)


def _explain(
    plan: Plan, position: int, edge: StreamEdge, operators: Mapping[int, OperatorRef], traffic: Traffic | None
) -> EdgeExplanation:
    obstacles = plan.obstacles[position]
    target = operators[edge.target]
    seen = plan.observed
    verdict = _verdict(obstacles) if seen is None else _observed_verdict(obstacles)
    sources = seen.sources_of(position) if seen else ()
    repeated = repeated_key(plan.stream_graph, edge)
    return EdgeExplanation(
        position=position,
        source=operators[edge.source],
        target=target,
        partitioner=edge.partitioner,
        exchange_mode=edge.exchange_mode,
        type_number=edge.type_number,
        side_output=edge.side_output,
        verdict=verdict,
        asked_by=_asked_by(plan, edge),
        location=edge.partition.location if edge.partition else target.location,
        obstacles=obstacles,
        settings=_settings(obstacles) if verdict == "broken" else (),
        traffic=traffic,
        repeats=operators[repeated.target] if repeated else None,
        ship=seen.job.edges[position].ship if seen else edge.partitioner,
        judgement=seen.judgements[position] if seen else None,
        possible_sources=tuple(operators[one] for one in sources) if len(sources) > 1 else (),
    )


def _verdict(obstacles: tuple[Obstacle, ...]) -> EdgeVerdict:
    if not obstacles:
        return "chained"
    if any(obstacle.needed for obstacle in obstacles):
        return "needed"
    return "fixed" if any(obstacle.change is None for obstacle in obstacles) else "broken"


def _observed_verdict(obstacles: tuple[Obstacle, ...]) -> EdgeVerdict:
    """Which other conditions fail is not known, so nobody can say what would chain an edge: only what never will."""
    if not obstacles:
        return "chained"
    return "needed" if any(obstacle.needed for obstacle in obstacles) else "open"


def _settings(obstacles: tuple[Obstacle, ...]) -> tuple[str, ...]:
    """Settings that together remove all obstacles of an edge, or () where one of them has none."""
    removed = to_remove(obstacles)
    if any(not obstacle.settings for obstacle in removed):
        return ()
    return tuple(dict.fromkeys(setting for obstacle in removed for setting in obstacle.settings))


def _asked_by(plan: Plan, edge: StreamEdge) -> str:
    nodes = plan.stream_graph.by_id
    upstream, downstream = nodes[edge.source].parallelism, nodes[edge.target].parallelism
    if plan.observed is not None:
        return "the program, or Flink itself: its exports do not tell"
    if nodes[edge.target].after_writer:
        return "Flink itself: both are parts of one sink"
    if edge.partition is not None and plan.job.compiled is not None:
        return _asked_by_flink(nodes[edge.target], edge)
    if edge.partition is not None:
        asked = "key_by" if edge.partition.partitioner == "HASH" else edge.partition.partitioner.lower()
        place = f"{asked} at {edge.partition.location}"
        if edge.partition.partitioner != edge.partitioner:
            return f"{place}; Flink uses {edge.partitioner.lower()}, as the records are already so partitioned"
        return place
    if edge.partitioner == "FORWARD":
        return "the default between equal parallelisms" if upstream == downstream else "the default"
    return f"Flink itself: the job asks for none, and parallelism differs ({upstream} -> {downstream})"


def _asked_by_flink(reader: StreamNode, edge: StreamEdge) -> str:
    """Who chose a partitioner in a graph that Flink compiled: it has no calls, and SQL has none to begin with."""
    if edge.partitioner == "HASH":
        return f"{reader.name}, which takes its records by key"
    if edge.partitioner == "GLOBAL":
        return f"{reader.name}, which takes all records in one subtask"
    return "the program, or Flink itself: the graph does not tell"


def _traffic(plan: Plan, per_channel: int, floating: int) -> dict[int, Traffic]:
    """The figures of every stream edge that became a job edge, by its position."""
    if plan.job_graph is None or plan.execution_graph is None or not (plan.observed is None or plan.observed.settled):
        return {}
    found: dict[int, Traffic] = {}
    written: set[int] = set()
    rules = NetworkBuffers(per_channel=per_channel, floating=floating)
    for edge in plan.execution_graph.edges:
        job_edge = plan.job_graph.edges[edge.job_edge]
        together, apart = exchange_buffers(
            edge,
            plan.execution_graph.parallelisms[edge.source],
            rules,
            blocking=job_edge.result_type != PIPELINED,
            written=job_edge.data_set in written,
        )
        written.add(job_edge.data_set)
        found[job_edge.stream_edge] = Traffic(
            channels=edge.channels,
            gates=len(edge.consumed),
            buffers_to_start=together.fewest,
            buffers_to_start_apart=apart.fewest,
            buffers_wanted=together.wanted,
        )
    return found
