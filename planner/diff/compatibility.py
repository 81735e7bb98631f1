"""Whether state that is found again under its id still fits the operator that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from planner.diff.comparison import OperatorPair
from planner.kinds import AGGREGATES
from planner.records import record
from planner.snapshots.declared import PART

_ONE_VALUE: Final = AGGREGATES | {"reduce"}


@record
class Incompatibility:
    """One reason why saved state does not fit."""

    what: str
    text: str
    before: str
    after: str
    advice: str | None = None  # what keeps the state


def incompatibilities(pair: OperatorPair) -> Iterator[Incompatibility]:
    """All reasons why the state of the old operator does not fit the new one."""
    yield from _kind(pair)
    yield from _key(pair)
    yield from _key_groups(pair)


def comparable_kinds(before: str, after: str) -> bool:
    """Whether Flink restores the state of one kind of operator into the other: it keeps one value per key in both."""
    return before != after and {before, after} <= _ONE_VALUE


def _kind(pair: OperatorPair) -> Iterator[Incompatibility]:
    parted = any(PART.match(name) for side in (pair.old, pair.new) for name in side.declared or {})
    if comparable_kinds(pair.old.kind, pair.new.kind) or (parted and {pair.old.state, pair.new.state} == {"none"}):
        return  # of operators that PyFlink merged, each part is told
    if pair.old.kind != pair.new.kind:
        yield _reason("kind", f"it was a {pair.old.kind} and is a {pair.new.kind}", pair.old.kind, pair.new.kind)
    elif (pair.old.state == "keyed") != (pair.new.state == "keyed"):
        before, after = ("keyed" if side.state == "keyed" else "not keyed" for side in (pair.old, pair.new))
        yield _reason("key", f"it was {before} and is {after}", before, after)


def _key(pair: OperatorPair) -> Iterator[Incompatibility]:
    before, after = pair.old.keyed_by, pair.new.keyed_by
    if before and after and before != after:
        yield _reason("key", f"it was keyed by {before} and is keyed by {after}", before, after)


def _key_groups(pair: OperatorPair) -> Iterator[Incompatibility]:
    """Flink's own rule: a configured max parallelism must be that of the state, and parallelism must not exceed it."""
    written, wanted = pair.old.effective_max_parallelism, pair.new.max_parallelism
    if wanted > 0 and wanted != written:
        unset = " (Flink's default)" if pair.old.max_parallelism <= 0 else ""
        yield _reason(
            "max parallelism",
            f"max parallelism was {written}{unset} and is {wanted}",
            str(written),
            str(wanted),
            f"set the max parallelism to {written}: state keeps the one that it was written with",
        )
    elif pair.new.parallelism > written >= pair.old.parallelism:
        yield _reason(
            "parallelism",
            f"parallelism {pair.new.parallelism} is more than the max parallelism {written} that its state was "
            "written with",
            str(pair.old.parallelism),
            str(pair.new.parallelism),
            f"set the parallelism to {written} or less",
        )


def _reason(what: str, text: str, before: str, after: str, advice: str | None = None) -> Incompatibility:
    return Incompatibility(what=what, text=text, before=before, after=after, advice=advice)
