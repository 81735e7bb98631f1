"""`plan rule`: what a chaining condition, a merge condition or a lint rule checks, why it matters, how to fix it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import Annotated, Any, Final

import typer

from cli import console
from cli.options import FormatOption
from cli.render.styled import Line, Span, indented, line, table
from planner.chaining.registry import RULES as CHAINING_RULES
from planner.errors import OptionError
from planner.lint.registry import RULES as LINT_RULES
from planner.merging.registry import RULES as MERGE_RULES
from planner.rules import Rule
from planner.spelling import did_you_mean

_POINT: Final = re.compile(r"(?:-|\d+\.) ")  # of a list


def complete_code(incomplete: str) -> list[tuple[str, str]]:
    """Codes that begin with what is typed, with their slugs."""
    return [(rule.code, rule.slug) for rule in _rules() if rule.code.startswith(incomplete.upper())]


def rule(
    code: Annotated[
        str | None,
        typer.Argument(help="A code (CH009) or a slug; left out: all rules.", autocompletion=complete_code),
    ] = None,
    format: FormatOption = "text",
) -> None:
    """Say what a chaining condition (CH), one of PyFlink's merge conditions (PM) or a lint rule (PL) checks.

    And why it matters, and how to fix it.

    Examples:
      plan rule
      plan rule CH009
      plan rule needless-rebalance --format json
    """
    if code is None:
        rules = _rules()
        if format == "json":
            console.write_json([_document(found) for found in rules])
        else:
            console.write_lines(_list(rules))
        return
    found = _find(code)
    if format == "json":
        console.write_json(_document(found))
    else:
        console.write_lines(_page(found))


def _rules() -> list[Rule]:
    return [*CHAINING_RULES, *MERGE_RULES, *LINT_RULES]


def _find(code: str) -> Rule:
    for known in _rules():
        if code.upper() == known.code or code.lower() == known.slug:
            return known
    names = [name for known in _rules() for name in (known.code, known.slug)]
    raise OptionError(f"there is no rule {code!r}", hint=did_you_mean(code, names) or "`plan rule` lists all rules")


def _document(found: Rule) -> dict[str, Any]:
    return {name: getattr(found, name) for name in ("code", "slug", "summary", "checks", "why", "fix", "example")}


def _list(rules: Sequence[Rule]) -> list[Line]:
    rows: list[Sequence[str | Span]] = [((found.code, "code"), found.slug, (found.summary, "dim")) for found in rules]
    return table(rows)


def _page(found: Rule) -> list[Line]:
    lines = [line((found.code, "code"), " ", (found.slug, "title")), line(found.summary)]
    for heading, text in (
        ("What it checks", found.checks),
        ("Why it matters", found.why),
        ("How to fix it", found.fix),
    ):
        lines += [(), line((heading, "title")), *indented([line(part) for part in _filled(text.strip())])]
    example = [part for part in found.example.rstrip().splitlines() if not part.startswith("```")]
    return [*lines, (), line(("Example", "title")), *indented([line(part) for part in example])]


def _filled(text: str) -> list[str]:
    """The lines of a page; on a terminal, sentences and points of lists fill the width that there is."""
    lines = text.splitlines()
    if not console.is_styled():
        return lines
    blocks: list[list[str]] = []  # lines that are filled together
    for one in lines:
        begins = not one or one.startswith(("|", "```")) or _POINT.match(one)
        if begins or not blocks or not blocks[-1][0] or blocks[-1][0].startswith(("|", "```")):
            blocks.append([one])
        else:
            blocks[-1].append(one.strip())
    width = console.build_console().width - 2
    found: list[str] = []
    for first, *rest in blocks:
        point = _POINT.match(first)
        found += wrap(
            " ".join((first, *rest)),
            width,
            subsequent_indent=" " * len(point[0]) if point else "",
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return found
