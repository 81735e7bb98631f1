"""One job before and after: what `plan diff` says in text, JSON and Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from planner.diff.changes import LEVELS, Change, find_changes, job_change
from planner.diff.comparison import Comparison, compare
from planner.diff.drift import Drift, deployed_side, find_drift
from planner.diff.folding import FoldedChange, fold_changes
from planner.diff.upgrade import Upgrade, describe_upgrade
from planner.diff.versions import Version
from planner.errors import PlanError
from planner.explanation.explain import Explanation, explain_plan
from planner.lint.engine import regressions
from planner.lint.finding import Finding
from planner.pipeline import Plan
from planner.records import record
from planner.settings.pyproject import load_config
from planner.snapshots.snapshot import Snapshot

__all__ = ["VERDICTS", "Failure", "Fix", "JobReview", "Verdict", "review_drift", "review_pair", "review_versions"]

Verdict = Literal["cannot be planned", "state-breaking", "result", "performance", "safe", "no changes"]
VERDICTS: Final[tuple[Verdict, ...]] = ("cannot be planned", *LEVELS, "no changes")  # the gravest first

# The lint rule that says what to do about a change, by the change's part and kind; PL006 has what state does not fit.
_RULES: Final = {
    ("state", "operator-id"): "PL002",
    ("chain", "broken"): "PL001",
    ("operator", "removed"): "PL003",
    ("slots", "slots"): "PL004",
}
_OF_THE_JOB: Final = ("PL003", "PL004")  # these stand at the job, not at an operator that is still there

Explain = Callable[[Plan], Explanation]


@record
class Failure:
    """Why a version cannot be planned."""

    side: Literal["old", "new"]
    message: str
    place: str | None
    hint: str | None

    @staticmethod
    def of(side: Literal["old", "new"], error: PlanError) -> Failure:
        """A failure from the error that loading or planning raised."""
        place = str(error.location) if error.location else None
        return Failure(side=side, message=error.message, place=place, hint=error.hint)

    def to_dict(self) -> dict[str, Any]:
        """The failure as JSON-ready data."""
        return {"side": self.side, "message": self.message, "place": self.place, "hint": self.hint}


@record
class Fix:
    """What to do about a change, and where."""

    text: str
    place: str
    code: str

    def to_dict(self) -> dict[str, str]:
        """The fix as JSON-ready data."""
        return {"code": self.code, "place": self.place, "text": self.text}


@record(slots=False)
class JobReview:
    """What a change does to one job."""

    name: str
    file: str | None = None
    changes: tuple[Change, ...] = ()
    comparison: Comparison | None = None
    before: Explanation | None = None  # None: the job is new, or the version is a baseline, which keeps no figures
    after: Explanation | None = None
    plan: Plan | None = None  # of the new version
    findings: tuple[Finding, ...] = ()  # of the lint rules that compare with a baseline
    upgrade: Upgrade | None = None
    failure: Failure | None = None
    drift: Drift | None = None  # one of the sides is what Flink says about a job

    @cached_property
    def causes(self) -> tuple[FoldedChange, ...]:
        """The changes by cause, the gravest first."""
        return fold_changes(self.changes)

    @property
    def verdict(self) -> Verdict:
        """The gravest thing that the change does."""
        if self.failure is not None:
            return "cannot be planned"
        return next((level for level in LEVELS if any(one.level == level for one in self.changes)), "no changes")

    def fixes(self, cause: FoldedChange) -> tuple[Fix, ...]:
        """What lint says is to be done about a cause."""
        code = _RULES.get((cause.part, cause.kind), "PL006" if cause.level == "state-breaking" else None)
        if code is None or self.plan is None:
            return ()
        nodes = self.plan.stream_graph.nodes
        operators = {nodes[at].operator.id for at in cause.at}
        found = [
            Fix(text=finding.fix, place=str(finding.location), code=code)
            for finding in self.findings
            if finding.code == code
            and finding.fix
            and (code in _OF_THE_JOB or finding.operator_id is None or finding.operator_id in operators)
        ]
        # a broken chain names the operator to change: one fix may mend several edges
        known = {fix.text if code == "PL001" else fix: fix for fix in reversed(found)}
        return tuple(reversed(known.values()))

    def to_dict(self) -> dict[str, Any]:
        """The review as JSON-ready data."""
        return {
            "job": self.name,
            "file": self.file,
            "verdict": self.verdict,
            "causes": [
                {**cause.to_dict(), "fixes": [fix.to_dict() for fix in self.fixes(cause)]} for cause in self.causes
            ],
            "totals": {
                "before": self.before.summary.to_dict() if self.before else None,
                "after": self.after.summary.to_dict() if self.after else None,
            },
            "failure": self.failure.to_dict() if self.failure else None,
        }


def review_versions(
    old: Version,
    new: Version,
    pairs: Iterable[tuple[Snapshot | None, Snapshot | None]],
    *,
    explain: Explain = explain_plan,
    file: str | None = None,
) -> list[JobReview]:
    """The jobs of two versions, as they were paired."""
    return [
        review_pair(
            before,
            after,
            old_plan=old.plan_of(before) if before else None,
            new_plan=new.plan_of(after) if after else None,
            explain=explain,
            file=file,
        )
        for before, after in pairs
    ]


def review_drift(planned: Plan | Version, running: Plan | Version, *, explain: Explain = explain_plan) -> JobReview:
    """A job that was planned beside one that runs, of which at least one is what Flink says about it."""
    wanted = next((side.stream_graph.name for side in (running, planned) if isinstance(side, Plan)), None)
    after, new_plan = deployed_side(running, wanted)
    before, old_plan = deployed_side(planned, after.name)
    return JobReview(
        name=after.name,
        changes=find_drift(before, after),
        before=explain(old_plan) if old_plan else None,
        after=explain(new_plan) if new_plan else None,
        plan=new_plan,
        drift=Drift(planned=before, running=after),
    )


def review_pair(
    old: Snapshot | None,
    new: Snapshot | None,
    *,
    old_plan: Plan | None,
    new_plan: Plan | None,
    explain: Explain = explain_plan,
    file: str | None = None,
) -> JobReview:
    """One job; None where a version has not got it."""
    named = new or old
    assert named is not None
    comparison = compare(old, new) if old and new else None
    return JobReview(
        name=named.name,
        file=file,
        changes=find_changes(comparison) if comparison else (job_change(old, new),),
        comparison=comparison,
        before=explain(old_plan) if old_plan else None,
        after=explain(new_plan) if new_plan else None,
        plan=new_plan,
        findings=_findings(new_plan, comparison),
        upgrade=_upgrade(old_plan, new_plan, comparison),
    )


def _findings(plan: Plan | None, comparison: Comparison | None) -> tuple[Finding, ...]:
    if plan is None or comparison is None:
        return ()
    folder = Path(plan.job.location.file).absolute().parent
    config = load_config(folder).for_job(plan.stream_graph.name, plan.job.location.file)
    return tuple(regressions(plan, comparison, config))


def _upgrade(old: Plan | None, new: Plan | None, comparison: Comparison | None) -> Upgrade | None:
    """What another version of Flink does, where both sides were planned here and for different ones."""
    if old is None or new is None or comparison is None or old.flink == new.flink:
        return None
    return describe_upgrade(old, new, comparison)
