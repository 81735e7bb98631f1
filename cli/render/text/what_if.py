"""What a change would do, as text."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.styled import Line, Span, indented, line, table
from cli.render.text.explanation import edge_explained
from cli.render.words import count
from planner.explanation.what_if import ChangedId, WhatIf
from planner.graphs.state import describe_state
from planner.graphs.state_lookup import written_setting

__all__ = ["KEEP_FIRST", "KEEP_THEN", "id_words", "keeping_settings", "lost_state", "what_if_lines"]


def what_if_lines(difference: WhatIf, *, spec: str) -> list[Line]:
    """Chains made and broken, figures, and state that would be lost."""
    lines = [line((difference.after.name, "title"), " with ", (", ".join(difference.settings), "change")), ()]
    if difference.nothing:
        return [*lines, line("nothing changes: the same chains, the same exchanges, the same operator ids")]
    parts = [
        _operators(difference),
        _made(difference),
        _broken(difference),
        _exchanges(difference),
        _figures(difference),
        _state(difference),
    ]
    return lines + [spans for part in parts if part for spans in [*part, ()]][:-1]


def _operators(difference: WhatIf) -> list[Line]:
    lines = [line(("New operator", "title"), f": {ref.label}") for ref in difference.new_operators]
    return lines + [line(("Operator lost", "bad"), f": {ref.label}") for ref in difference.lost_operators]


def _made(difference: WhatIf) -> list[Line]:
    if not difference.newly_chained:
        return []
    lines = [line(("Newly chained", "good"))]
    for edge in difference.newly_chained:
        lines.append(line(f"  {edge.source.label} -> {edge.target.label}"))
    return lines


def _broken(difference: WhatIf) -> list[Line]:
    lines: list[Line] = []
    for title, edges in (
        ("No longer chained", difference.newly_broken),
        ("Still not chained, for other reasons", difference.still_broken),
    ):
        if edges:
            lines.append(line((title, "broken")))
            for edge in edges:
                lines += indented(edge_explained(edge, None))
    return lines


def _exchanges(difference: WhatIf) -> list[Line]:
    if not difference.new_partitioners:
        return []
    lines = [line(("Exchanges that change", "title"))]
    for old, new in difference.new_partitioners:
        ends = f"  {new.source.label} -> {new.target.label}: "
        lines.append(line(ends, (old.partitioner, "code"), " -> ", (new.partitioner, "code")))
    return lines


FIGURE_NAMES = {"buffers_to_start": "network buffers to start", "buffers_wanted": "network buffers to run well"}


def _figures(difference: WhatIf) -> list[Line]:
    rows: list[Sequence[str | Span]] = []
    for name, before, after in difference.figures:
        if before != after:
            shown = ["?" if value is None else str(value) for value in (before, after)]
            step = f"{after - before:+}" if before is not None and after is not None else ""
            rows.append((FIGURE_NAMES.get(name, name), shown[0], "->", shown[1], (step, "dim")))
    if not rows:
        return [line(("Figures", "title"), ": as before")]
    return [line(("Figures", "title")), *indented(table(rows, right=(1, 3)))]


def _state(difference: WhatIf) -> list[Line]:
    changed = difference.changed_ids
    if not changed:
        return [line(("State", "title"), ": every operator keeps its id, so a savepoint still fits")]
    lost = lost_state(changed)
    lines = [line(("State", "bad" if lost else "title"), f": {id_words(changed)}")]
    rows: list[Sequence[str | Span]] = [
        (
            item.after.label,
            (describe_state(item.after.state), "bad" if item in lost else ""),
            item.before.operator_id,
            "->",
            item.after.operator_id,
            ("found by its uid_hash", "good") if item.state_found else "",
        )
        for item in changed
    ]
    return [*lines, *indented(table(rows)), *indented(_to_keep_it(lost))]


def lost_state(changed: Sequence[ChangedId]) -> list[ChangedId]:
    """The operators whose state a savepoint holds under an id that nobody looks for any more."""
    return [item for item in changed if item.after.state != "none" and not item.state_found]


def id_words(changed: Sequence[ChangedId]) -> str:
    """How many operator ids would change, and what that means for state."""
    ids, lost = count(len(changed), "operator id"), lost_state(changed)
    if lost:
        which = "an operator that may keep state" if len(lost) == 1 else f"{len(lost)} operators that may keep state"
        return f"{ids} would change, and {which} would not find what a savepoint holds under the old id"
    if any(item.state_found for item in changed):
        return f"{ids} would change, and all state is found: a savepoint still fits"
    return f"{ids} would change, none of an operator that keeps state"


KEEP_FIRST = "to keep the state, set in the same change:"
KEEP_THEN = "deploy that from a savepoint, take a new savepoint, then remove uid_hash: the state is under the uid now"


def keeping_settings(lost: Sequence[ChangedId]) -> list[tuple[str, str]]:
    """By operator, what keeps its state through this change: the old id as uid hash, until the next savepoint."""
    found = []
    for item in lost:
        named = {} if item.after.uid is not None else {"uid": item.after.key}
        setting = written_setting(item.after.location.file, **named, uid_hash=item.before.operator_id)
        if item.after.takes_uid_hash:
            found.append((item.after.label, setting))
    return found


def _to_keep_it(lost: Sequence[ChangedId]) -> list[Line]:
    rows: list[Sequence[str | Span]] = [
        (f"  {label}", (setting, "change")) for label, setting in keeping_settings(lost)
    ]
    return [line(KEEP_FIRST), *table(rows), line(KEEP_THEN)] if rows else []
