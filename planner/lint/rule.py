"""What a lint rule is, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from planner.graphs.state import State, state_of
from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Location, Operator
from planner.lint.finding import Finding, Severity
from planner.operators import node_label
from planner.pipeline import Plan
from planner.records import record
from planner.rules import Rule, to_remove
from planner.settings.pyproject import Config

if TYPE_CHECKING:
    from planner.diff.change import Change
    from planner.diff.comparison import Comparison
    from planner.explanation.advice import Trials
    from planner.savepoints.fates import RestoreReport


@record(slots=False)
class Subject:
    """One planned job, with everything that rules read."""

    plan: Plan
    config: Config
    comparison: Comparison | None = None  # with the job's entry in the baseline, or with another version
    recorded: bool = True  # in a baseline, which a change may be accepted into
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

    def or_accept(self, fix: str, words: str) -> str:
        """A fix, and how the change is accepted instead, where there is a baseline that it goes into."""
        return f"{fix}{words} with plan lint --update-baseline" if self.recorded else fix

    @cached_property
    def states_told(self) -> frozenset[int]:
        """Nodes of whose state PL002 or PL201 tells: with the id that it is saved under, which counts."""
        told: set[int] = set()
        if self.comparison is not None and "PL002" in self.codes:
            told |= {self.nodes[pair.new_at].id for pair in self.comparison.orphaned}
        if self.restore is not None and "PL201" in self.codes:
            told |= {node.id for node in self.nodes}  # a uid now is a matter of the savepoint
        return frozenset(told)

    def is_changed(self, node: StreamNode) -> bool:
        """Whether the baseline does not have the operator, or with another parallelism."""
        if self.comparison is None:
            return False
        pair = self.comparison.by_new.get(self._positions[node.id])
        return pair is None or pair.old.parallelism != pair.new.parallelism

    @cached_property
    def _positions(self) -> Mapping[int, int]:
        return {node.id: at for at, node in enumerate(self.nodes)}

    @cached_property
    def trials(self) -> Trials:
        """Changes that would chain edges, each tried by compiling the job with it."""
        from planner.explanation.advice import Trials  # few jobs have such edges

        pairs = self.comparison.operators if self.comparison is not None else ()
        return Trials(self.plan, {self.nodes[pair.new_at].id: pair.old.id for pair in pairs})

    def chaining_advice(self, positions: Sequence[int]) -> str | None:
        """What would chain some edges that have one cause, as the fix of a finding; or why nothing is proposed."""
        removed = [obstacle for at in positions for obstacle in to_remove(self.plan.obstacles[at])]
        if any(not obstacle.settings for obstacle in removed) or self.plan.job_graph is None:
            return "; and ".join(dict.fromkeys(found.change for found in removed if found.change)) or None
        advice = self.trials.advise(positions)
        loses = [name for name in advice.loses if name not in self.lost_already]
        lost = f"; that loses the saved state of {', '.join(loses)}" if loses else ""
        chained = [self.edge_words(at) for at in positions if at in advice.chains]
        only = f"; that chains only {', '.join(chained)}" if len(chained) < len(positions) else ""
        return "; and ".join(advice.changes) + only + lost if advice.changes else advice.why_not

    def edge_words(self, at: int) -> str:
        """An edge in a message."""
        return " -> ".join(node_label(self.node(end)) for end in (self.edges[at].source, self.edges[at].target))

    @cached_property
    def lost_already(self) -> frozenset[str]:
        """Operators that do not find the state of the baseline now: moving their ids once more loses nothing."""
        if self.comparison is None:
            return frozenset()
        gone = (pair for pair in self.comparison.operators if not self.comparison.restores(pair))
        return frozenset(node_label(self.nodes[pair.new_at]) for pair in gone)

    @cached_property
    def newly_broken(self) -> frozenset[int]:
        """Positions of edges that PL001 reports: what else is to be said of them has the same cause."""
        if self.comparison is None or "PL001" not in self.codes:
            return frozenset()
        return frozenset(at for broken in self.comparison.broken for at in broken.cuts)

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


# What a rule looks at: edges, parallelism and channels; slot sharing groups too; or more of the job.
Reads = Literal["edges", "slots", "job"]


@record(slots=False)
class LintRule(Rule):
    """One lint rule: its code, its page, and the function that looks for it."""

    severity: Severity
    find: Find | None  # None: the engine itself finds it
    reads: Reads = "job"

    def knows(self, plan: Plan) -> bool:
        """Whether the plan tells what the rule looks at: one of a job that Flink described tells little."""
        if plan.observed is None:
            return True
        return self.reads == "edges" or (self.reads == "slots" and plan.observed.knows_groups)

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


def build_rule(
    code: str, slug: str, page: str | None, find: Find | None, severity: Severity = "warning", *, reads: Reads = "job"
) -> LintRule:
    """A rule from its module's docstring."""
    return LintRule(code=code, slug=slug, page=page, severity=severity, find=find, reads=reads)
