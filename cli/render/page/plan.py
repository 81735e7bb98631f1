"""One self-contained page with all stages: pictures laid out here, their data in one place, and a script of our own."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cli.render.page import document
from cli.render.page.data import plan_data
from cli.render.page.figures import run_data, run_notes
from cli.render.page.variants import find_variants, variant_data
from cli.render.pictures.dot import Look, to_dot
from cli.render.pictures.image import draw
from cli.render.pictures.live import live_overlay
from cli.render.pictures.marks import diff_marks
from cli.render.pictures.operators import job_picture, stream_picture
from cli.render.pictures.overlay import NOTHING, Overlay
from cli.render.pictures.picture import Picture
from cli.render.pictures.stages import PICTURES
from cli.render.pictures.task_managers import task_manager_picture
from cli.render.styled import plain
from cli.render.text.explanation import explanation_lines
from cli.render.text.what_if import KEEP_FIRST, KEEP_THEN
from planner.deployment.deployment import Deployment
from planner.diff.comparison import Comparison
from planner.errors import OptionError
from planner.explanation.explain import Explanation, explain_plan
from planner.flink.defaults import BUFFERS_PER_CHANNEL, FLOATING_BUFFERS_PER_GATE
from planner.pipeline import STAGES, Plan, Stage
from planner.records import record

if TYPE_CHECKING:
    from planner.frontends.flink_export.live import LiveFigures
from cli.render.text.changes import MEANINGS
from planner.diff.changes import LEVELS, Change, find_changes

__all__ = ["PageRequest", "to_html"]

TITLES = {
    "stream": "Stream graph",
    "job": "Job graph",
    "execution": "Execution graph",
    "physical": "Physical",
    "list": "List",
    "explain": "Explanation",
}
FIRST = "job"  # the tab that is open first
_LOOK = Look(bare=True)


@record
class PageRequest:
    """What a page shows besides the plan."""

    spec: str
    deployment: Deployment | None = None
    comparison: Comparison | None = None
    compared_with: str | None = None
    report: Mapping[str, Any] | None = None
    live: LiveFigures | None = None  # of a running job of Flink
    buffers_per_channel: int = BUFFERS_PER_CHANNEL
    floating_buffers: int = FLOATING_BUFFERS_PER_GATE


def to_html(plan: Plan, request: PageRequest) -> str:
    """The page; the job graph is open first."""
    explanation = explain_plan(
        plan, buffers_per_channel=request.buffers_per_channel, floating_buffers=request.floating_buffers
    )
    variants = find_variants(plan, explanation)
    drawings = {stage: _drawing(plan, stage, explanation, request) for stage in STAGES}
    later = {stage: drawing for stage, drawing in drawings.items() if stage != FIRST and drawing.startswith("<svg")}
    kept = [_kept(f"drawing-{stage}", drawing) for stage, drawing in later.items()]
    kept += [
        _kept(f"variant-{number}", _svg(variant.picture, "job"))
        for number, variant in enumerate(variants)
        if variant.picture is not None
    ]
    sections = [_section(stage, drawing, later=stage in later) for stage, drawing in drawings.items()]
    sections += [_section("list", ""), _section("explain", _explanation(explanation, request.spec))]
    ends = {(edge.source.key, edge.target.key): edge.position for edge in reversed(explanation.edges)}
    data = {
        **plan_data(plan, explanation, request.deployment),
        "variants": [variant_data(variant, ends) for variant in variants],
        "keepWords": [KEEP_FIRST, KEEP_THEN],
        "diff": diff_data(plan, request.comparison, request.compared_with or "") if request.comparison else None,
        "run": run_data(plan, request.report) if request.report else None,
    }
    drawn = "".join((*drawings.values(), *kept))
    style = (
        document.asset("look.css") + document.asset("page.css") + document.named_colours() + document.dark_rules(drawn)
    )
    script = document.script()
    return document.filled(
        document.asset("page.html"),
        {
            "POLICY": document.policy(script=script, style=style),
            "TITLE": html.escape(explanation.name),
            "STYLE": style,
            "TABS": "\n    ".join(_tab(name, title) for name, title in TITLES.items()),
            "SECTIONS": "\n".join(sections),
            "DRAWINGS": "\n".join(kept),
            "DATA": document.island(data),
            "SCRIPT": script,
        },
    )


def _tab(name: str, title: str) -> str:
    chosen = name == FIRST
    return (
        f'<button role="tab" type="button" id="tab-{name}" aria-controls="stage-{name}" data-stage="{name}" '
        f'aria-selected="{str(chosen).lower()}" tabindex="{0 if chosen else -1}">{title}</button>'
    )


def _section(name: str, content: str, *, later: bool = False) -> str:
    """A stage or a list; what is shown `later` is put in when its tab is chosen, so that a large page opens at once."""
    kind = "drawing" if content.startswith("<svg") else "reading"
    hidden = "" if name == FIRST else " hidden"
    focus = "" if kind == "drawing" else ' tabindex="0"'
    return (
        f'<section id="stage-{name}" class="{kind}" role="tabpanel" aria-labelledby="tab-{name}"{focus}{hidden}>'
        f"{'' if later else content}</section>"
    )


def _kept(name: str, drawing: str) -> str:
    """A drawing as text that the browser does not read yet: everything in it is escaped, so it cannot end early."""
    return f'<script type="image/svg+xml" id="{name}">{drawing}</script>'


def _explanation(explanation: Explanation, spec: str) -> str:
    return f"<pre>{html.escape(plain(explanation_lines(explanation, spec=spec)))}</pre>"


def _drawing(plan: Plan, stage: Stage, explanation: Explanation, request: PageRequest) -> str:
    try:
        picture = _picture(plan, stage, explanation, request)
    except OptionError as error:  # a stage that batch mode makes at run time only
        return f"<p>{html.escape(error.message)}</p>"
    return _svg(picture, stage)


def _picture(plan: Plan, stage: Stage, explanation: Explanation, request: PageRequest) -> Picture:
    if plan.observed is not None and stage not in ("stream", "job"):
        raise OptionError(f"Flink describes this job without its {stage} graph.")
    overlay = _overlay(plan, request)
    if stage == "stream":
        return stream_picture(plan, overlay, explanation)
    if stage == "job":
        return job_picture(plan, overlay, explanation)
    deployment = request.deployment
    if stage == "physical" and deployment and deployment.placement and deployment.layout:
        return task_manager_picture(plan, deployment.placement, deployment.layout)
    return PICTURES[stage](plan, overlay)


def _overlay(plan: Plan, request: PageRequest) -> Overlay:
    """Marks of a diff and figures of a run do not meet in one place: both can be laid over."""
    if request.live is not None:
        return live_overlay(plan, request.live)
    marks = diff_marks(plan, request.comparison) if request.comparison else NOTHING
    if request.report is None:
        return marks
    notes = run_notes(plan, request.report)
    return replace(
        notes,
        operators=marks.operators,
        edges=marks.edges,
        gone=marks.gone,
        carried={**notes.carried, **{edge: _both(notes.carried.get(edge), was) for edge, was in marks.carried.items()}},
    )


def _both(figures: str | None, was: str) -> str:
    return f"{was}; {figures}" if figures else was


def _svg(picture: Picture, prefix: str) -> str:
    return document.embedded(draw(to_dot(picture, _LOOK), "svg"), prefix)


def diff_data(plan: Plan, comparison: Comparison, against: str) -> dict[str, Any]:
    """The changes, the gravest first, each with the operator it is about where there is one."""
    nodes = [node.id for node in plan.stream_graph.nodes]
    marks = diff_marks(plan, comparison)
    changes = find_changes(comparison)
    return {
        "against": against,
        "levels": [[level, MEANINGS[level]] for level in LEVELS if any(change.level == level for change in changes)],
        "changes": [_change(change, nodes) for change in changes],
        "marks": {str(node): mark for node, mark in marks.operators.items()},
        "edgeMarks": {str(edge): [mark, marks.carried.get(edge, "")] for edge, mark in marks.edges.items()},
        "gone": [{"id": gone.id, "name": gone.name} for gone in marks.gone],
    }


def _change(change: Change, nodes: list[int]) -> dict[str, Any]:
    moved = change.kind == "operator-id"
    return {
        "level": change.level,
        "message": change.message,
        "ids": [change.before, change.after] if moved else None,
        "advice": change.advice,
        "node": None if change.at is None else nodes[change.at],
    }
