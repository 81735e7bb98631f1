"""Operator ids are Flink's: a uid's hash, or generated from the place in the graph and the chained outputs."""

from __future__ import annotations

import pytest

from planner.errors import PlanningError
from planner.graphs.operator_ids import uid_hash
from planner.pipeline import Plan
from tests.support.small_jobs import SINK, SOURCE, mapped, planned

FILTER = {"id": "filter", "type": "filter", "input": "map"}
KEYED = {"id": "total", "type": "sum", "input": "filter", "key_by": "k"}


def ids(made: Plan) -> dict[str, str]:
    return {node.operator.key: made.operator_ids[node.id] for node in made.stream_graph.nodes}


def test_first_source_with_one_chained_output_has_the_well_known_id() -> None:
    assert ids(planned(SOURCE, mapped(), SINK))["source"] == "cbc357ccb763df2852fee8c4fc7d55f2"


def test_uid_decides_the_id_wherever_the_operator_stands() -> None:
    first = planned(SOURCE, mapped(uid="parse"), SINK)
    second = planned(SOURCE, {"id": "other", "type": "filter", "input": "source"}, mapped("other", uid="parse"), SINK)
    assert ids(first)["map"] == ids(second)["map"] == uid_hash("parse").hex()


def test_lone_surrogate_hashes_as_java_writes_it() -> None:
    assert uid_hash("\ud800") == uid_hash("?")


def test_a_break_in_front_changes_the_id_of_what_stands_behind() -> None:
    whole = ids(planned(SOURCE, mapped(), FILTER, KEYED))
    broken = ids(planned(SOURCE, mapped(), {**FILTER, "chaining": "start_new"}, KEYED))
    assert whole["source"] == broken["source"]
    assert whole["map"] != broken["map"]
    assert whole["total"] != broken["total"]


def test_a_uid_keeps_the_id_under_the_same_break() -> None:
    whole = ids(planned(SOURCE, mapped(), FILTER, {**KEYED, "uid": "total"}))
    broken = ids(planned(SOURCE, mapped(), {**FILTER, "chaining": "start_new"}, {**KEYED, "uid": "total"}))
    assert whole["total"] == broken["total"]


def test_names_and_parallelism_of_all_do_not_matter() -> None:
    plain = ids(planned(SOURCE, mapped(), SINK))
    renamed = ids(planned({**SOURCE, "name": "Kafka"}, mapped(name="Parse"), SINK, parallelism=8))
    assert plain == renamed


def test_same_uid_twice_is_refused_naming_both() -> None:
    with pytest.raises(PlanningError, match='uid "same" of map is already used by source') as caught:
        planned({**SOURCE, "uid": "same"}, mapped(uid="same"), SINK)
    assert "uid of its own" in str(caught.value)


def test_committer_derives_its_uid_from_the_sink() -> None:
    made = planned(SOURCE, {"id": "out", "type": "sink", "input": "source", "api": "v2", "committer": True, "uid": "f"})
    writer, committer = made.stream_graph.nodes[1:]
    assert made.operator_ids[writer.id] == uid_hash("f").hex()
    assert made.operator_ids[committer.id] == uid_hash("Sink Committer: f").hex()
