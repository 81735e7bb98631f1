"""The one topological walk, against its definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planner.topology import longest_ways, topological_order

Edges = list[tuple[int, int]]


@st.composite
def acyclic(draw: st.DrawFn) -> tuple[list[int], Edges]:
    numbers = draw(st.permutations(range(draw(st.integers(1, 12)))))
    pairs = [(a, b) for at, a in enumerate(numbers) for b in numbers[at + 1 :]]
    return sorted(numbers), draw(st.lists(st.sampled_from(pairs))) if pairs else []


@given(acyclic())
def test_every_node_comes_once_and_behind_its_sources(graph: tuple[list[int], Edges]) -> None:
    nodes, edges = graph
    for smallest_first in (False, True):
        order = topological_order(nodes, edges, smallest_first=smallest_first)
        assert sorted(order) == nodes
        assert all(order.index(source) < order.index(target) for source, target in edges)


def test_smallest_first_is_stable() -> None:
    assert topological_order(range(4), [(3, 0)], smallest_first=True) == [1, 2, 3, 0]
    assert topological_order(range(4), [(3, 0)]) == [1, 2, 3, 0]
    assert topological_order("ab", [("b", "a")]) == ["b", "a"]


def test_nodes_of_a_cycle_and_behind_it_are_left_out() -> None:
    assert topological_order(range(4), [(0, 1), (1, 2), (2, 1), (2, 3)]) == [0]


@given(acyclic())
def test_the_longest_way_is_one_step_longer_than_the_longest_of_a_source(graph: tuple[list[int], Edges]) -> None:
    nodes, edges = graph
    ways = longest_ways(nodes, edges)
    for node in nodes:
        assert ways[node] == max((ways[source] + 1 for source, target in edges if target == node), default=0)


def test_ways_by_cost() -> None:
    assert longest_ways("abc", [("a", "b"), ("b", "c"), ("a", "c")], {"a": 5, "b": 0, "c": 9}) == {
        "a": 0,
        "b": 5,
        "c": 5,
    }
