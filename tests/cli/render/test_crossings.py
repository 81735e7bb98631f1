"""Pictures that can be read: no arrow goes through a title or a label, nothing is cut, long ones come in parts."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cli.app import main
from cli.render.pictures.dot import Direction, Look, to_dot
from cli.render.pictures.formats import in_format, in_parts, parts_wanted
from cli.render.pictures.image import draw
from cli.render.pictures.palette import THEMES, dark_of
from cli.render.pictures.stages import PICTURES
from planner.frontends.loading import load_job
from planner.frontends.yaml.loader import load_job_data
from planner.job import Location
from planner.pipeline import Plan, Stage, plan
from tests.support.crossings import crossed

ROOT = Path(__file__).parents[3]
SAMPLES = sorted(
    str(path.relative_to(ROOT / "samples"))
    for kind in ("py", "yaml")
    for path in (ROOT / "samples").glob(f"*/job.{kind}")
)
DRAWN: tuple[Stage, ...] = ("stream", "job", "execution")


def large(operators: int = 98) -> Plan:
    """A job with branches, of which many edges do not chain."""
    entries: list[dict[str, object]] = [{"id": "o0", "type": "source"}]
    for number in range(1, operators):
        source = f"o{number - 1 if number % 4 else max(number - 6, 0)}"
        entry: dict[str, object] = {"id": f"o{number}", "type": "map", "input": source}
        if number % 5 == 2:
            entry["input"] = {"from": source, "partition": "rebalance"}
        if number % 7 == 3:
            entry = {"id": f"o{number}", "type": "sum", "input": source, "key_by": "k", "field": "v"}
        entries.append(entry)
    return plan(load_job_data({"parallelism": 2, "operators": entries}, Location("job.yaml", 1)))


def test_the_measure_itself_sees_a_crossing() -> None:
    bad = "digraph { a [label=long_enough_label pos=x]; a -> b [headlabel=across labeldistance=0.1]; }"
    assert crossed(draw(bad, "svg")) == ["across"]


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("stage", DRAWN)
@pytest.mark.parametrize("sample", SAMPLES)
def test_no_arrow_crosses_a_title_or_a_label(sample: str, stage: Stage, direction: Direction) -> None:
    compiled = plan(load_job(str(ROOT / "samples" / sample)))
    assert crossed(draw(to_dot(PICTURES[stage](compiled), Look(direction=direction)), "svg")) == []


@pytest.mark.parametrize("stage", DRAWN)
def test_labels_of_a_large_graph_lie_on_no_edge(stage: Stage) -> None:
    picture = PICTURES[stage](large())
    assert crossed(in_format(picture, "svg", Look(), wrap=False)) == []
    assert crossed(in_format(picture, "svg", Look(), wrap=True)) == []


def test_a_long_graph_comes_in_parts_that_have_everything() -> None:
    picture = PICTURES["job"](large(120))
    wanted = parts_wanted(picture)
    parts = in_parts(picture, wanted)
    assert len(parts) == wanted > 1
    drawn = [box.id for part in parts for box in part.boxes if box.kind != "portal"]
    assert sorted(drawn) == sorted(box.id for box in picture.boxes)
    assert sum(len(part.clusters) for part in parts) == len(picture.clusters)
    crossing = {(a.source, a.target) for a in picture.arrows} - {
        (a.source, a.target) for part in parts for a in part.arrows
    }
    assert crossing  # and each has a note where it leaves and where it comes from
    notes = [box.title for part in parts for box in part.boxes if box.kind == "portal"]
    assert any(title.startswith("to task") for title in notes) and any(title.startswith("from task") for title in notes)


def size(svg: str | bytes) -> tuple[float, float]:
    import xml.etree.ElementTree as ElementTree

    root = ElementTree.fromstring(svg)
    return float((root.get("width") or "0")[:-2]), float((root.get("height") or "0")[:-2])


def test_a_wrapped_picture_is_no_strip() -> None:
    picture = PICTURES["job"](large(120))
    width, height = size(in_format(picture, "svg", Look()))
    strip_width, strip_height = size(in_format(picture, "svg", Look(), wrap=False))
    assert max(width, height) / min(width, height) < 3 < strip_height / strip_width


def test_small_pictures_and_source_text_stay_whole() -> None:
    small = PICTURES["job"](plan(load_job(str(ROOT / "samples/order_enrichment/job.py"))))
    assert parts_wanted(small) == 1
    long = PICTURES["job"](large(120))
    assert "part 1" not in str(in_format(long, "dot", Look()))
    assert "part 1" in str(in_format(long, "dot", Look(), wrap=True))


def test_a_long_graph_is_a_pdf_of_pages(tmp_path: Path) -> None:
    from pypdf import PdfReader

    document = in_format(PICTURES["job"](large(120)), "pdf", Look())
    assert isinstance(document, bytes)
    pages = PdfReader(io.BytesIO(document)).pages
    assert len(pages) == parts_wanted(PICTURES["job"](large(120)))
    assert all(page.mediabox.width < 600 and page.mediabox.height < 850 for page in pages)


def test_every_colour_has_one_dark_one() -> None:
    assert len(set(THEMES["light"].colours())) == len(list(THEMES["light"].colours())) == len(dark_of())


def test_a_dark_picture_is_dark(capsys: pytest.CaptureFixture[str]) -> None:
    job = str(ROOT / "samples/order_enrichment/job.py")
    for option in ("dot", "mermaid"):
        assert main(["render", job, "-f", option, "--theme", "dark"]) == 0
        shown = capsys.readouterr().out
        assert THEMES["dark"].clusters["chain"].inside in shown
        assert not [colour for colour in THEMES["light"].colours() if colour in shown]


def test_no_name_is_cut_that_fits_on_more_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", str(ROOT / "samples/order_enrichment/job.py"), "--stage", "physical", "-f", "dot"]) == 0
    shown = capsys.readouterr().out
    assert " ..." not in shown and "Timestamps/Watermarks) [0]" in shown


def test_fifty_task_managers_of_ten_slots_are_folded(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(
        "parallelism: 500\noperators:\n  - {id: a, type: source}\n  - {id: b, type: print, input: a}\n",
        encoding="utf-8",
    )
    options = ["--stage", "physical", "--task-managers", "50", "--slots", "10", "-f", "mermaid"]
    assert main(["render", str(tmp_path / "job.yaml"), *options]) == 0
    shown = capsys.readouterr().out
    assert shown.count("subgraph t") == 1 and "task managers 0-49" in shown
    assert shown.count(":::slot") == 10
