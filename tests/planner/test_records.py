"""Records: dataclasses to everybody, compiled when they are first used."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import pytest

from planner.records import maker, record


@record
class Point:
    """Two numbers, and what does not count."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)
    seen: bool = field(default=False, compare=False, repr=False)


@record(kw_only=False)
class Place:
    """By position."""

    file: str
    line: int = 1


@record(slots=False)
class Named:
    """With a dict, and a check of its own."""

    name: str

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("no name")


@record
class Empty:
    """Nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What Point would be as a plain dataclass."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)
    seen: bool = field(default=False, compare=False, repr=False)


def test_a_record_is_made_as_a_dataclass_is() -> None:
    assert (Point(x=1).x, Point(x=1, y=2).y, Point(x=1).tags) == (1, 2, [])
    assert Point(x=1).tags is not Point(x=1).tags
    assert (Place("a").line, Place("a", 3).line, Place(file="b", line=4)) == (1, 3, Place("b", 4))
    assert Empty() == Empty()
    wrong: tuple[tuple[Any, tuple[Any, ...], dict[str, Any]], ...] = (
        (Point, (1,), {}), (Point, (), {}), (Point, (), {"x": 1, "z": 1}), (Place, (), {}), (Empty, (1,), {}),
    )  # fmt: skip
    for cls, arguments, keywords in wrong:
        for _ in range(2):  # before and after the first use
            with pytest.raises(TypeError):
                cls(*arguments, **keywords)
    with pytest.raises(ValueError, match="no name"):
        Named(name="")


def test_a_record_compares_and_prints_as_a_dataclass_does() -> None:
    assert Point(x=1, seen=True) == Point(x=1)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Model(x=1)
    assert repr(Point(x=1, tags=["a"])) == repr(Model(x=1, tags=["a"])).replace("Model", "Point")
    assert {Place("a"): 1}[Place("a", 1)] == 1
    assert hash(Empty()) == hash(Empty())
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(x=1))


def test_a_record_is_frozen() -> None:
    point: Any = Point(x=1)
    for change in (lambda: setattr(point, "x", 2), lambda: setattr(point, "new", 2), lambda: delattr(point, "x")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(Named(name="a"), "name", "b")  # noqa: B010 - mypy refuses the plain assignment, as it should


def test_what_knows_dataclasses_knows_records() -> None:
    assert is_dataclass(Point)
    assert Point.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert [known.name for known in fields(Point)] == [known.name for known in fields(Model)]
    assert replace(Point(x=1), y=5) == Point(x=1, y=5)
    assert dataclasses.asdict(Point(x=1)) == dataclasses.asdict(Model(x=1))


@pytest.mark.parametrize("value", [Point(x=1, tags=["a"]), Place("a", 2), Named(name="n"), Empty()])
def test_records_are_copied_and_pickled(value: Any) -> None:
    assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value


def test_slots_hold_what_the_class_says_and_no_more() -> None:
    assert not hasattr(Point(x=1), "__dict__")
    assert Named(name="a").__dict__ == {"name": "a"}


def test_a_maker_makes_what_a_call_of_the_class_makes() -> None:
    made = maker(Point)(x=1, seen=True)
    assert (made, type(made), made.seen) == (Point(x=1, seen=True), Point, True)
    assert maker(Point)(x=1).tags is not maker(Point)(x=1).tags
    assert (maker(Place)("a", 3), maker(Place)(file="b")) == (Place("a", 3), Place("b"))
    assert maker(Empty)() == Empty()
    assert pickle.loads(pickle.dumps(made)) == made
    assert replace(made, y=5) == Point(x=1, y=5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(made, "x", 2)  # noqa: B010 - mypy refuses the plain assignment, as it should
    with pytest.raises(ValueError, match="no name"):
        maker(Named)(name="")
    anything: Any = maker(Point)
    for arguments, keywords in (((1,), {}), ((), {}), ((), {"x": 1, "z": 1})):
        with pytest.raises(TypeError):
            anything(*arguments, **keywords)
