"""The pages under docs/rules are those of the rules as they are."""

from __future__ import annotations

from pathlib import Path

from cli.render.rule_pages import rule_pages, write_rule_pages
from planner.chaining.registry import RULES as CHAINING_RULES
from planner.lint.registry import RULES as LINT_RULES

PAGES = Path(__file__).parents[3] / "docs/rules"


def test_the_committed_pages_are_current() -> None:
    committed = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    assert committed == rule_pages(), "run make docs"


def test_every_rule_has_a_page_that_says_everything() -> None:
    pages = rule_pages()
    for rule in (*CHAINING_RULES, *LINT_RULES):
        page = pages[f"{rule.code}.md"]
        for text in (rule.slug, rule.checks.strip(), rule.why.strip(), rule.fix.strip(), rule.example.strip("\n")):
            assert text
            assert text in page
        assert f"({rule.code}.md)" in pages["README.md"]


def test_pages_of_rules_that_are_gone_go_too(tmp_path: Path) -> None:
    (tmp_path / "CH999.md").write_text("an old rule", encoding="utf-8")
    write_rule_pages(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(rule_pages())
