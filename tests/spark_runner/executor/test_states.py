"""State handles as functions use them."""

from __future__ import annotations

from spark_runner.executor.state import MapState, Values


def test_the_internal_state_of_a_map_is_the_same_map() -> None:
    state = MapState(Values({}), "m")
    state.put("a", 1)
    state.get_internal_state().put("b", 2)
    assert state.items() == [("a", 1), ("b", 2)] == state.get_internal_state().items()
