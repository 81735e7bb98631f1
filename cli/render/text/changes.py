"""A diff of plans for people: the gravest changes first, what is the same on many operators once."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.styled import Line, indented, line, table
from cli.render.words import count
from planner.diff.changes import LEVELS, Level
from planner.diff.folding import FoldedChange
from planner.diff.upgrade import Upgrade
from planner.review.report import VERDICTS, JobReview, Verdict

__all__ = ["MEANINGS", "meaning", "review_lines", "reviews_summary", "totals", "upgrade_lines"]

_STYLES: dict[Level, str] = {
    "state-breaking": "error",
    "result": "warning",
    "performance": "warning",
    "safe": "good",
}
MEANINGS: dict[Level, str] = {
    "state-breaking": "a job restored from the old version would not start, or would lose or misread state",
    "result": "the job computes something else; its state is kept",
    "performance": "the same result at another cost",
    "safe": "neither the result, nor the cost, nor the state changes",
}
# The same where the old side is a plan and the new side the job that runs: the plan would get its state.
_DRIFT_MEANINGS: dict[Level, str] = {
    **MEANINGS,
    "state-breaking": "the plan, started with the running job's state, might not start, or lose or misread state",
    "result": "what runs is not what the plan computes",
}
_NAMED = 6  # operators that are named after a change that they share


def review_lines(review: JobReview) -> list[Line]:
    """One job: its changes under the heading of their level, with what to do, then the figures."""
    lines: list[Line] = [line((title(review), "title"), f": {summary(review)}")]
    if review.failure is not None:
        return [*lines, *_failure(review)]
    if review.drift is not None:
        lines.append(line((f"  compared are {', '.join(review.drift.compared)}", "dim")))
    for level in LEVELS:
        found = [cause for cause in review.causes if cause.level == level]
        if found:
            lines += [(), line((level, _STYLES[level]), (f"  {meaning(review, level)}", "dim"))]
            lines += [spans for cause in found for spans in _cause(review, cause)]
    figures = [f"{name} {shown(before, after)}" for name, before, after in totals(review)]
    return [*lines, (), line(("totals  ", "dim"), ", ".join(figures))] if figures and review.changes else lines


def meaning(review: JobReview, level: Level) -> str:
    """What a level means."""
    return (MEANINGS if review.drift is None else _DRIFT_MEANINGS)[level]


def title(review: JobReview) -> str:
    """What a job is called where several files are compared: with its file."""
    return review.name if review.file is None else f"{review.file}: {review.name}"


def summary(review: JobReview) -> str:
    """How many changes of each level; the other verdicts as they are."""
    counts = [(sum(cause.level == level for cause in review.causes), level) for level in LEVELS]
    if review.drift is not None and not review.changes:
        return "no drift"
    return ", ".join(f"{number} {level}" for number, level in counts if number) or review.verdict


def reviews_summary(reviews: Sequence[JobReview], base: str) -> str:
    """All jobs in one sentence."""
    if not reviews:
        return f"no job changed since {base}"
    counts: dict[Verdict, int] = {}
    for review in reviews:
        counts[review.verdict] = counts.get(review.verdict, 0) + 1
    parts = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if verdict in counts]
    return f"{count(len(reviews), 'job')} compared with {base}: {', '.join(parts)}"


def totals(review: JobReview) -> list[tuple[str, int | None, int | None]]:
    """What the job needs, before and after; empty where a version is not known."""
    if review.before is None or review.after is None:
        return []
    old, new = review.before.summary, review.after.summary
    return [
        ("tasks", old.tasks, new.tasks),
        ("slots", old.slots, new.slots),
        ("channels", old.channels, new.channels),
        ("network buffers", old.buffers_wanted, new.buffers_wanted),
    ]


def shown(before: int | None, after: int | None) -> str:
    """A figure before and after; batch mode decides some at run time."""
    old, new = ("?" if value is None else str(value) for value in (before, after))
    return old if old == new else f"{old} -> {new}"


def _cause(review: JobReview, cause: FoldedChange) -> list[Line]:
    lines = [line("  ", cause.message)]
    if len(cause.subjects) > 1:
        more = len(cause.subjects) - _NAMED
        named = ", ".join(cause.subjects[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        lines.append(line(("    " + named, "dim")))
    elif cause.kind == "operator-id":
        change = cause.changes[0]
        lines.append(line((f"    {change.before} -> {change.after}", "dim")))
    for fix in review.fixes(cause):
        first, *rest = fix.text.splitlines()
        lines.append(line("    fix: ", (first, "change"), (f"  {fix.place}", "place")))
        lines += [line("      ", text) for text in rest]
    return lines


def _failure(review: JobReview) -> list[Line]:
    failure = review.failure
    assert failure is not None
    side = "the old version" if failure.side == "old" else "this version"
    place = f"{failure.place}: " if failure.place else ""
    hints = [line(text) for text in (failure.hint or "").splitlines()]
    return indented([line(f"{side}: {place}{failure.message}"), *indented(hints)])


def upgrade_lines(upgrade: Upgrade) -> list[Line]:
    """What the step from one version of Flink to another does."""
    rows = [
        ("topology:", upgrade.topology),
        ("operator ids:", upgrade.ids),
        ("state:", upgrade.state),
        *(("also:", note) for note in upgrade.notes),
        *(("not seen:" if not number else "", text) for number, text in enumerate(upgrade.unseen)),
    ]
    return [line((f"Flink {upgrade.old} -> {upgrade.new}", "title")), *indented(table(rows))]
