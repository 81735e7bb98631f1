"""Components, next to sets that are merged one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planner.graphs.components import Components
from planner.graphs.execution_graph import ExecutionEdge, consumed_ranges
from planner.graphs.job_graph import Distribution

SIZE = 12
numbers = st.integers(min_value=0, max_value=SIZE - 1)
steps = st.lists(st.tuples(st.booleans(), numbers, numbers), max_size=12)


@given(steps)
def test_components_are_what_was_joined(joined: list[tuple[bool, int, int]]) -> None:
    components = Components(SIZE)
    groups = [{number} for number in range(SIZE)]
    for whole_range, one, other in joined:
        first, last = min(one, other), max(one, other)
        if whole_range:
            components.join_range(first, last + 1)
        else:
            components.join(one, other)
        met = set(range(first, last + 1)) if whole_range else {one, other}
        merged = set().union(*(group for group in groups if group & met))
        groups = [group for group in groups if not group & met] + [merged]
    expected = {min(group): sorted(group) for group in groups}
    assert [components.find(number) for number in range(SIZE)] == components.names()
    assert components.members() == dict(sorted(expected.items()))
    assert list(components.members()) == sorted(expected)


@given(st.sampled_from(("POINTWISE", "ALL_TO_ALL")), numbers, numbers)
def test_channels_are_those_of_the_ranges(distribution: Distribution, producers: int, consumers: int) -> None:
    consumed = tuple(consumed_ranges(distribution, producers + 1, consumers + 1))
    edge = ExecutionEdge(job_edge=0, source=0, target=1, distribution=distribution, consumed=consumed)
    assert edge.channels == sum(last - first + 1 for _, first, last in consumed)
