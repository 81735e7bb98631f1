"""One self-contained page with all stages: pictures laid out here and a little plain JavaScript, nothing fetched."""

from __future__ import annotations

import html
import re
from importlib.resources import files

from cli.render.pictures.dot import to_dot
from cli.render.pictures.image import draw
from cli.render.pictures.picture import Picture
from cli.render.pictures.stages import PICTURES
from cli.render.styled import plain
from planner.errors import OptionError
from planner.pipeline import STAGES, Plan, Stage

__all__ = ["to_html"]

TITLES: dict[Stage, str] = {
    "stream": "Stream graph",
    "job": "Job graph",
    "execution": "Execution graph",
    "physical": "Physical",
}


def to_html(plan: Plan, physical: Picture | None = None) -> str:
    """The page; the job graph is open first. `physical` is drawn instead of the slots alone."""
    from cli.render.text.explanation import explanation_lines
    from planner.explanation.explain import explain_plan

    explanation = plain(explanation_lines(explain_plan(plan), spec=plan.job.location.file))
    sections = [_section(stage, _drawing(plan, stage, physical)) for stage in STAGES]
    sections.append(_section("explain", f"<pre>{html.escape(explanation)}</pre>"))
    tabs = [_tab(stage, TITLES[stage], current=stage == "job") for stage in STAGES]
    tabs.append(_tab("explain", "Explanation", current=False))
    page = _asset("page.html")
    for name, content in {
        "TITLE": html.escape(plan.stream_graph.name),
        "STYLE": _asset("page.css"),
        "TABS": "\n      ".join(tabs),
        "SECTIONS": "\n".join(sections),
        "SCRIPT": _asset("page.js"),
    }.items():
        before, after = page.split(f"<!--{name}-->", 1)  # only our own mark, never one inside a job's name
        page = before + content + after
    return page


def _asset(name: str) -> str:
    return files("cli.render.page").joinpath(name).read_text(encoding="utf-8")


def _tab(name: str, title: str, *, current: bool) -> str:
    pressed = "true" if current else "false"
    return f'<button role="tab" data-stage="{name}" aria-selected="{pressed}">{title}</button>'


def _section(name: str, content: str) -> str:
    hidden = "" if name == "job" else " hidden"
    return f'<section id="stage-{name}" role="tabpanel"{hidden}>{content}</section>'


def _drawing(plan: Plan, stage: Stage, physical: Picture | None) -> str:
    try:
        source = to_dot(physical if physical and stage == "physical" else PICTURES[stage](plan))
    except OptionError as error:
        return f"<p>{html.escape(error.message)}</p>"
    svg = draw(source, "svg").decode("utf-8")
    svg = svg[svg.index("<svg") :]
    # The same ids come back in every stage, and in one page they must differ.
    return re.sub(r'(<(?:g|path|text|a|svg)\b[^>]*?) id="', rf'\1 id="{stage}-', svg)
