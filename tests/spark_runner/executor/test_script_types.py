"""What a PyFlink script's types do not take is refused, as PyFlink's own coders do; what they take is recorded."""

from __future__ import annotations

from typing import Any

import pytest

from planner import Row, Types
from spark_runner.executor.conversion import converter
from spark_runner.executor.state import ListState, ReducingState, Values
from spark_runner.lowering.scripts.forms import form_of, whole

PAIR = Types.TUPLE([Types.INT(), Types.STRING()])
UNFIT: dict[str, tuple[Any, Any, str]] = {
    "a list for a tuple": ([1, "a"], PAIR, r"\[1, 'a'\] is not a tuple"),
    "a row for a tuple": (Row(1, "a"), PAIR, "is not a tuple"),
    "a short tuple": ((1,), PAIR, r"\(1,\) has 1 fields, and its declared type has 2"),
    "a null in a tuple": ((None, "a"), PAIR, "None is not a number"),
    "a tuple for a list": ((1, 2), Types.LIST(Types.INT()), "is not a list"),
    "a null in a list": ([None], Types.LIST(Types.INT()), "None is not a number"),
    "a tuple for a row": ((1, "a"), Types.ROW([Types.INT(), Types.STRING()]), "is no Row"),
    "text for a boolean": ("a", Types.BOOLEAN(), "'a' is not a number"),
    "a large number for a boolean": (256, Types.BOOLEAN(), "256 is no boolean"),
    "text for a number": ("1", Types.INT(), "'1' is not a number"),
    "text for a double": ("1.5", Types.DOUBLE(), "'1.5' is not a number"),
    "a number for text": (1, Types.STRING(), "1 is not a string"),
    "a number for bytes": (3, Types.PRIMITIVE_ARRAY(Types.BYTE()), "3 is not bytes"),
    "a large number": (2**31, Types.INT(), "2147483648 is too large"),
    "no record": (None, Types.PICKLED_BYTE_ARRAY(), "the record is None"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_what_does_not_fit_is_refused(name: str) -> None:
    value, kind, message = UNFIT[name]
    with pytest.raises((TypeError, OverflowError), match=message):
        converter(whole(form_of(kind)))(value)


def test_a_list_is_looked_at_as_often_as_one_likes() -> None:
    state = ListState(Values({}), "list")
    before = state.get()
    state.add(1)
    assert (list(before), list(before)) == ([1], [1])
    kept = state.get()
    state.update([2])
    assert (list(kept), list(state.get())) == ([1], [2])


def test_a_value_that_was_reduced_to_nothing_begins_anew() -> None:
    state = ReducingState(Values({}), "value", lambda kept, new: None if new == 2 else kept + new)
    for value in (1, 2, 3, 4):
        state.add(value)
    assert state.get() == 7
