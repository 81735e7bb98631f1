"""`plan diff` as Markdown: one table over all jobs, then each job with its changes, figures and graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cli.render.markdown.document import Section, code, details, document, table, text, with_names
from cli.render.markdown.graph import job_diagram
from cli.render.pictures.marks import diff_marks
from cli.render.text.changes import meaning, shown, summary, totals
from cli.render.words import count
from planner.diff.changes import LEVELS
from planner.diff.folding import FoldedChange
from planner.review.report import VERDICTS, JobReview, Verdict

__all__ = ["reviews_markdown"]

_SIGNS: dict[Verdict, str] = {
    "cannot be planned": "❌",
    "state-breaking": "🔴",
    "result": "🟠",
    "performance": "🟡",
    "safe": "🟢",
    "no changes": "⚪",
}
_NAMED = 8  # operators that are named after a change that they share
_MOST_CAUSES = 30  # of one job and level


def reviews_markdown(reviews: Sequence[JobReview], base: str) -> str:
    """The whole report."""
    if not reviews:
        return document([Section(f"### plan: no job changed\n\nCompared with {code(_shown_base(base))}.")])
    ordered = sorted(reviews, key=lambda review: VERDICTS.index(review.verdict))
    return document([_overview(ordered, base), *(_job(review, len(reviews) == 1) for review in ordered)])


def _overview(reviews: Sequence[JobReview], base: str) -> Section:
    gravest = reviews[0].verdict
    level = next((one for one in LEVELS if one == gravest), None)
    means = meaning(reviews[0], level) if level else ""
    rows = [
        (
            f"{_SIGNS[review.verdict]} {review.verdict}",
            _name(review),
            *(text(shown(before, after)) for _, before, after in totals(review)),
        )
        for review in reviews
    ]
    rows = [(*row, *[""] * (6 - len(row))) for row in rows]
    head = ("verdict", "job", "tasks", "slots", "channels", "network buffers")
    sentence = f"**{count(len(reviews), 'job')}** compared with {code(_shown_base(base))}" + (
        f". {gravest.capitalize()}: {means}." if means else "."
    )
    title = f"### plan: {_SIGNS[gravest]} {gravest}"
    return Section("\n\n".join([title, sentence, table(head, rows, right=range(2, 6))]))


def _shown_base(base: str) -> str:
    return base.removeprefix("git:")


def _name(review: JobReview) -> str:
    if review.file is None or review.failure is not None:
        return code(review.file or review.name)
    return f"{code(review.name)} in {code(review.file)}"


def _job(review: JobReview, alone: bool) -> Section:
    heading = f"#### {_SIGNS[review.verdict]} {code(review.name)}"
    if review.failure is not None:
        return Section(f"{heading}\n\n{_failure(review)}", title=code(review.name))
    compared = f"Compared are {', '.join(review.drift.compared)}." if review.drift else ""
    if not review.changes:
        return Section("\n\n".join((f"{heading}: {summary(review)}", compared)).strip() if alone else "")
    parts = [heading, compared, *(_level(review, level) for level in LEVELS[:3])]
    safe = _level(review, "safe")
    folded = [details("safe changes", safe)] if safe else []
    graph = _graph(review)
    rest = [*folded, details("the job graph", graph, open_it=alone)] if graph else folded
    return Section("\n\n".join(part for part in parts if part), "\n\n".join(rest), code(review.name))


def _level(review: JobReview, level: str) -> str:
    causes = [cause for cause in review.causes if cause.level == level]
    if not causes:
        return ""
    lines = [line for cause in causes[:_MOST_CAUSES] for line in _cause(review, cause)]
    more = len(causes) - _MOST_CAUSES
    return "\n".join([f"**{level}**", "", *lines, *([f"- and {more} more"] if more > 0 else [])])


def _cause(review: JobReview, cause: FoldedChange) -> Iterable[str]:
    yield f"- {with_names(cause.message, _parts_of(cause.subjects) if len(cause.subjects) == 1 else ())}"
    if len(cause.subjects) > 1:
        more = len(cause.subjects) - _NAMED
        named = ", ".join(code(name) for name in cause.subjects[:_NAMED])
        yield f"  <br>{named}{f' and {more} more' if more > 0 else ''}"
    for fix in review.fixes(cause):
        yield f"  - fix at {code(fix.place)}: {text(' '.join(fix.text.split()))}"


def _parts_of(subjects: Sequence[str]) -> list[str]:
    """The names in a subject: an edge is named by both of its ends."""
    return [name for subject in subjects for name in (subject, *subject.split(" -> "))]


def _graph(review: JobReview) -> str:
    if review.drift is not None and review.plan is not None and review.after is not None:
        return job_diagram(review.plan, review.after)
    if review.plan is None or review.after is None or review.comparison is None:
        return ""
    return job_diagram(review.plan, review.after, diff_marks(review.plan, review.comparison))


def _failure(review: JobReview) -> str:
    failure = review.failure
    assert failure is not None
    side = "The old version" if failure.side == "old" else "This version"
    place = f" at {code(failure.place)}" if failure.place else ""
    hint = " ".join((failure.hint or "").split())
    return f"{side} cannot be planned{place}: {text(failure.message)}" + (f"\n\n> {text(hint)}" if hint else "")
