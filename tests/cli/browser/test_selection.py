"""Selecting in the page: what the panel answers, how a part is followed through the stages, what-if, keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.browser.conftest import Opened

JOB = """
name: readings
parallelism: 2
operators:
  - {id: lines, type: source, uid: lines, parallelism: 1}
  - {id: clean, type: map, input: lines, name: Clean}
  - {id: heavy, type: map, input: {from: clean, partition: rebalance}, name: Heavy, parallelism: 2}
  - {id: total, type: sum, input: heavy, key_by: k, name: Total, slot_sharing_group: state}
  - {id: out, type: print, input: total}
"""


@pytest.fixture(scope="module")
def page_file(render: Callable[..., Path]) -> Path:
    return render(JOB, "--task-managers", "2", "--slots", "4")


@pytest.fixture
def opened(open_page: Callable[..., Opened], page_file: Path) -> Opened:
    return open_page(page_file)


def marked(opened: Opened) -> set[str]:
    found = opened.page.evaluate("[...document.querySelectorAll('section:not([hidden]) .on')].map((one) => one.id)")
    return {name.replace("-a_", "-") for name in found}


def test_an_operator_tells_its_settings_its_id_and_its_state(opened: Opened) -> None:
    opened.tab("Stream graph")
    opened.shape("n2", "stream").click()
    shown = opened.panel()
    assert "Clean (clean)" in shown and "job.yaml:6" in shown
    assert "parallelism\t2\tthe job's default" in shown
    assert "Flink derives 128 from the parallelism" in shown
    assert "generated: from its number in Flink's walk" in shown and "It depends on 1 operator before it" in shown
    assert "Keeps no state." in shown


def test_a_uid_keeps_the_id(opened: Opened) -> None:
    opened.shape("n1", "job").click()
    assert "the hash of its uid: it stays" in opened.panel()


def test_one_operator_is_followed_through_all_four_stages(opened: Opened) -> None:
    opened.tab("Stream graph")
    opened.shape("n6", "stream").click()
    assert marked(opened) >= {"stream-n6"}
    path = opened.page.locator("#path")
    assert path.inner_text().split("→")[0].strip() == "operator Total (total)"
    assert [step.strip() for step in path.inner_text().split("→")[1:4]] == ["task 4", "subtasks 0-1", "slots 2-3"]
    path.get_by_role("link", name="task 4").click()
    assert marked(opened) == {"job-n6", "job-c3"}
    path.get_by_role("link", name="subtasks 0-1").click()
    assert marked(opened) == {"execution-c3", "execution-s3_0_0", "execution-s3_1_1"}
    path.get_by_role("link", name="slots 2-3").click()
    assert {"physical-p2_2", "physical-p3_3"} <= marked(opened)
    assert "physical-p0_0" not in marked(opened)


def test_an_edge_shows_all_twelve_conditions_and_the_smallest_change(opened: Opened) -> None:
    opened.page.evaluate("location.hash = '#edge=clean:heavy'")
    opened.page.get_by_role("heading", name="Clean → Heavy").wait_for()
    conditions = opened.page.locator("#panel .conditions summary")
    assert conditions.count() == 12
    assert opened.page.locator("#panel .conditions .no").all_inner_texts() == ["CH007 non-forward-partitioner"]
    shown = opened.panel()
    assert "The smallest change that chains it" in shown and "--set heavy.partition=forward" in shown
    assert "CH007" in conditions.first.inner_text()  # what fails comes first
    conditions.first.click()
    assert "records" in opened.page.locator("#panel .conditions details[open]").inner_text()


def test_the_result_of_a_change_is_shown_and_taken_back(opened: Opened) -> None:
    opened.page.evaluate("location.hash = '#stage=job&edge=clean:heavy'")
    assert opened.page.locator("section:not([hidden]) [id^='job-c']").count() == 4
    opened.page.get_by_role("button", name="Show the result of this change").click()
    assert "What if:" in opened.page.locator("#banner").inner_text()
    assert opened.page.locator("section:not([hidden]) [id^='job-c']").count() == 3  # one task less
    assert "−1 task" in opened.panel() and "operator ids would change" in opened.panel()
    assert "would not find what a savepoint holds under the old id" in opened.panel()
    opened.page.locator("#panel .card").get_by_text("Details").click()
    assert "Clean → Heavy" in opened.panel() and "4 → 3" in opened.panel()
    assert "to keep the state, set in the same change:" in opened.panel() and "uid_hash: " in opened.panel()
    assert "whatif=" in opened.page.url
    opened.page.locator("#banner").get_by_role("button").click()
    assert opened.page.locator("#banner").is_hidden()
    assert opened.page.locator("section:not([hidden]) [id^='job-c']").count() == 4


def test_all_changes_together_are_one_of_the_switches(opened: Opened) -> None:
    cards = opened.page.locator("#panel [data-variant]")
    assert "all 2 changes together" in cards.last.inner_text()
    assert cards.count() == 3  # parallelism, partition, and both of them
    cards.last.get_by_role("button").click()
    assert "2 4\ntasks" in opened.page.locator("#panel .tile").all_inner_texts()


def test_what_is_selected_stands_out_from_what_belongs_to_it(opened: Opened) -> None:
    opened.shape("c3", "job").click()
    assert marked(opened) >= {"job-c3", "job-n6"}
    main = opened.page.evaluate("[...document.querySelectorAll('section:not([hidden]) .main')].map((one) => one.id)")
    assert {name.replace("-a_", "-") for name in main} == {"job-c3"}


def test_a_subtask_tells_its_slot_its_inputs_and_what_restarts(opened: Opened) -> None:
    opened.tab("Execution graph")
    opened.shape("s2_1_1", "execution").click()
    shown = opened.panel()
    assert "Subtask 1 of task 3" in shown
    assert "slot 1" in shown and "there slot" in shown
    assert "REBALANCE from task 2: all 2 subtasks" in shown
    assert "HASH to task 4: Total -> Sink: Print to Std. Out: all 2 subtasks" in shown
    assert "Everything: all 7 subtasks are one failover region." in shown


def test_a_slot_lists_its_subtasks(opened: Opened) -> None:
    opened.tab("Physical")
    opened.shape("p0_0", "physical").click()
    assert "3 subtasks in it" in opened.panel()


@pytest.mark.parametrize(
    ("address", "stage", "words"),
    [
        ("#edge=clean:heavy", "Job graph", "Clean → Heavy"),
        ("#op=total", "Stream graph", "Total (total)"),
        ("#stage=physical&subtask=3:1", "Physical", "Subtask 1 of task 3"),
        ("#task=2", "Job graph", "Task 2"),
        ("#slot=3", "Physical", "Slot 3"),
        ("#edge=nobody:nothing", "Job graph", "Overview"),
        ("#%zz", "Job graph", "Overview"),
    ],
)
def test_an_address_leads_to_its_part(
    open_page: Callable[..., Opened], page_file: Path, address: str, stage: str, words: str
) -> None:
    found = open_page(page_file, address)
    assert found.page.locator("[aria-selected=true]").inner_text() == stage
    assert found.page.locator("#panel h2").inner_text() == words


def test_what_is_selected_is_in_the_address(opened: Opened) -> None:
    opened.shape("n4", "job").click()
    assert opened.page.url.endswith("#stage=job&op=heavy")
    opened.page.keyboard.press("Escape")
    assert opened.page.url.endswith("#stage=job")


def test_keys_alone_reach_and_select_everything(opened: Opened) -> None:
    page = opened.page
    page.locator("[aria-selected=true]").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("[aria-selected=true]").inner_text() == "Execution graph"
    page.keyboard.press("ArrowLeft")
    page.locator("section:not([hidden]) [tabindex='0']").focus()
    reached = []
    for _ in range(12):
        reached.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
        page.keyboard.press("ArrowDown")
    assert {"operator Heavy (heavy)", "task 1, Source: Custom Source"} <= set(reached)
    assert any(label.startswith("edge Clean → Heavy") for label in reached)
    page.keyboard.press("Enter")
    assert page.locator("#panel h2").inner_text() != "Overview"


def test_a_link_followed_by_a_key_leads_into_the_panel(opened: Opened) -> None:
    opened.page.locator("#panel").get_by_role("link", name="Clean → Heavy").focus()
    opened.page.keyboard.press("Enter")
    assert opened.page.evaluate("document.activeElement.id") == "panel"
    assert opened.page.locator("#panel h2").inner_text() == "Clean → Heavy"


def test_the_list_has_the_same_parts(opened: Opened) -> None:
    opened.tab("List")
    section = opened.page.locator("section:not([hidden])")
    for name in ("Clean (clean)", "Heavy (heavy)", "Total (total)"):
        assert section.get_by_role("link", name=name).count() == 1
    section.get_by_role("link", name="Clean → Heavy").click()
    assert "CH007" in opened.panel()


def test_a_finger_moves_and_a_tap_selects(open_page: Callable[..., Opened], page_file: Path) -> None:
    found = open_page(page_file, has_touch=True, viewport={"width": 700, "height": 900})
    found.shape("n4", "job").tap()
    assert found.page.locator("#panel h2").inner_text() == "Heavy (heavy)"
    before = found.page.evaluate("document.querySelector('section:not([hidden]) > svg').style.transform")
    found.page.evaluate(
        """() => {
          const section = document.querySelector("section:not([hidden])");
          const send = (type, pointerId, clientX, clientY) =>
            section.dispatchEvent(new PointerEvent(type, { pointerId, pointerType: "touch", clientX, clientY }));
          send("pointerdown", 5, 200, 300); send("pointerdown", 6, 300, 300);
          send("pointermove", 6, 420, 300); send("pointerup", 6, 420, 300); send("pointerup", 5, 200, 300);
        }"""
    )
    after = found.page.evaluate("document.querySelector('section:not([hidden]) > svg').style.transform")
    assert after != before and "scale" in after


PYFLINK = """
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_collection([1, 2, 3], type_info=Types.INT())
first = numbers.map(lambda n: n + 1, output_type=Types.INT()).name("inc")
doubled = first.map(lambda n: n * 2, output_type=Types.INT())
doubled.rebalance().filter(lambda n: n > 2).name("big").set_parallelism(4).print()
env.execute("py job")
"""


def test_what_pyflink_merged_is_told_and_what_it_would_merge(open_page: Callable[..., Opened], tmp_path: Path) -> None:
    from cli.app import main

    (tmp_path / "job.py").write_text(PYFLINK, encoding="utf-8")
    assert main(["render", str(tmp_path / "job.py"), "-o", str(tmp_path / "page.html")]) == 0
    found = open_page(tmp_path / "page.html", "#op=map-1%2C+map-2")
    assert "What PyFlink made it of" in found.panel() and "inc (map-1)" in found.panel()
    found.page.evaluate("location.hash = '#stage=job&edge=map-1%2C+map-2:filter-1'")
    found.page.get_by_role("heading", name="Why PyFlink did not merge them").wait_for()
    assert "PM005 not-forward" in found.panel()
    found.page.get_by_role("button", name="Show the result of this change").click()
    found.page.locator("#panel .card").get_by_text("Details").click()
    assert "new operators: inc, Map, big" in found.panel()
    assert "What if:" in found.page.locator("#banner").inner_text()
