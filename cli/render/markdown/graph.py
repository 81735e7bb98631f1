"""The job graph of a report as a Mermaid diagram: chains as frames, what changed marked, large graphs folded to it."""

from __future__ import annotations

from dataclasses import replace

from cli.render.pictures.mermaid import to_mermaid
from cli.render.pictures.operators import stream_picture
from cli.render.pictures.overlay import NOTHING, Overlay
from cli.render.pictures.picture import Box, Picture
from cli.render.words import count
from planner.explanation.explain import Explanation
from planner.pipeline import Plan

__all__ = ["MOST_BOXES", "job_diagram"]

MOST_BOXES = 40  # above that only what changed is drawn, with its neighbours
_CHARACTERS = 20_000  # of one diagram; Mermaid itself refuses more than 50,000
_LEGEND = {"added": "green, thick: added", "changed": "amber, thick: changed", "removed": "red, dashed: removed"}


def job_diagram(plan: Plan, explanation: Explanation, overlay: Overlay = NOTHING) -> str:
    """A fenced Mermaid diagram with its legend; the empty text where nothing can be drawn in a comment."""
    picture = _brief(stream_picture(plan, overlay, explanation), explanation)
    note = ""
    if len(picture.boxes) > MOST_BOXES:
        whole = len(picture.boxes)
        picture = _near_marks(picture) if overlay is not NOTHING else _first(picture)
        drawn = sum(box.kind != "folded" for box in picture.boxes)
        note = f"{drawn} of {whole} operators are drawn: " + (
            "what changed, and its neighbours." if overlay is not NOTHING else "the first ones."
        )
    drawing = to_mermaid(picture, titled=False)
    if len(drawing) > _CHARACTERS or not picture.boxes:
        return f"_The graph has {len(explanation.operators)} operators, too many to draw here._"
    marks = {box.mark for box in picture.boxes} | {arrow.mark for arrow in picture.arrows}
    legend = "; ".join(words for mark, words in _LEGEND.items() if mark in marks)
    below = " ".join(part for part in (f"Marked {legend}." if legend else "", note) if part)
    return f"```mermaid\n{drawing}```" + (f"\n\n<sub>{below}</sub>" if below else "")


def _brief(picture: Picture, explanation: Explanation) -> Picture:
    """The operators with what a reviewer needs: their key, and nothing that the frame already says."""
    keys = {f"n{ref.node}": ref.key if ref.key != ref.name else "" for ref in explanation.operators.values()}
    return replace(
        picture, boxes=tuple(replace(box, lines=(keys.get(box.id, ""), box.mark or "")) for box in picture.boxes)
    )


def _near_marks(picture: Picture) -> Picture:
    """What is marked, with its neighbours; how much is left out is said in a box of every chain it is left out of."""
    marked = {box.id for box in picture.boxes if box.mark}
    near = set(marked)
    for arrow in picture.arrows:
        if arrow.mark or arrow.source in marked or arrow.target in marked:
            near |= {arrow.source, arrow.target}
    if len(near) > MOST_BOXES:
        near = marked
    if len(near) > MOST_BOXES:
        near = {box.id for box in [box for box in picture.boxes if box.id in marked][:MOST_BOXES]}
    return _only(picture, near)


def _first(picture: Picture) -> Picture:
    return _only(picture, {box.id for box in picture.boxes[:MOST_BOXES]})


def _only(picture: Picture, kept: set[str]) -> Picture:
    """The picture with some boxes; what is left out between two of them is one box, in frames that are still drawn."""
    frames = {box.cluster for box in picture.boxes if box.id in kept and box.cluster}
    boxes: list[Box] = []
    drawn_as: dict[str, str] = {}
    runs: dict[str, int] = {}  # how many boxes each of the additional ones stands for
    last: dict[str | None, str] = {}  # the box that stands for the end of each frame so far
    for box in picture.boxes:
        if box.id in kept:
            boxes.append(box)
            drawn_as[box.id] = last[box.cluster] = box.id
        elif box.cluster in frames:
            run = last.get(box.cluster, "")
            if run not in runs:
                run = f"more_{box.id}"
                boxes.append(Box(id=run, title="", kind="folded", cluster=box.cluster))
            runs[run] = runs.get(run, 0) + 1
            drawn_as[box.id] = last[box.cluster] = run
    boxes = [replace(box, title=count(runs[box.id], "more operator")) if box.id in runs else box for box in boxes]
    arrows, seen = [], set()
    for arrow in picture.arrows:
        source, target = drawn_as.get(arrow.source), drawn_as.get(arrow.target)
        if source is None or target is None or source == target:
            continue
        folded = source != arrow.source or target != arrow.target
        if folded and (source, target) in seen:
            continue
        seen.add((source, target))
        arrows.append(replace(arrow, source=source, target=target))
    return replace(
        picture,
        boxes=tuple(boxes),
        clusters=tuple(cluster for cluster in picture.clusters if cluster.id in frames),
        arrows=tuple(arrows),
    )
