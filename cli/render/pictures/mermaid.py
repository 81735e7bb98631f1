"""Pictures as Mermaid flowcharts, for Markdown pages that draw them."""

from __future__ import annotations

import re
from itertools import pairwise

from cli.render.pictures.palette import STROKES, THEMES, Fill, Theme, ThemeName
from cli.render.pictures.picture import Arrow, ArrowKind, Box, Picture

__all__ = ["to_mermaid"]

# Mermaid reads entities written with '#': all that could end a string, open markup or start Markdown goes that way.
_SPECIAL = re.compile('["#<>&`\\\\|{}\\[\\]();*_~]')
_NUMBERED = re.compile(r"^(\s*\d+)\.")  # "1. a" would be a list of Markdown, which some versions of Mermaid refuse
# Also what turns the direction of the text around it: a name must not look like another one.
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_LINES: dict[ArrowKind, str] = {
    "chained": "-->",
    "broken": "==>",
    "needed": "-.->",
    "fixed": "-.->",
    "open": "-.->",
    "wire": "-->",
    "removed": "-.->",
}


def to_mermaid(picture: Picture, theme: ThemeName = "light", direction: str = "down", *, titled: bool = True) -> str:
    """The picture as one flowchart; under a heading that names the job it needs no title."""
    colours = THEMES[theme]
    way = "LR" if direction == "right" else "TB"
    named = ["---", f"title: {_yaml_text(picture.title)}", "---"] if titled else []
    lines = [*named, f"flowchart {way}"]
    inside: dict[str | None, list[Box]] = {}
    for box in picture.boxes:
        inside.setdefault(box.cluster, []).append(box)
    lines += [f"    {_box(box)}" for box in inside.get(None, ())]
    for cluster in picture.clusters:
        title = ", ".join(text for text in (cluster.title, cluster.subtitle) if text)
        lines += [f'    subgraph {cluster.id}["{_text(title)}"]']
        lines += [f"        {_box(box)}" for box in inside.get(cluster.id, ())]
        lines += ["    end", f"    style {cluster.id} {_fill(colours, colours.clusters[cluster.kind])}"]
    lines += [f"    {_arrow(arrow)}" for arrow in picture.arrows]
    lines += [f"    {above} ~~~ {below}" for above, below in pairwise(row[0] for row in picture.rows)]
    return "\n".join([*lines, *_styles(picture, colours)]) + "\n"


def _box(box: Box) -> str:
    below = "".join(f"<br/>{_text(text)}" for text in box.lines if text)
    return f'{box.id}["{_text(box.title)}{below}"]:::{box.kind}'


def _arrow(arrow: Arrow) -> str:
    parts = [text for text in (arrow.label, *arrow.lines) if text]
    label = f'|"{"<br/>".join(_text(part) for part in parts)}"|' if parts else ""
    return f"{arrow.source} {_LINES[arrow.kind]}{label} {arrow.target}"


def _styles(picture: Picture, colours: Theme) -> list[str]:
    kinds = dict.fromkeys(box.kind for box in picture.boxes)
    lines = [f"    classDef {kind} {_fill(colours, colours.boxes[kind])}" for kind in kinds]
    for kind, stroke in STROKES.items():
        numbers = [str(number) for number, arrow in enumerate(picture.arrows) if arrow.kind == kind]
        if numbers:
            style = f"stroke:{colours.arrows[kind]},stroke-width:{stroke.width:g}px"
            lines.append(f"    linkStyle {','.join(numbers)} {style}")
    return [*lines, *_marks(picture, colours)]


def _marks(picture: Picture, colours: Theme) -> list[str]:
    """What was added, changed or removed since another version, over the styles of its kind."""
    lines: list[str] = []
    for mark, colour in colours.marks.items():
        dashes = ",stroke-dasharray:6 4" if mark == "removed" else ""
        boxes = [box.id for box in picture.boxes if box.mark == mark]
        if boxes:
            lines.append(f"    classDef is_{mark} stroke:{colour},stroke-width:4px{dashes}")
            lines.append(f"    class {','.join(boxes)} is_{mark}")
        arrows = [str(number) for number, arrow in enumerate(picture.arrows) if arrow.mark == mark]
        if arrows:
            lines.append(f"    linkStyle {','.join(arrows)} stroke:{colour},stroke-width:4px")
    return lines


def _fill(colours: Theme, fill: Fill) -> str:
    return f"fill:{fill.inside},stroke:{fill.border},color:{colours.ink}"


def _text(text: str) -> str:
    def entity(match: re.Match[str]) -> str:
        return f"#{ord(match.group())};"

    clean = _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\t", " "))
    return "<br/>".join(_NUMBERED.sub(r"\1#46;", _SPECIAL.sub(entity, part)) for part in clean.split("\n"))


def _yaml_text(text: str) -> str:
    import json

    return json.dumps(_CONTROL.sub("\ufffd", text).replace("\n", " "), ensure_ascii=False)
