"""Pages that need nothing but themselves: assets put together, a policy that allows only them, safe text everywhere."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from cli.render.pictures.palette import THEMES, Theme, ThemeName, dark_of
from cli.render.pictures.picture import BoxKind

__all__ = ["asset", "dark_rules", "embedded", "filled", "island", "named_colours", "policy", "script"]

SCRIPT = (
    "theme.js",
    "model.js",
    "view.js",
    "minimap.js",
    "select.js",
    "panel.js",
    "whatif.js",
    "overview.js",
    "list.js",
    "start.js",
)
# What Graphviz writes and the page needs not: comments, titles, links without a target, attributes that the style
# sheet has, texts of blanks.
_SPARE = re.compile(
    r"<!--.*?-->|<title>.*?</title>\n?|</?a\b[^>]*>\n?| xml:space=\"preserve\"| font-family=\"[^\"]*\""
    r"| xmlns:xlink=\"[^\"]*\"|<text[^>]*>(?:&#160;|\s)*</text>\n?",
    re.DOTALL,
)
LEGEND_BOXES: tuple[BoxKind, ...] = ("source", "operator", "keyed", "sink")
_SELECTORS: tuple[tuple[str, ThemeName], ...] = ((":root", "light"), (':root[data-theme="dark"]', "dark"))
_ID = re.compile(r'(<(?:g|path|text|svg)\b[^>]*?) id="')
_DIGITS = re.compile(r"(\d\.\d)\d")
_SIZE = re.compile(r'<svg width="[^"]*" height="[^"]*"\s*')


@cache
def asset(name: str) -> str:
    """The text of one of the page's own files."""
    return files("cli.render.page").joinpath(*name.split("/")).read_text(encoding="utf-8")


def script(parts: Iterable[str] = SCRIPT) -> str:
    """One script, from its parts."""
    return '"use strict";\n(() => {\n' + "\n".join(asset(f"script/{part}") for part in parts) + "})();\n"


def policy(*, script: str, style: str) -> str:
    """A content security policy: this script and this style sheet, and nothing from anywhere."""
    allowed = f"script-src '{_digest(script)}'; style-src '{_digest(style)}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def filled(template: str, parts: Mapping[str, str]) -> str:
    """The template with its marks replaced, each once and in order: never a mark inside a job's name."""
    done: list[str] = []
    rest = template
    while True:
        found = re.search(r"<!--([A-Z]+)-->", rest)
        if found is None:
            return "".join([*done, rest])
        done += [rest[: found.start()], parts[found[1]]]
        rest = rest[found.end() :]


def island(data: Mapping[str, Any]) -> str:
    """Data inside a script element: nothing in it can end the element or begin a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.encode("utf-8", "replace").decode()


def embedded(svg: bytes, prefix: str) -> str:
    """A drawing as a part of the page: without what the page has itself, its ids apart from other drawings'."""
    text = svg.decode("utf-8")
    text = _SPARE.sub("", text[text.index("<svg") :])
    text = _SIZE.sub(f'<svg role="group" aria-label="{html.escape(prefix)}" ', text, count=1)
    tags = _ID.sub(rf'\1 id="{prefix}-', text)
    return re.sub(r"\n+", "\n", re.sub(r"<[^>]+>", lambda tag: _DIGITS.sub(r"\1", tag[0]), tags))


def dark_rules(drawings: str) -> str:
    """Rules that turn the colours that the drawings have into those of the dark theme; paper stays light."""
    rules = []
    for light, dark in dark_of().items():
        for name in ("fill", "stroke"):
            written = [value for value in _spellings(light) if f'{name}="{value}"' in drawings]
            rules += [f':where([data-theme="dark"]) svg [{name}="{value}"]{{{name}:{dark}}}' for value in written]
    return "@media screen{" + "".join(rules) + "}"


def named_colours() -> str:
    """The colours of the drawings as names for the style sheet: the legend and the drawings cannot differ."""
    return "".join(
        f"{selector}{{{''.join(f'--{name}:{colour};' for name, colour in _names(THEMES[theme]))}}}"
        for selector, theme in _SELECTORS
    )


def _names(theme: Theme) -> Iterator[tuple[str, str]]:
    for kind in LEGEND_BOXES:
        yield f"{kind}-fill", theme.boxes[kind].inside
        yield f"{kind}-line", theme.boxes[kind].border
    yield from ((f"heat-{step}", colour) for step, colour in enumerate(theme.heat))
    yield "heat", f"linear-gradient(90deg, {', '.join(theme.heat)})"


def _spellings(colour: str) -> tuple[str, ...]:
    return (colour, "white") if colour == "#ffffff" else (colour,)
