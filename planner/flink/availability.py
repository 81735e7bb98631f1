"""Options and calls that a version of Flink does not have: refused, with the versions that have them."""

from __future__ import annotations

from typing import NoReturn

from planner.errors import PlanningError
from planner.flink.profile import FlinkProfile
from planner.flink.versions import NEWEST, VERSIONS, is_before
from planner.job import JobDefinition, Location
from planner.records import record

__all__ = ["CALLS", "LOAD_BALANCE", "Span", "refuse_what_is_missing", "words"]

LOAD_BALANCE = "taskmanager.load-balance.mode"


@record
class Span:
    """The versions that have something, both ends included, and what to use where they do not."""

    since: str = VERSIONS[0]
    until: str = NEWEST
    instead: str | None = None

    def holds(self, version: str) -> bool:
        """Whether a version has it."""
        return not is_before(version, self.since) and not is_before(self.until, version)


# Calls of the DataStream API that only some versions of Flink have.
CALLS = {
    "from_data": Span(since="1.19", instead="from_collection"),
    "iterate": Span(until="1.20"),
    "full_window_partition": Span(since="1.20"),
    "enable_async_state": Span(since="2.0"),
}


def refuse_what_is_missing(job: JobDefinition, flink: FlinkProfile) -> None:
    """Refuse a job that sets an option or makes a call which this version of Flink does not have."""
    if job.options:
        from planner.flink.option_spans import option_span  # most jobs set none

        for key in job.options:
            _check(option_span(key), f"option `{key}`", job.location, flink)
        _check_load_balance(job, flink)
    for name, place in job.calls:
        _check(CALLS.get(name), f"{name}()", place, flink)


def words(span: Span) -> str:
    """The versions of a span: "only Flink up to 1.20 has it"."""
    if span.since == span.until:
        return f"only Flink {span.since} has it"
    if span.until == NEWEST:
        return f"Flink has it since {span.since}"
    if span.since == VERSIONS[0]:
        return f"only Flink up to {span.until} has it"
    return f"only Flink {span.since} to {span.until} has it"


def _check(span: Span | None, what: str, place: Location, flink: FlinkProfile) -> None:
    if span is not None and not span.holds(flink.version):
        _refuse(span, what, place, flink)


def _check_load_balance(job: JobDefinition, flink: FlinkProfile) -> None:
    """The modes that came later than the option itself."""
    written = str(job.options.get(LOAD_BALANCE, "none"))
    if written.lower().replace("_", "-") in flink.load_balance_modes:
        return
    raise PlanningError(
        f"Flink {flink.version} does not know `{LOAD_BALANCE}: {written}`",
        location=job.location,
        hint=f"it knows {', '.join(mode.upper().replace('-', '_') for mode in flink.load_balance_modes)}",
    )


def _refuse(span: Span, what: str, place: Location, flink: FlinkProfile) -> NoReturn:
    known = span.since if is_before(flink.version, span.since) else span.until
    change = f"use `{span.instead}`" if span.instead else "remove it"
    raise PlanningError(
        f"Flink {flink.version} has no {what}: {words(span)}",
        location=place,
        hint=f"{change}, or plan for a version that has it: --flink {known}",
    )
