"""What is certain about every edge, what is one of several things, and what is only expected.

An `Observation` is what a plan of such a job carries besides its graphs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from planner.chaining.facts import negated
from planner.chaining.registry import RULES
from planner.chaining.rules import ch002_multiple_inputs, ch012_yielding_after_legacy_source
from planner.graphs.stream_graph import SourceKind
from planner.observed.facts import inputs_of, look_at, takes_sources
from planner.observed.job import Certainty, ObservedEdge, ObservedJob, ObservedOperator
from planner.observed.labels import sql_kind, waits_for_answers
from planner.records import record
from planner.rules import Checked

ITERATION = "iteration"
_INPUTS, _ASYNC = ch002_multiple_inputs.RULE.code, ch012_yielding_after_legacy_source.RULE.code


@record
class Judgement:
    """Whether one edge of a job that Flink described is chained, and how certain that is."""

    chained: bool | None
    certainty: Certainty
    reasons: tuple[str, ...] = ()  # codes of conditions that fail for certain
    possible: tuple[str, ...] = ()  # codes of which at least one fails; for an expectation: would have to fail
    likely: tuple[str, ...] = ()  # the most likely of them
    facts: tuple[tuple[str, str], ...] = ()  # by code, what was seen

    @property
    def words(self) -> str:
        """The verdict in a message: never without how certain it is."""
        if self.certainty == "one of":
            return "certain: not chained; the cause is one of"
        if self.chained is None:
            return "expected: chained or not, the plan does not tell"
        return f"{self.certainty}: {'chained' if self.chained else 'not chained'}"


def decide(job: ObservedJob) -> tuple[Judgement, ...]:
    """The judgement of every edge, in the order of the job's edges."""
    return tuple(_judged(job, position) for position in range(len(job.edges)))


def _judged(job: ObservedJob, position: int) -> Judgement:
    edge = job.edges[position]
    if edge.chained:
        return Judgement(chained=True, certainty="certain")
    if _ends_iteration(job, edge):
        return Judgement(chained=False, certainty="certain", reasons=(ITERATION,))
    checked = check_exported(job, position)
    facts = tuple((one.code, one.found) for one in checked)
    reasons = tuple(one.code for one in checked if one.holds is False)
    if reasons:
        return Judgement(chained=False, certainty="certain", reasons=reasons, facts=facts)
    possible = tuple(one.code for one in checked if one.holds is None)
    likely = _likely(job, edge, possible)
    if edge.chained is False:
        return Judgement(chained=False, certainty="one of", possible=possible, likely=likely, facts=facts)
    expected = _expected(job, edge, likely)
    return Judgement(chained=expected, certainty="expected", possible=possible, likely=likely, facts=facts)


def check_exported(job: ObservedJob, position: int) -> tuple[Checked, ...]:
    """How the twelve conditions came out on one edge, in the order of their codes."""
    edge = look_at(job, position)
    answers = [(rule, rule.fails(edge.facts)) for rule in RULES]
    return tuple(
        Checked(code=rule.code, slug=rule.slug, holds=negated(fails), found=rule.exported(edge, fails))
        for rule, fails in answers
    )


@record(slots=False)
class Observation:
    """What Flink told of a job whose plan was made of exports, and how certain each verdict is."""

    job: ObservedJob
    numbers: tuple[int, ...]  # by operator of the job, its stream node
    judgements: tuple[Judgement, ...]  # by edge, in the order of StreamGraph.edges

    @cached_property
    def place_of(self) -> Mapping[int, int]:
        """By stream node, the operator's position in the job."""
        return {number: place for place, number in enumerate(self.numbers)}

    def id_of(self, node: int) -> str:
        """What the export calls an operator: its id in the stream plan, or VERTEX/NUMBER."""
        return str(self.job.operators[self.place_of[node]].id)

    def vertices_of(self, node: int) -> tuple[str, ...]:
        """The ids of the vertices that an operator runs in, or may run in."""
        return tuple(vertex.id for vertex in self.job.vertices_of(self.place_of[node]))

    def source_api(self, head: int) -> SourceKind | None:
        """The API of the source at the head of a chain, as the names of its metrics show it."""
        vertex = self.job.vertex_of(self.place_of[head])
        return vertex.source_kind if vertex and self.job.operators[self.place_of[head]].source else None

    def sources_of(self, position: int) -> tuple[int, ...]:
        """The stream nodes that may feed an edge: one, unless a job plan alone does not tell which."""
        return tuple(self.numbers[one] for one in self.job.edges[position].sources)

    def checked(self, position: int) -> tuple[Checked, ...]:
        """How the twelve conditions came out on one edge. On one that is certainly chained, all of them hold."""
        judgement = self.judgements[position]
        if judgement.chained and judgement.certainty == "certain":
            return tuple(Checked(code=rule.code, slug=rule.slug, holds=True, found="") for rule in RULES)
        return check_exported(self.job, position)

    @property
    def knows_groups(self) -> bool:
        """Whether the slot sharing groups are known. In batch mode every region has its own: they say nothing."""
        job = self.job
        return bool(job.vertices) and all(vertex.group for vertex in job.vertices) and job.batch is False

    @property
    def settled(self) -> bool:
        """Whether all chains, exchanges and numbers are certain."""
        return self.job.deployed and self.job.batch is False and all(one.chained is not None for one in self.judgements)


def _ends_iteration(job: ObservedJob, edge: ObservedEdge) -> bool:
    up = None if edge.source is None else job.operators[edge.source]
    begins = up is not None and up.iteration_end and inputs_of(job, edge) == 1
    return job.operators[edge.target].iteration_end or begins


def _expected(job: ObservedJob, edge: ObservedEdge, likely: tuple[str, ...]) -> bool | None:
    """What a program that sets nothing special gives; None where both are common."""
    if inputs_of(job, edge) > 1:
        return None if takes_sources(job.operators[edge.target]) else False
    return None if _ASYNC in likely else True


def _likely(job: ObservedJob, edge: ObservedEdge, possible: tuple[str, ...]) -> tuple[str, ...]:
    down = job.operators[edge.target]
    found = []
    if _ASYNC in possible and waits_for_answers(down.name) and _old_source_upstream(job, edge):
        found.append(_ASYNC)
    if _INPUTS in possible and not takes_sources(down):
        found.append(_INPUTS)
    return tuple(found)


def _old_source_upstream(job: ObservedJob, edge: ObservedEdge) -> bool:
    """Whether the upstream's chain begins at a source that is, or by its name may well be, of the old API."""
    for one in edge.sources:
        head = job.chain_sources[one]
        if head is None:
            continue
        vertex = job.vertex_of(head)
        kind = vertex.source_kind if vertex else None
        if kind == "legacy" or (kind is None and (job.deployed or _sql_source_of_either_kind(job.operators[head]))):
            return True
    return False


def _sql_source_of_either_kind(operator: ObservedOperator) -> bool:
    """Whether this is a SQL source that may be of the old or the new API: its name does not tell."""
    return sql_kind(operator.description) is not None and operator.name.endswith("]")
