"""The rules' pages under docs/rules, written from the registries: `python -m cli.render.rule_pages docs/rules`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from planner.chaining.registry import RULES as CHAINING_RULES
from planner.lint.registry import RULES as LINT_RULES
from planner.merging.registry import RULES as MERGE_RULES
from planner.rules import Rule

__all__ = ["rule_pages", "write_rule_pages"]

_NOTE = "<!-- Written by `make docs` from the rule's own module; change it there. -->"


def rule_pages() -> dict[str, str]:
    """Every page by its file name, the list of all rules included."""
    rules: tuple[Rule, ...] = (*CHAINING_RULES, *MERGE_RULES, *LINT_RULES)
    return {"README.md": "\n".join(_index()), **{f"{rule.code}.md": _page(rule) for rule in rules}}


def write_rule_pages(folder: Path) -> None:
    """Write all pages, and remove those of rules that are no more."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = rule_pages()
    for old in folder.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


def _index() -> Iterator[str]:
    yield from ("# Rules", "", _NOTE, "")
    yield "`plan rule CODE` prints the same in a terminal."
    yield from ("", "## Chaining conditions", "", "An edge is not chained because ...", "")
    yield from _table(CHAINING_RULES)
    yield from ("", "## PyFlink's merge conditions", "", "Two Python operators are not merged because ...", "")
    yield from _table(MERGE_RULES)
    yield from ("", "## Lint rules", "")
    yield from _table(LINT_RULES)
    yield ""


def _table(rules: Sequence[Rule]) -> Iterator[str]:
    yield from ("| code | name | |", "| --- | --- | --- |")
    for rule in rules:
        yield f"| [{rule.code}]({rule.code}.md) | {rule.slug} | {rule.summary} |"


def _page(rule: Rule) -> str:
    example = rule.example.strip("\n")
    fenced = example if "```" in example else f"```\n{example}\n```"
    sections = {
        "What it checks": rule.checks,
        "Why it matters": rule.why,
        "How to fix it": rule.fix,
        "Example": fenced,
    }
    body = "".join(f"\n## {heading}\n\n{text.strip()}\n" for heading, text in sections.items())
    return f"# {rule.code} {rule.slug}\n\n{_NOTE}\n\n{rule.summary[0].upper()}{rule.summary[1:]}.\n{body}"


if __name__ == "__main__":
    write_rule_pages(Path(sys.argv[1]))
