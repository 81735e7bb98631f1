"""Changes folded by cause."""

from __future__ import annotations

from planner.diff.change import Change
from planner.diff.folding import fold_changes


def change(subject: str, words: str, **more: object) -> Change:
    facts = {
        "level": "performance",
        "part": "operator",
        "kind": "parallelism",
        "message": f"{subject}: {words}",
        **more,
    }
    return Change(subject=subject, **facts)  # type: ignore[arg-type]


def test_one_cause_on_many_operators_is_one_line() -> None:
    changes = [change(f"op{number}", "max parallelism 128 -> 256", at=number) for number in range(17)]
    (folded,) = fold_changes(changes)
    assert folded.message == "max parallelism 128 -> 256 on 17 operators"
    assert folded.subjects == tuple(f"op{number}" for number in range(17))
    assert folded.at == frozenset(range(17))


def test_other_values_are_other_causes() -> None:
    folded = fold_changes([change("a", "parallelism 2 -> 4"), change("b", "parallelism 2 -> 8")])
    assert [one.message for one in folded] == ["a: parallelism 2 -> 4", "b: parallelism 2 -> 8"]


def test_what_is_known_of_a_change_stays_behind_the_number() -> None:
    folded = fold_changes([change(name, "size 1 -> 5 (open windows keep theirs)") for name in "ab"])
    assert folded[0].message == "size 1 -> 5 on 2 operators (open windows keep theirs)"


def test_an_edge_that_breaks_with_another_exchange_is_said_once_at_the_graver_level() -> None:
    chain = change("a -> b", "", part="chain", kind="broken", message="a -> b no longer chains", at=1)
    edge = change("a -> b", "FORWARD -> HASH", part="edge", kind="partitioner", level="result",
                  before="FORWARD", after="HASH")  # fmt: skip
    (folded,) = fold_changes([edge, chain])
    assert folded.message == "a -> b no longer chains, FORWARD -> HASH"
    assert folded.level == "result"


def test_messages_around_a_subject_are_told_of_several() -> None:
    lost = [
        change(name, "", part="state", kind="operator-id", level="state-breaking",
               message=f"the operator id of {name} changed: a restored job would lose its keyed state. x was added.")
        for name in ("sums", "counts")
    ]  # fmt: skip
    (folded,) = fold_changes(lost)
    assert folded.message == (
        "the operator ids of 2 operators changed: a restored job would lose their keyed state. x was added."
    )
    added = [change(name, "", kind="added", message=f"{name} was added") for name in ("p", "q")]
    assert fold_changes(added)[0].message == "2 operators were added"


def test_the_gravest_comes_first() -> None:
    folded = fold_changes([change("a", "x", level="safe"), change("b", "y", level="state-breaking")])
    assert [one.level for one in folded] == ["state-breaking", "safe"]
