"""Each condition stops an edge by itself, is named with its values, and none hides another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.chaining.evaluation import candidate_of
from planner.chaining.registry import BY_CODE, RULES
from tests.support.small_jobs import SINK, SOURCE, mapped, obstacles, planned

LEGACY = {**SOURCE, "legacy": True}
ASYNC = {"id": "map", "type": "async_map", "input": "source"}
MULTI = {"id": "map", "type": "multi_input", "chain_sources": True}

# By code: operators and settings that show exactly these obstacles on the edge source -> map.
FIRING: dict[str, tuple[list[dict[str, Any]], dict[str, Any], list[str]]] = {
    "CH001": ([SOURCE, mapped()], {"chaining": False}, ["CH001"]),
    "CH002": ([SOURCE, {**MULTI, "inputs": ["source", "source"], "chain_sources": False}], {}, ["CH002"]),
    "CH003": ([SOURCE, mapped(slot_sharing_group="heavy")], {}, ["CH003"]),
    "CH004": ([{**SOURCE, "chaining": "disable"}, mapped()], {}, ["CH004"]),
    "CH005": ([SOURCE, mapped(chaining="start_new")], {}, ["CH005"]),
    "CH006": ([LEGACY, {**MULTI, "inputs": ["source"]}], {}, ["CH006"]),
    "CH007": ([SOURCE, mapped({"from": "source", "partition": "rebalance"})], {}, ["CH007"]),
    "CH008": (
        [SOURCE, mapped({"from": "source", "partition": "forward", "exchange": "batch"})],
        {"runtime_mode": "batch"},
        ["CH008"],
    ),
    "CH009": ([SOURCE, mapped(parallelism=4)], {}, ["CH007", "CH009"]),
    "CH010": ([SOURCE, mapped(max_parallelism=64)], {"chain_different_max_parallelism": False}, ["CH010"]),
    "CH011": ([SOURCE, mapped(["source", "source"])], {}, ["CH002", "CH011"]),
    "CH012": ([LEGACY, ASYNC], {}, ["CH012"]),
}

# By code: what is like the case above and does not show the code.
SILENT: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "CH001": ([SOURCE, mapped()], {"chaining": True}),
    "CH002": ([SOURCE, {**MULTI, "inputs": ["source"]}], {}),
    "CH003": ([{**SOURCE, "slot_sharing_group": "heavy"}, mapped()], {}),
    "CH004": ([{**SOURCE, "chaining": "start_new"}, mapped()], {}),
    "CH005": ([SOURCE, mapped()], {}),
    "CH006": ([SOURCE, {**MULTI, "inputs": ["source"]}], {}),
    "CH007": ([SOURCE, mapped({"from": "source", "partition": "forward"})], {}),
    "CH008": ([SOURCE, mapped({"from": "source", "partition": "forward", "exchange": "batch"})], {}),
    "CH009": ([{**SOURCE, "parallelism": 4}, mapped(parallelism=4)], {}),
    "CH010": ([SOURCE, mapped(max_parallelism=64)], {}),
    "CH011": ([SOURCE, mapped(["source"])], {}),
    "CH012": ([SOURCE, ASYNC], {}),
}


@pytest.mark.parametrize("code", FIRING)
def test_condition_stops_the_edge(code: str) -> None:
    operators, settings, expected = FIRING[code]
    assert obstacles(planned(*operators, SINK, **settings), "source", "map") == expected


@pytest.mark.parametrize("code", SILENT)
def test_condition_lets_the_edge_be(code: str) -> None:
    operators, settings = SILENT[code]
    assert code not in obstacles(planned(*operators, SINK, **settings), "source", "map")


def test_every_condition_has_both_cases() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(codes) == list(FIRING) == list(SILENT)


def test_none_hides_another() -> None:
    made = planned(
        {**LEGACY, "parallelism": 2, "chaining": "disable"},
        {**ASYNC, "input": ["source", "source"], "parallelism": 4, "slot_sharing_group": "x", "chaining": "disable"},
        SINK,
        chaining=False,
    )
    expected = ["CH001", "CH002", "CH003", "CH004", "CH005", "CH007", "CH009", "CH011", "CH012"]
    assert obstacles(made, "source", "map") == expected


@pytest.mark.parametrize(
    ("code", "values", "change"),
    [
        ("CH009", "parallelism 1 -> 4", "set the parallelism of map to 1"),
        ("CH003", "slot sharing group default -> heavy", "put map into slot sharing group default"),
        ("CH010", "max parallelism unset -> 64", "give map the max parallelism unset"),
    ],
)
def test_obstacle_names_values_and_the_smallest_change(code: str, values: str, change: str) -> None:
    operators, settings, _ = FIRING[code]
    made = planned(*operators, SINK, **settings)
    found = next(o for o in made.obstacles[0] if o.code == code)
    assert (found.values, found.change) == (values, change)


def test_keyed_exchange_is_needed_and_rebalance_is_not() -> None:
    keyed = planned(SOURCE, {"id": "map", "type": "sum", "input": "source", "key_by": "k"}, SINK)
    rebalanced = planned(SOURCE, mapped({"from": "source", "partition": "rebalance"}), SINK)
    assert [o.needed for o in keyed.obstacles[0]] == [True]
    assert [o.needed for o in rebalanced.obstacles[0]] == [False]


def test_async_chains_behind_a_break_after_a_legacy_source() -> None:
    made = planned(LEGACY, mapped(chaining="start_new"), {"id": "lookup", "type": "async_map", "input": "map"})
    assert obstacles(made, "map", "lookup") == []


def test_candidate_of_one_edge_sees_what_the_pass_over_all_edges_saw() -> None:
    made = planned(LEGACY, mapped(), {"id": "lookup", "type": "async_map", "input": "map"}, SINK)
    for position, found in enumerate(made.obstacles):
        candidate = candidate_of(made.stream_graph, made.obstacles, position)
        again = [rule.describe(candidate) for rule in RULES if rule.fails(candidate.facts)]
        assert again == list(found)


def test_rules_say_all_that_a_page_needs() -> None:
    for rule in RULES:
        assert BY_CODE[rule.code] is rule
        for text in (rule.summary, rule.checks, rule.why, rule.fix, rule.example):
            assert text.strip()


def test_one_module_a_rule_named_after_it() -> None:
    folder = Path(__file__).parents[3] / "planner/chaining/rules"
    modules = {path.stem for path in folder.glob("ch*.py")}
    assert modules == {f"{rule.code.lower()}_{rule.slug.replace('-', '_')}" for rule in RULES}
