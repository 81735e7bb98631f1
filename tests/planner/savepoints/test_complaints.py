"""The complaints that the recorded restores do not have: parallelism, records in flight, jobs that had partly ended."""

from __future__ import annotations

from planner.flink.differences import flink
from planner.savepoints.handle_format import Channel, KeyedState
from planner.savepoints.metadata import Metadata, SavedOperator, SavedSubtask
from planner.savepoints.new_job import NewJob, NewOperator, NewVertex
from planner.savepoints.verdict import RestoreVerdict, judge

KEYED = KeyedState(kind="savepoint", first_key_group=0, key_groups=4, size=10)
RECORDS = Channel(size=5, empty=False, stream=None)
NO_RECORDS = Channel(size=0, empty=True, stream=None)


def saved(id_: str, *subtasks: SavedSubtask, maximum: int = 4, finished: bool = False) -> SavedOperator:
    return SavedOperator(
        id=id_,
        name=None,
        uid=None,
        parallelism=2,
        max_parallelism=maximum,
        coordinator=None,
        fully_finished=finished,
        subtasks=subtasks,
    )


def stateful(id_: str, maximum: int = 4) -> SavedOperator:
    return saved(id_, SavedSubtask(index=0, managed_keyed=KEYED), maximum=maximum)


def vertex(*ids: str, parallelism: int = 2, maximum: int = -1, inputs: tuple[tuple[int, bool], ...] = ()) -> NewVertex:
    """A chain; as in Flink the last id is the head's."""
    operators = tuple(NewOperator(id=id_, uid_hash=None, node=0) for id_ in ids)
    return NewVertex(
        name="v", parallelism=parallelism, max_parallelism=maximum, operators=operators, inputs=inputs
    )  # fmt: skip


def answer(operators: list[SavedOperator], *vertices: NewVertex, version: str = "2.3") -> RestoreVerdict:
    metadata = Metadata(version=6, checkpoint_id=1, operators=tuple(operators), master_states=(), properties=None)
    return judge(metadata, NewJob(vertices=vertices, flink=flink(version)))


def complaints(operators: list[SavedOperator], *vertices: NewVertex) -> list[tuple[str, str]]:
    verdict = answer(operators, *vertices)
    assert verdict.strict.complaints == verdict.allowing.complaints
    return [(complaint.kind, complaint.operator) for complaint in verdict.strict.complaints]


def test_a_parallelism_above_the_saved_maximum_is_refused_for_the_whole_chain() -> None:
    chain = vertex("sink", "sum", parallelism=5)
    expected = [("parallelism-above-max", "sum"), ("parallelism-above-max", "sink")]
    assert complaints([stateful("sum"), saved("sink")], chain) == expected
    assert complaints([stateful("sum"), saved("sink")], vertex("sink", "sum", parallelism=4)) == []


def test_a_chain_without_saved_state_may_exceed_its_maximum() -> None:
    assert complaints([saved("map")], vertex("map", parallelism=5)) == []


def test_all_complaints_are_listed_in_flinks_order() -> None:
    operators = [stateful("gone"), stateful("sum")]
    found = answer(operators, vertex("sum", parallelism=5, maximum=8)).strict.complaints
    kinds = [(complaint.kind, complaint.operator) for complaint in found]
    assert kinds == [("unmapped-state", "gone"), ("max-parallelism", "sum"), ("parallelism-above-max", "sum")]


def test_an_operator_takes_the_state_of_its_uid_hash_first() -> None:
    operators = (NewOperator(id="new", uid_hash="old", node=0),)
    job = NewVertex(name="v", parallelism=5, max_parallelism=-1, operators=operators, inputs=())
    assert complaints([stateful("old"), stateful("new", maximum=8)], job) == [("parallelism-above-max", "old")]


def test_records_in_flight_on_an_edge_that_is_chained_now_are_refused_beside_others() -> None:
    """Flink looks for them only where it has records to give out again; elsewhere it drops them (measured)."""
    inner = saved("map", SavedSubtask(index=0, input_channels=(RECORDS,)))
    alone = saved("source"), inner
    assert complaints([*alone], vertex("map", "source")) == []
    assert complaints([*alone], vertex("source"), vertex("map", inputs=((0, False),))) == []
    head = saved("source", SavedSubtask(index=0, input_channels=(RECORDS,)))
    assert complaints([head, inner], vertex("map", "source")) == [("channel-state", "map")]
    empty = saved("map", SavedSubtask(index=0, input_channels=(NO_RECORDS,)))
    assert complaints([head, empty], vertex("map", "source")) == []


def test_records_in_flight_make_the_neighbour_count_as_stateful() -> None:
    source = saved("source", SavedSubtask(index=0, output_channels=(RECORDS,)))
    tasks = (vertex("source"), vertex("map", parallelism=5, inputs=((0, True),)))
    assert complaints([source, saved("map")], *tasks) == [("parallelism-above-max", "map")]


def test_what_had_ended_must_not_be_chained_with_what_had_not() -> None:
    ended = saved("source", finished=True)
    assert complaints([ended, saved("map")], vertex("map", "source")) == [("finished-operators", "source")]
    assert complaints([ended, saved("map", finished=True)], vertex("map", "source")) == []


def test_what_had_ended_must_not_get_a_running_operator_before_it() -> None:
    ended = saved("map", finished=True)
    tasks = (vertex("source"), vertex("map", inputs=((0, False),)))
    assert complaints([saved("source"), ended], *tasks) == [("finished-operators", "map")]
    partly = saved("map", SavedSubtask(index=0, finished=True))
    assert complaints([saved("source"), partly], *tasks) == [("finished-operators", "map")]
    before = saved("source", SavedSubtask(index=1, finished=True))
    assert complaints([before, partly], *tasks) == [], "pointwise, and both partly"
    everywhere = (vertex("source"), vertex("map", inputs=((0, True),)))
    assert complaints([before, partly], *everywhere) == [("finished-operators", "map")]


def test_an_older_flink_refuses_a_newer_format() -> None:
    for version, outcome in (("1.20", "refused"), ("2.0", "refused"), ("2.1", "started"), ("2.3", "started")):
        found = answer([saved("map")], vertex("map"), version=version)
        assert found.strict.outcome == found.allowing.outcome == outcome
    (complaint,) = answer([saved("map")], vertex("map"), version="1.20").strict.complaints
    assert (complaint.kind, complaint.operator) == ("format-version", None)
    assert complaint.message == "Flink 1.20 reads formats up to 4, and this one is 6"
