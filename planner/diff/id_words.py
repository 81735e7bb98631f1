"""The cause of a changed operator id in words."""

from __future__ import annotations

from planner.diff.comparison import Comparison, OperatorPair
from planner.diff.id_causes import IdCause

_SHOWN = 3


def cause_in_words(comparison: Comparison, pair: OperatorPair, cause: IdCause | None) -> str:
    """One or two sentences: what changed the id, and whether the operator itself was touched."""
    if cause is None:
        return "Its uid hash points at another operator's state."
    if cause.kind == "uid":
        return _uid(comparison.by_new[cause.at], own=cause.at == pair.new_at, named=pair.old.state != "none")
    sentence = _sentence(comparison, cause, upstream=cause.at != pair.new_at)
    return f"{sentence}{_untouched(pair, cause)}"


def _uid(pair: OperatorPair, *, own: bool, named: bool) -> str:
    """A uid that came, went or changed; it is not named where many operators without state are told in one line."""
    old, new = (f" {uid!r}" if named and uid is not None else "" for uid in (pair.old.uid, pair.new.uid))
    if not own:
        what = (
            f"got the uid{new}" if pair.old.uid is None
            else f"lost its uid{old}" if pair.new.uid is None
            else f"has the uid{new} now, not{old}" if named else "has another uid"
        )  # fmt: skip
        return f"Upstream, {pair.new.name} {what}, and generated ids hash everything upstream."
    if pair.old.uid is None:
        return f"Its uid{new} is new: until now the id was generated."
    if pair.new.uid is None:
        return f"Its uid{old} was removed: the id is generated now."
    return f"Its uid changed from{old} to{new}." if named else "Its uid changed."


def _sentence(comparison: Comparison, cause: IdCause, *, upstream: bool) -> str:
    names = ", ".join(dict.fromkeys(cause.operators))
    one = len({*cause.operators}) == 1
    place = "downstream" if cause.downstream and not upstream else "upstream"
    reason = "count chained outputs" if cause.downstream else "hash everything upstream"
    match cause.kind:
        case "chain":
            verb = "chains now" if cause.formed else "no longer chains"
            where = " upstream" if upstream else ""
            return f"{_edge(comparison, cause, names)}{where} {verb}, and generated ids count chained outputs."
        case "added" | "lost" if cause.merging:
            how = "no longer merged with" if cause.kind == "added" else "merged with"
            now = "" if cause.kind == "added" else " now"
            neighbours = f"{'its' if one else 'their'} neighbours"
            return f"{names} {'is' if one else 'are'} {how} {neighbours}{now}, and generated ids {reason}."
        case "added" | "lost":
            what = "added" if cause.kind == "added" else "removed"
            return f"{names} {'was' if one else 'were'} {what} {place}, and generated ids {reason}."
        case "inputs":
            return f"The inputs{' of an operator upstream' if upstream else ''} changed, and generated ids hash them."
        case _:
            return _numbering(comparison)


def _numbering(comparison: Comparison) -> str:
    """What changed Flink's numbering: only what really changed is named."""
    renamed = [pair.new.label for pair in comparison.operators if pair.old.uid != pair.new.uid]
    names = f"{', '.join(renamed[:_SHOWN])}{f' and {len(renamed) - _SHOWN} more' if len(renamed) > _SHOWN else ''}"
    count = "generated ids count the operators that Flink numbers before"
    if renamed and not comparison.added and not comparison.lost:
        return f"The uid of {names} changed; Flink numbers operators with a uid earlier, and {count}."
    moved = {
        "added": {*comparison.added} - comparison.split,
        "removed": {*comparison.lost} - comparison.joined,
        "merged otherwise": comparison.split | comparison.joined,
    }
    changed = [word for word, operators in moved.items() if operators]
    return f"Operators were {' and '.join(changed) or 'reordered'} elsewhere, and {count}."


def _edge(comparison: Comparison, cause: IdCause, names: str) -> str:
    if cause.edge is None:
        return f"{comparison.new.operators[cause.at].name} -> {names}"
    edge = comparison.new.edges[cause.edge]
    return f"{comparison.new.operators[edge.source].name} -> {comparison.new.operators[edge.target].name}"


def _untouched(pair: OperatorPair, cause: IdCause) -> str:
    old, new = pair.old, pair.new
    same = (old.kind, old.name, old.parallelism, old.uid, old.group, old.keyed_by) == (
        new.kind, new.name, new.parallelism, new.uid, new.group, new.keyed_by,
    )  # fmt: skip
    return " The operator itself was not changed." if same and cause.at != pair.new_at else ""
