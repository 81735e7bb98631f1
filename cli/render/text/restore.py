"""Whether a job restores from a savepoint, for people: Flink's answer, what is lost and why, and the fix."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cli.render.styled import Line, line
from cli.render.text.savepoint import saved_name, savepoint_words, states_words
from cli.render.words import count, memory_words
from planner.graphs.state_lookup import max_parallelism_setting
from planner.operators import node_label
from planner.savepoints.fates import NOT_VISIBLE, Fate, RestoreReport
from planner.savepoints.verdict import Answer, ComplaintKind

__all__ = ["restore_lines"]

_REMEDIES: dict[ComplaintKind, str] = {
    "unmapped-state": "see above",
    "format-version": "restore it with the version of Flink that wrote it, or a later one",
    "max-parallelism": "{setting}, as it was saved, or do not set it",
    "parallelism-above-max": "set its parallelism to at most {max_parallelism}: the saved max parallelism cannot grow",
    "finished-operators": "leave the operators around those that had ended as they were",
    "channel-state": "take a savepoint, which has no records in flight, or keep the chains as they were",
}
_HIDDEN_AFTER = 8  # operators that are fine: more of them say nothing new


def restore_lines(report: RestoreReport) -> list[Line]:
    """The whole report."""
    return [
        *_head(report),
        *_whole(report),
        *_section("not found", "error", report.of("not found"), _not_found),
        *_refused(report.of("refused")),
        *_section("found, and dropped without a message", "error", report.of("dropped", "partly dropped"), _dropped),
        *_section("restored", "good", report.of("restored", "skipped"), _restored),
        *_empty(report),
        *_no_state(report),
        *_fixed(report),
        *_warnings(report),
        *_not_visible(report),
    ]


def _head(report: RestoreReport) -> Iterator[Line]:
    words, style = _summary(report)
    yield line((report.job, "title"), ": ", (words, style))
    yield line(f"  from {report.contents.path}")
    yield line((f"  {savepoint_words(report.contents)}", "dim"))
    yield ()
    yield line("  Flink's answer               ", *_answer(report.verdict.strict, _found(report)))
    yield line("  with allowNonRestoredState   ", *_answer(report.verdict.allowing, _skipped(report)))


def _whole(report: RestoreReport) -> Iterator[Line]:
    """What Flink says of the savepoint itself."""
    for complaint in report.verdict.strict.complaints:
        if complaint.operator is None:
            yield ()
            yield line(("cannot be read", "error"), f": {complaint.message}")
            yield line("  fix: ", (_REMEDIES[complaint.kind], "change"))


def _summary(report: RestoreReport) -> tuple[str, str]:
    if report.restores:
        return "restores", "good"
    lost = count(len(report.of("dropped", "partly dropped")), "operator")
    if report.loses_state:
        return f"starts, and state of {lost} is gone without a message", "error"
    if report.verdict.allowing.outcome == "refused":
        return "is refused, also with allowNonRestoredState", "error"
    return "is refused", "error"


def _answer(answer: Answer, meaning: str) -> tuple[str | tuple[str, str], ...]:
    if answer.outcome == "started":
        return ("started", "good"), f"  {meaning}"
    return ("refused", "error"), f"  {count(len(answer.complaints), 'complaint')}"


def _found(report: RestoreReport) -> str:
    if not report.of("restored", "dropped", "partly dropped", "skipped"):
        return "there is no state to restore"
    dropped = report.of("dropped", "partly dropped")
    return f"state of {count(len(dropped), 'operator')} is dropped" if dropped else "all visible state is found"


def _skipped(report: RestoreReport) -> str:
    lost = len(report.of("not found"))
    return f"state of {count(lost, 'operator')} is left behind" if lost else "as without it"


def _section(
    title: str, style: str, fates: tuple[Fate, ...], render: Callable[[Fate], Iterator[Line]]
) -> Iterator[Line]:
    if not fates:
        return
    yield ()
    yield line((title, style))
    for fate in fates[: _HIDDEN_AFTER if style == "good" else None]:
        yield from render(fate)
    if style == "good" and len(fates) > _HIDDEN_AFTER:
        yield line((f"  and {len(fates) - _HIDDEN_AFTER} more", "dim"))


def _saved(fate: Fate) -> Iterator[Line]:
    saved = fate.saved
    same = fate.node is not None and (saved.name is None or saved.name == fate.node.name)
    name = node_label(fate.node) if fate.node is not None and same else saved_name(saved)
    if fate.node is not None and not same:
        name = f"{name}, now {node_label(fate.node)}"
    where = f"  {fate.node.operator.location}" if fate.node else ""
    yield line("  ", (name, "operator"), (where, "place"))
    held = f"{memory_words(saved.size)}: {states_words(fate.contents)}" if saved.has_state else "without state"
    yield line((f"    {saved.id}, {held}", "dim"))


def _not_found(fate: Fate) -> Iterator[Line]:
    yield from _saved(fate)
    yield line(f"    {fate.certainty}: {fate.reason}")
    if fate.fix is None:
        yield line("    no setting brings it back: undo the change, or leave the state with allowNonRestoredState")
        return
    for number, text in enumerate(fate.fix.written):
        yield line("    fix: " if number == 0 else "    or:  ", (text, "change"))


def _refused(fates: tuple[Fate, ...]) -> Iterator[Line]:
    """What does not fit, once for all operators of which the same is said."""
    groups: dict[tuple[ComplaintKind, str, int], list[Fate]] = {}
    for fate in fates:
        for complaint in fate.complaints:
            groups.setdefault((complaint.kind, complaint.message, fate.saved.max_parallelism), []).append(fate)
    if groups:
        yield ()
        yield line(("does not fit", "error"))
    for (kind, message, maximum), members in groups.items():
        for fate in members:
            yield from _saved(fate)
        yield line(f"    {message}" if len(members) == 1 else f"    each of them: {message}")
        yield line("    fix: ", (_remedy(kind, maximum, members[0]), "change"))


def _remedy(kind: ComplaintKind, maximum: int, fate: Fate) -> str:
    file = fate.node.operator.location.file if fate.node is not None else ""
    return _REMEDIES[kind].format(max_parallelism=maximum, setting=max_parallelism_setting(file, maximum))


def _dropped(fate: Fate) -> Iterator[Line]:
    yield from _saved(fate)
    for name, reason in fate.dropped:
        yield line(f"    dropped: {name}, because {reason}")
    yield line("    fix: ", ("keep names, kinds and chains as they were, or accept the loss", "change"))
    yield from _remarks(fate)


def _restored(fate: Fate) -> Iterator[Line]:
    if fate.node is None:
        yield from _saved(fate)
        yield line("    left behind: its operator takes other state by its uid hash")
        return
    yield from _saved(fate)
    yield from _remarks(fate)


def _remarks(fate: Fate) -> Iterator[Line]:
    for warning in fate.warnings:
        yield line("    ", (warning, "warning"))
    for note in fate.notes:
        yield line(f"    {note}")


def _empty(report: RestoreReport) -> Iterator[Line]:
    if report.starts_empty:
        yield ()
        yield line(("new, and starts empty", "warning"))
        for node in report.starts_empty:
            yield line("  ", (node_label(node), "operator"), (f"  {node.operator.location}", "place"))


def _no_state(report: RestoreReport) -> Iterator[Line]:
    without = report.of("no state")
    if without:
        yield ()
        yield line((f"{count(len(without), 'saved operator')} without state: nothing to restore", "dim"))


def _fixed(report: RestoreReport) -> Iterator[Line]:
    if report.with_fixes is None:
        return
    left = len(report.with_fixes.strict.complaints)
    yield ()
    if left:
        yield line(("with these fixes", "title"), f": still refused, {count(left, 'complaint')} left")
        return
    yield line(("with these fixes", "title"), ": restores")
    yield line("  an operator with a uid needs its uid_hash only until the next savepoint")


def _warnings(report: RestoreReport) -> Iterator[Line]:
    if report.warnings:
        yield ()
        for warning in report.warnings:
            yield line(("warning", "warning"), f": {warning}")


def _not_visible(report: RestoreReport) -> Iterator[Line]:
    yield ()
    yield line(("not visible in a savepoint", "dim"))
    for text in NOT_VISIBLE:
        yield line((f"  {text}", "dim"))
