"""The words for why an id changed name the change that was made."""

from __future__ import annotations

import pytest
import yaml

from planner.diff.changes import find_changes
from planner.diff.comparison import compare
from planner.diff.folding import fold_changes
from planner.diff.id_causes import find_id_causes
from planner.diff.id_words import cause_in_words
from planner.frontends.yaml.loader import load_job_data
from planner.pipeline import plan
from planner.snapshots.snapshot import Snapshot, take_snapshot

JOB = """
operators:
  - {id: orders, type: source, name: orders}
  - {id: parse, type: map, name: parse, input: orders}
  - {id: valid, type: filter, name: valid, input: parse}
  - {id: totals, type: sum, name: totals, input: valid, key_by: user}
  - {id: format, type: map, name: format, input: totals}
  - {id: out, type: print, name: out, input: format}
"""
UNTOUCHED = " The operator itself was not changed."


def snapshot_of(text: str) -> Snapshot:
    return take_snapshot(plan(load_job_data(yaml.safe_load(text)), until="execution"))


def words(before: str, after: str, operator: str) -> str:
    compared = compare(snapshot_of(before), snapshot_of(after))
    (pair,) = [pair for pair in compared.operators if pair.new.name == operator]
    assert pair.old.id != pair.new.id
    return cause_in_words(compared, pair, find_id_causes(compared).get(pair.new_at))


CASES = {
    "a chain broken upstream": (
        "name: parse, input", "name: parse, chaining: start_new, input", "totals",
        "Source: orders -> parse upstream no longer chains, and generated ids count chained outputs." + UNTOUCHED,
    ),
    "its own output": (
        "name: format, input", "name: format, chaining: start_new, input", "totals",
        "totals -> format no longer chains, and generated ids count chained outputs.",
    ),
    "an operator put in front": (
        "name: totals, input: valid,", "name: totals, input: {from: new},", "totals", "new was added upstream",
    ),
    "an operator added upstream": (
        "name: valid, input: parse", "name: valid, input: {from: new}", "totals", "new was added upstream",
    ),
    "a uid added": ("key_by: user", "key_by: user, uid: sums", "totals", "Its uid 'sums' is new: until now"),
    "a uid upstream": (
        "name: orders}", "name: orders, uid: s}", "totals",
        "Upstream, Source: orders got the uid 's', and generated ids hash everything upstream",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CASES)
def test_the_cause_is_named(what: str) -> None:
    before, after, operator, said = CASES[what]
    assert before in JOB
    changed = JOB.replace(before, after)
    if "{from: new}" in changed:
        reads = "valid" if operator == "totals" and "front" in what else "parse"
        changed = changed.replace(
            "  - {id: totals", f"  - {{id: new, type: map, name: new, input: {reads}}}\n  - {{id: totals"
        )
    assert words(JOB, changed, operator).startswith(said)


def test_a_removed_uid_and_a_formed_chain_are_named() -> None:
    assert "was removed: the id is generated now" in words(
        JOB.replace("key_by: user", "key_by: user, uid: sums"), JOB, "totals"
    )
    broken = JOB.replace("name: parse, input", "name: parse, chaining: start_new, input")
    assert "upstream chains now" in words(broken, JOB, "totals")


def test_a_removed_operator_is_named() -> None:
    without = JOB.replace("  - {id: valid, type: filter, name: valid, input: parse}\n", "").replace("valid", "parse")
    assert words(JOB, without, "totals").startswith("valid was removed upstream, and generated ids hash everything")
    ended = JOB.replace("  - {id: out, type: print, name: out, input: format}\n", "")
    assert words(JOB, ended, "format").startswith("Sink: out was removed downstream, and generated ids count chained")


def test_numbering_alone_is_said_to_be_that() -> None:
    """A second pipeline in front of the first: nothing upstream of `totals` changed, only how many come before it."""
    more = "\noperators:\n  - {id: s, type: source, name: s}\n  - {id: p, type: print, name: p, input: s}"
    assert words(JOB, JOB.replace("\noperators:", more, 1), "totals").startswith(
        "Operators were added elsewhere, and generated ids count"
    )


def test_uids_that_go_are_one_line_where_no_state_is_lost() -> None:
    with_uids = JOB
    for name in ("parse", "valid", "format", "totals"):
        with_uids = with_uids.replace(f"name: {name},", f"name: {name}, uid: {name},")
    changes = find_changes(compare(snapshot_of(with_uids), snapshot_of(JOB)))
    folded = [one for one in fold_changes(changes) if one.kind == "operator-id" and one.level == "safe"]
    message = "changed: they keep no state. Their uids were removed: the ids are generated now."
    assert f"the operator ids of 3 operators {message}" in [one.message for one in folded]
    (lost,) = [one for one in fold_changes(changes) if one.level == "state-breaking"]
    assert "Its uid 'totals' was removed" in lost.message
