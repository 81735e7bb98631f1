"""What is certain about every edge, what is one of several things, and what is only expected."""

from __future__ import annotations

from dataclasses import dataclass

from planner.observed.conditions import CONDITIONS, Look, sql_source_of_either_kind
from planner.observed.job import Certainty, ObservedJob
from planner.observed.labels import called_multiple_input, waits_for_answers

ITERATION = "iteration"


@dataclass(frozen=True, slots=True, kw_only=True)
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
    return tuple(_verdict(Look(job=job, position=position)) for position in range(len(job.edges)))


def _verdict(look: Look) -> Verdict:
    if look.edge.chained:
        return Verdict(chained=True, certainty="certain")
    if look.down.iteration_end or (look.up is not None and look.up.iteration_end and look.inputs == 1):
        return Verdict(chained=False, certainty="certain", reasons=(ITERATION,))
    outcomes = {code: check(look) for code, check in CONDITIONS.items()}
    facts = tuple((code, outcome.words) for code, outcome in outcomes.items())
    reasons = tuple(code for code, outcome in outcomes.items() if outcome.state == "fails")
    if reasons:
        return Verdict(chained=False, certainty="certain", reasons=reasons, facts=facts)
    possible = tuple(code for code, outcome in outcomes.items() if outcome.state == "unknown")
    likely = _likely(look, possible)
    if look.edge.chained is False:
        return Verdict(chained=False, certainty="one of", possible=possible, likely=likely, facts=facts)
    return Verdict(chained=_expected(look, likely), certainty="expected", possible=possible, likely=likely, facts=facts)


def _expected(look: Look, likely: tuple[str, ...]) -> bool | None:
    """What a program that sets nothing special gives; None where both are common."""
    if look.inputs > 1:
        return None if called_multiple_input(look.down.name, look.down.description) else False
    return None if "CH012" in likely else True


def _likely(look: Look, possible: tuple[str, ...]) -> tuple[str, ...]:
    found = []
    if "CH012" in possible and waits_for_answers(look.down.name) and _old_source_in_front(look):
        found.append("CH012")
    if "CH002" in possible and not called_multiple_input(look.down.name, look.down.description):
        found.append("CH002")
    return tuple(found)


def _old_source_in_front(look: Look) -> bool:
    """Whether the chain in front begins at a source that is, or by its name may well be, of the old API."""
    for one in look.edge.sources:
        head = look.job.chain_sources[one]
        if head is None:
            continue
        vertex = look.job.vertex_of(head)
        kind = vertex.source_kind if vertex else None
        if kind == "legacy" or (
            kind is None and (look.job.deployed or sql_source_of_either_kind(look.job.operators[head]))
        ):
            return True
    return False
