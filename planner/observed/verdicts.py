"""What is certain about every edge, what is one of several things, and what is only expected."""

from __future__ import annotations

from planner.chaining.registry import RULES
from planner.chaining.rules import ch002_multiple_inputs, ch012_yielding_after_legacy_source
from planner.observed.facts import inputs_of, look_at, takes_sources
from planner.observed.job import Certainty, ObservedEdge, ObservedJob, ObservedOperator
from planner.observed.labels import sql_kind, waits_for_answers
from planner.records import record

ITERATION = "iteration"
_INPUTS, _ASYNC = ch002_multiple_inputs.RULE.code, ch012_yielding_after_legacy_source.RULE.code


@record
class Verdict:
    """The answer for one edge."""

    chained: bool | None
    certainty: Certainty
    reasons: tuple[str, ...] = ()  # codes of conditions that fail for certain
    possible: tuple[str, ...] = ()  # codes of which at least one fails; for an expectation: would have to fail
    likely: tuple[str, ...] = ()  # the most likely of them
    facts: tuple[tuple[str, str], ...] = ()  # by code, what was seen


def decide(job: ObservedJob) -> tuple[Verdict, ...]:
    """The verdict on every edge, in the order of the job's edges."""
    return tuple(_verdict(job, position) for position in range(len(job.edges)))


def _verdict(job: ObservedJob, position: int) -> Verdict:
    edge = job.edges[position]
    if edge.chained:
        return Verdict(chained=True, certainty="certain")
    if _ends_iteration(job, edge):
        return Verdict(chained=False, certainty="certain", reasons=(ITERATION,))
    outcomes = check_exported(job, position)
    facts = tuple((outcome.code, outcome.words) for outcome in outcomes)
    reasons = tuple(outcome.code for outcome in outcomes if outcome.fails)
    if reasons:
        return Verdict(chained=False, certainty="certain", reasons=reasons, facts=facts)
    possible = tuple(outcome.code for outcome in outcomes if outcome.fails is None)
    likely = _likely(job, edge, possible)
    if edge.chained is False:
        return Verdict(chained=False, certainty="one of", possible=possible, likely=likely, facts=facts)
    expected = _expected(job, edge, likely)
    return Verdict(chained=expected, certainty="expected", possible=possible, likely=likely, facts=facts)


@record
class Outcome:
    """How one condition came out on one edge; None: nobody can tell."""

    code: str
    slug: str
    fails: bool | None
    words: str


def check_exported(job: ObservedJob, position: int) -> tuple[Outcome, ...]:
    """How the twelve conditions came out on one edge, in the order of their codes."""
    edge = look_at(job, position)
    answers = [(rule, rule.fails(edge.facts)) for rule in RULES]
    return tuple(
        Outcome(code=rule.code, slug=rule.slug, fails=fails, words=rule.exported(edge, fails))
        for rule, fails in answers
    )


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
