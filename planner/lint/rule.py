"""What a lint rule is, what it looks at, and how its page is read from its module's docstring.

A rule module's docstring is its page: the first line is the summary, then the headings `What it does`, `Why it
matters`, `Example` and `How to fix it`. `plan rule`, the pages under docs/rules and the formats all read these
same texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from planner.graphs.state import State, state_of
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Location, Operator
from planner.lint.finding import Finding, Severity
from planner.pipeline import Plan
from planner.settings.pyproject import Config

if TYPE_CHECKING:
    from planner.diff.change import Change
    from planner.diff.comparison import Comparison
    from planner.savepoints.fates import RestoreReport

HEADINGS = ("What it does", "Why it matters", "Example", "How to fix it")


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One planned job, with everything that rules read."""

    plan: Plan
    config: Config
    comparison: Comparison | None = None  # with the job's entry in the baseline
    codes: frozenset[str] = frozenset()  # the rules that run
    restore: RestoreReport | None = None  # from a savepoint

    @cached_property
    def keys(self) -> Mapping[int, str]:
        """The baseline key of every stream node."""
        from planner.snapshots.snapshot import position_keys  # few rules ask for it

        return position_keys(self.plan.stream_graph)

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What `plan diff` with the baseline finds."""
        if self.comparison is None:
            return ()
        from planner.diff.changes import find_changes  # only a baseline needs it

        return find_changes(self.comparison)

    @property
    def is_broken(self) -> bool:
        """Whether PL001 has something to say."""
        return bool(self.newly_broken)

    @cached_property
    def newly_broken(self) -> frozenset[int]:
        """Positions of edges that PL001 reports: what else is to be said of them has the same cause."""
        if self.comparison is None or "PL001" not in self.codes:
            return frozenset()
        return frozenset(broken.new_edge for broken in self.comparison.broken)

    @property
    def nodes(self) -> tuple[StreamNode, ...]:
        """The operators of the job, in the order of the snapshot."""
        return self.plan.stream_graph.nodes

    @property
    def edges(self) -> tuple[StreamEdge, ...]:
        """The edges of the job, in the order of the snapshot."""
        return self.plan.stream_graph.edges

    def node(self, number: int) -> StreamNode:
        """A stream node by its id."""
        return self.plan.stream_graph.by_id[number]

    def state(self, node: StreamNode) -> State:
        """What kind of state a node keeps."""
        return state_of(self.plan.job, node)

    def edge_key(self, edge: StreamEdge) -> str:
        """The baseline keys of an edge's ends."""
        return f"{self.keys[edge.source]} -> {self.keys[edge.target]}"


Find = Callable[["LintRule", Subject], Iterable[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRule:
    """One lint rule: its code, its page, and the function that looks for it."""

    code: str
    slug: str
    severity: Severity
    summary: str
    checks: str
    why: str
    example: str
    fix: str
    find: Find | None  # None: the engine itself finds it

    def finding(
        self,
        message: str,
        *,
        at: Location,
        subject: str,
        operator: Operator | None = None,
        fix: str | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        """A finding of this rule; an ignore on the operator's own line holds for it too."""
        return Finding(
            code=self.code,
            slug=self.slug,
            severity=severity or self.severity,
            message=message,
            location=at,
            fix=fix,
            operator=operator.key if operator else None,
            subject=subject,
            lines=(operator.location.line,) if operator and operator.location.file == at.file else (),
            operator_id=operator.id if operator else None,
        )


def build_rule(code: str, slug: str, page: str | None, find: Find | None, severity: Severity = "warning") -> LintRule:
    """A rule from its module's docstring."""
    if page is None:  # python -OO drops docstrings: the rules must still run
        page = f"{slug}\n" + "".join(f"\n## {heading}\nnot available under python -OO\n" for heading in HEADINGS)
    summary, _, rest = page.strip().partition("\n")
    sections = _sections(rest)
    missing = [heading for heading in HEADINGS if not sections.get(heading)]
    if missing or not summary:
        raise ValueError(f"the page of {code} lacks {', '.join(missing) or 'its summary'}")
    what, why, example, fix = (sections[heading] for heading in HEADINGS)
    return LintRule(
        code=code,
        slug=slug,
        severity=severity,
        summary=summary.rstrip("."),
        checks=what,
        why=why,
        example=example,
        fix=fix,
        find=find,
    )


def _sections(text: str) -> dict[str, str]:
    """The text under each `## Heading`."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("## "):
            lines = sections.setdefault(line[3:].strip(), [])
        else:
            lines.append(line)
    return {heading: "\n".join(found).strip() for heading, found in sections.items()}
