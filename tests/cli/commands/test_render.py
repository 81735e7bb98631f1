"""Pictures: every format is well formed, names are escaped, large graphs are folded."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.app import main
from cli.render.folding import fold_consumed, fold_groups
from cli.render.pictures.dot import to_dot
from cli.render.pictures.image import draw
from cli.render.pictures.mermaid import to_mermaid
from cli.render.pictures.picture import Arrow, Box, Frame, Picture
from cli.render.pictures.stages import PICTURES
from planner.frontends.yaml.loader import load_job_data
from planner.graphs.execution_graph import consumed_ranges
from planner.job import Location
from planner.pipeline import STAGES, plan

ROOT = Path(__file__).parents[3]
JOBS = ROOT / "tests/golden/jobs"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("format", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_every_stage_is_drawn_into_a_file(stage: str, format: str, start: bytes, tmp_path: Path) -> None:
    target = tmp_path / f"picture.{format}"
    job = str(ROOT / "samples/two_streams_join/job.yaml")
    assert main(["render", job, "--stage", stage, "-o", str(target)]) == 0
    assert target.read_bytes().startswith(start)


def test_without_any_graphviz_the_user_is_told_what_helps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "pygraphviz", None)
    for format in ("svg", "html"):
        assert main(["render", str(JOBS / "every_obstacle.yaml"), "-f", format]) == 2
        shown = capsys.readouterr()
        assert "plan-inspector[draw]" in shown.err and shown.out == ""


def test_a_dot_program_is_used_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "dot"
    program.write_text('#!/bin/sh\necho "<svg>$1 $(cat | head -c 7)</svg>"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert draw("digraph plan {}", "svg") == b"<svg>-Tsvg digraph</svg>\n"
    program.write_text("#!/bin/sh\necho 'syntax error' >&2; exit 1\n", encoding="utf-8")
    with pytest.raises(Exception, match="syntax error"):
        draw("digraph plan {}", "svg")


def test_awkward_names_come_out_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", str(JOBS / "awkward_names.yaml"), "-f", "svg"]) == 0
    root = ElementTree.fromstring(capsys.readouterr().out)
    texts = {"".join(text.itertext()).replace("\u2060", "") for text in root.iter(f"{SVG}text")}
    for name in ('Source: say "hi" & <go>', "a:b -> c%%d", "Sink: ]]> --> -- end;", "lines \\N \\l end"):
        assert name in texts
    assert "søk 検索 🙂 `code` |pipe| [x] {y} (z)" in texts


def test_binary_pictures_do_not_go_to_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(["render", str(JOBS / "batch_word_count.yaml"), "-f", "png"]) == 0
    assert (tmp_path / "batch_word_count-job.png").exists()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("stage", ["execution", "physical"])
def test_a_stage_that_does_not_exist_yet_is_refused(stage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", str(JOBS / "batch_word_count.yaml"), "--stage", stage, "-f", "dot"]) == 2
    assert "at run time" in capsys.readouterr().err


def test_an_unknown_suffix_asks_for_the_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", str(JOBS / "every_obstacle.yaml"), "-o", "picture.bmp"]) == 2
    assert "-f svg|png" in capsys.readouterr().err


def test_the_page_is_self_contained_and_has_all_stages(tmp_path: Path) -> None:
    target = tmp_path / "plan.html"
    assert main(["render", str(JOBS / "awkward_names.yaml"), "-o", str(target)]) == 0
    page = re.sub(r'<script[^>]* id="variant.*?</script>', "", target.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert page.count("<svg ") == 4
    assert all(f'id="stage-{stage}"' in page for stage in (*STAGES, "list", "explain"))
    elsewhere = [link for link in re.findall(r"https?://[^\s\"'<>)]+", page) if "www.w3.org" not in link]
    assert not elsewhere
    ids = re.findall(r"<\w+[^>]*? id=\"([^\"]+)\"", page)
    assert len(ids) == len(set(ids))
    assert "<go>" not in page and html.escape('awkward "names" <b>&amp; #1;') in page
    assert not re.search(r"<!--[A-Z]+-->", page)


def test_the_page_of_a_batch_job_says_why_stages_are_missing(tmp_path: Path) -> None:
    target = tmp_path / "plan.html"
    assert main(["render", str(JOBS / "batch_word_count.yaml"), "-o", str(target)]) == 0
    page = target.read_text(encoding="utf-8")
    assert page.count("<svg ") == 2 and page.count("at run time") >= 2


NAMES = st.text(st.characters(exclude_categories=()), max_size=30)


@given(name=NAMES, other=NAMES)
@settings(max_examples=40)
def test_any_name_gives_a_picture_that_graphviz_reads(name: str, other: str) -> None:
    picture = Picture(
        title=name,
        subtitle=other,
        boxes=(
            Box(id="a", title=name, lines=(other,), cluster="c", tooltip=name),
            Box(id="b", title=other, kind="slot"),
        ),
        clusters=(Frame(id="c", title=name, subtitle=other, tooltip=other),),
        arrows=(Arrow(source="a", target="b", kind="broken", label=name, lines=(other,), tooltip=name),),
    )
    root = ElementTree.fromstring(draw(to_dot(picture), "svg"))
    assert len([g for g in root.iter(f"{SVG}g") if g.get("class") == "node"]) == 2


@given(name=NAMES)
def test_any_name_stays_inside_its_mermaid_string(name: str) -> None:
    text = to_mermaid(Picture(title=name, subtitle="", boxes=(Box(id="a", title=name), Box(id="b", title="x"))))
    boxes = [line for line in text.split("\n") if line.startswith("    a[")]
    assert len(boxes) == 1
    inside = boxes[0].removeprefix('    a["').removesuffix('"]:::operator')
    assert not re.search('["<>`]', inside.replace("<br/>", ""))


def big_job(parallelism: int) -> dict[str, object]:
    return {
        "parallelism": parallelism,
        "operators": [
            {"id": "s", "type": "source"},
            {"id": "m", "type": "sum", "input": "s", "key_by": "k", "field": "v"},
            {"id": "r", "type": "map", "input": {"from": "m", "partition": "rescale"}, "parallelism": 7},
        ],
    }


@pytest.mark.parametrize("stage", ["execution", "physical"])
def test_ten_thousand_subtasks_are_folded(stage: str) -> None:
    compiled = plan(load_job_data(big_job(10_000), Location("job.yaml", 1)))
    picture = PICTURES[stage](compiled)  # type: ignore[index]
    assert len(picture.boxes) < 130
    from cli.render.text.stages import stage_lines

    assert len(stage_lines(compiled, [stage])) < 40  # type: ignore[list-item]


def test_a_chain_of_thousands_is_drawn_by_its_ends() -> None:
    operators: list[dict[str, object]] = [{"id": "s", "type": "source"}]
    for number in range(3_000):
        operators.append({"id": f"m{number}", "type": "map", "input": operators[-1]["id"]})
    compiled = plan(load_job_data({"operators": operators}, Location("job.yaml", 1)))
    ends = ["Source: Custom Source", "Map", "2997 more operators", "Map", "Map"]
    picture = PICTURES["stream"](compiled)
    assert [box.title for box in picture.boxes] == ends
    assert len(picture.arrows) == 4
    card = PICTURES["job"](compiled)
    assert len(card.boxes) == 61 and "2941 more operators" in [box.title for box in card.boxes]


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_has_a_picture(stage: str) -> None:
    assert stage in PICTURES


@given(
    producers=st.integers(1, 60),
    consumers=st.integers(1, 60),
    distribution=st.sampled_from(["POINTWISE", "ALL_TO_ALL"]),
)
def test_folded_wiring_covers_every_consumer_once(producers: int, consumers: int, distribution: str) -> None:
    runs = fold_consumed(list(consumed_ranges(distribution, producers, consumers)))  # type: ignore[arg-type]
    covered = [number for run in runs for number in range(run.first, run.last + 1)]
    assert covered == list(range(consumers))
    if producers == consumers or distribution == "ALL_TO_ALL":
        assert len(runs) == 1


def test_wiring_in_words() -> None:
    def words(distribution: str, producers: int, consumers: int) -> list[str]:
        return [run.text for run in fold_consumed(list(consumed_ranges(distribution, producers, consumers)))]  # type: ignore[arg-type]

    assert words("ALL_TO_ALL", 3, 5) == ["each reads partitions 0-2"]
    assert words("POINTWISE", 4, 4) == ["each reads the partition of its own number"]
    assert words("POINTWISE", 8, 4) == ["each reads 2 of partitions 0-7, in order"]
    assert words("POINTWISE", 2, 4) == ["each reads partition 0", "each reads partition 1"]


def test_slots_that_follow_each_other_are_one_line() -> None:
    slots = (((0, 0), (1, 0)), ((0, 1), (1, 1)), ((1, 2),))
    assert [(run.first, run.last, run.text) for run in fold_groups(slots, ["A", "B"])] == [
        (0, 1, "A[0-1], B[0-1]"),
        (2, 2, "B[2]"),
    ]


def test_regions_of_several_subtasks_that_follow_each_other_are_one_line() -> None:
    regions = tuple(((0, k), (1, 2 * k), (1, 2 * k + 1)) for k in range(5_000))
    assert [run.text for run in fold_groups(regions, ["A", "B"])] == ["A[0-4999], B[0-9999] (2 each)"]
    uneven = (((0, 0), (1, 0)), ((0, 1), (1, 1), (1, 2)), ((1, 3), (1, 5)))
    assert [run.text for run in fold_groups(uneven, ["A", "B"])] == ["A[0], B[0]", "A[1], B[1-2]", "B[3,5]"]


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6)), min_size=1, unique=True).map(sorted).map(tuple),
        max_size=8,
    )
)
def test_folded_groups_cover_every_group_once(groups: list[tuple[tuple[int, int], ...]]) -> None:
    runs = fold_groups(groups, ["A", "B", "C"])
    assert [number for run in runs for number in range(run.first, run.last + 1)] == list(range(len(groups)))
