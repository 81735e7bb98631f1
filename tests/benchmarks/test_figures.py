"""The arithmetic of the benchmarks: ratios round by round, spreads, and what counts as worse. Nothing is timed here."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from benchmarks.__main__ import main
from benchmarks.figure import Cost, Figure, compare, memory
from benchmarks.measure import in_turns
from benchmarks.registry import GROUPS
from benchmarks.results import LATEST, Measured, Results, load, save
from benchmarks.tables import BEGIN, END, line, markdown, update_page


def costs(*values: float) -> list[Cost]:
    return [Cost(seconds=value, peak=int(value * 1e6)) for value in values]


def figure(ratio: float, spread: float = 0.02, **more: float) -> Figure:
    low, high = ratio - spread / 2, ratio + spread / 2
    return Figure(what="a", other="b", ratio=ratio, low=low, high=high, rounds=5, ours=ratio, theirs=1.0, **more)


def test_a_ratio_is_taken_round_by_round() -> None:
    """Both sides of the third round met a busy machine: the ratio does not show it."""
    made = compare("a", {"ours": costs(1, 1, 10, 1), "theirs": costs(2, 2, 20, 2)}, "ours", "theirs")
    assert (made.ratio, made.low, made.high, made.rounds) == (0.5, 0.5, 0.5, 4)
    assert made.other == "theirs"


def test_the_spread_is_the_middle_half_of_the_rounds() -> None:
    made = compare("a", {"x": costs(1, 2, 3, 4, 90), "y": costs(1, 1, 1, 1, 1)}, "x", "y", target=2.5)
    assert (made.ratio, made.low, made.high) == (3, 2, 4)
    assert made.missed


def test_memory_is_compared_in_the_same_way() -> None:
    made = compare("a", {"x": costs(30, 30), "y": costs(60, 60)}, "x", "y", of=memory)
    assert (made.ratio, made.ours, made.unit) == (0.5, 30, "MB")


@pytest.mark.parametrize(
    ("now", "before", "worse"),
    [
        (figure(0.6), figure(0.5), True),
        (figure(0.51), figure(0.5), False),
        (figure(0.6, spread=0.2), figure(0.5), False),
        (figure(0.6), figure(0.5, spread=0.2), False),
        (figure(0.4), figure(0.5), False),
    ],
)
def test_worse_means_by_more_than_the_spread(now: Figure, before: Figure, worse: bool) -> None:
    assert now.worse_than(before) is worse
    assert ("WORSE" in line(now, before)) is worse


def test_a_better_figure_is_said_too() -> None:
    assert "better than the last 0.5" in line(figure(0.4), figure(0.5))


def test_sides_take_turns_in_both_directions() -> None:
    ran: list[str] = []

    def run(name: str) -> Cost:
        ran.append(name)
        return Cost(seconds=1)

    made = in_turns({name: lambda name=name: run(name) for name in "ab"}, rounds=2, warm_up=1)
    assert "".join(ran) == "baabba"
    assert {name: len(found) for name, found in made.items()} == {"a": 2, "b": 2}


def test_slow_rounds_are_fewer_rounds() -> None:
    made = in_turns({"a": lambda: Cost(seconds=1)}, rounds=100, warm_up=0, most=0)
    assert len(made["a"]) == 3


def results(*figures: Figure, group: str = "startup") -> Results:
    return Results(machine="one core", groups=(Measured(group=group, date="2026-01-01", figures=figures),))


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    saved = results(figure(0.5, target=0.4), figure(0.25))
    save(saved, tmp_path / "new" / "latest.json")
    assert load(tmp_path / "new" / "latest.json") == saved
    assert load(tmp_path / "none.json") is None


def test_a_group_that_is_measured_again_replaces_itself() -> None:
    old = results(figure(0.5))
    again = Measured(group="startup", date="2026-02-02", figures=(figure(0.4),))
    further = Measured(group="soak", date="2026-02-02", figures=())
    made = old.with_groups([further, again], [group.name for group in GROUPS])
    assert [one.group for one in made.groups] == ["startup", "soak"]
    assert made.before("startup", figure(0.1)) == figure(0.4)
    assert made.before("startup", dataclasses.replace(figure(0.1), what="another")) is None


def test_the_page_gets_the_table_and_keeps_the_rest(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n", encoding="utf-8")
    for _ in range(2):
        update_page(page, markdown(results(figure(0.5, target=0.4)), {"startup": "Start-up"}))
    text = page.read_text(encoding="utf-8")
    assert text.startswith("above\n") and text.endswith("below\n") and "old" not in text
    assert "Measured 2026-01-01 on: one core." in text
    assert "| a | b | 0.5 | 0.49 to 0.51 | 0.4 (missed) |" in text


def test_a_page_without_marks_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing", encoding="utf-8")
    with pytest.raises(RuntimeError, match="lacks the lines"):
        update_page(page, "table")
    assert page.read_text(encoding="utf-8") == "nothing"


def test_every_group_has_its_module_and_the_page_its_place() -> None:
    root = Path(__file__).parents[2]
    modules = {path.stem for path in (root / "benchmarks/rows").glob("*.py")} - {"__init__"}
    assert modules == {group.name for group in GROUPS}
    page = (root / "docs/performance.md").read_text(encoding="utf-8")
    assert BEGIN in page and END in page


def test_the_page_shows_the_last_results() -> None:
    last = load(LATEST)
    if last is None:
        pytest.skip("nothing was measured yet")
    root = Path(__file__).parents[2]
    assert markdown(last, {group.name: group.title for group in GROUPS}) in (root / "docs/performance.md").read_text(
        "utf-8"
    )


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["plannning"])
    assert ended.value.code == 2
    assert "no benchmark is called plannning; there are startup," in capsys.readouterr().err
