"""What to set on operators so that they find their saved state, and what Flink answers then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.errors import PlanError
from planner.graphs.state_lookup import may_have_uid_hash, written_for
from planner.graphs.stream_graph import StreamGraph, StreamNode
from planner.job import Operator
from planner.pipeline import Plan
from planner.pipeline import plan as compile_plan
from planner.savepoints.contents import SavepointContents
from planner.savepoints.metadata import SavedOperator
from planner.savepoints.new_job import reduce_plan
from planner.savepoints.origins import Origin
from planner.savepoints.verdict import Verdict, judge

__all__ = ["Fix", "find_fix", "judge_with_fixes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """What to set on an operator so that it finds its state: its old uid, or a uid hash."""

    node: StreamNode
    uid: str | None
    uid_hash: str

    @property
    def takes_hash(self) -> bool:
        """Whether the operator may have a uid hash; v2 sinks may not."""
        return may_have_uid_hash(self.node.operator)

    @property
    def written(self) -> tuple[str, ...]:
        """The settings as they are written in the job's file, each of which alone is enough."""
        operator = self.node.operator
        uid = [written_for(operator, uid=self.uid)] if self.uid is not None else []
        hashed = [written_for(operator, uid_hash=self.uid_hash)] if self.takes_hash else []
        return (*uid, *hashed)

    def to_dict(self) -> dict[str, Any]:
        """The fix as JSON-ready data."""
        return {
            "operator": self.node.operator.key,
            "uid": self.uid,
            "uid_hash": self.uid_hash if self.takes_hash else None,
            "written": list(self.written),
            "location": str(self.node.operator.location),
        }


def find_fix(node: StreamNode, saved: SavedOperator, origin: Origin | None) -> Fix | None:
    """What to set on the operator that owns a saved state; None where nothing may be set."""
    old_uid = saved.uid if origin and any(edit.uid == saved.uid for edit in origin.edits) else None
    fix = Fix(node=node, uid=old_uid if not node.behind_writer else None, uid_hash=saved.id)
    return fix if fix.takes_hash or fix.uid else None


def judge_with_fixes(plan: Plan, contents: SavepointContents, fixes: Sequence[Fix]) -> Verdict | None:
    """Flink's answer to the job with all fixes: uid hashes where they may be set, else the old uids."""
    changed = {fix.node.operator.id: _fixed(fix) for fix in fixes}
    if not changed:
        return None
    transformations = tuple(changed.get(each.id, each) for each in plan.job.transformations)
    job = replace(plan.job, transformations=transformations, compiled=_fixed_graph(plan.job.compiled, changed))
    try:
        compiled = compile_plan(job, until="job", flink=plan.flink)
    except PlanError:
        return None
    return judge(contents.metadata, reduce_plan(compiled))


def _fixed_graph(graph: StreamGraph | None, changed: Mapping[int, Operator]) -> StreamGraph | None:
    """The stream graph that Flink itself exported, with the fixes; None for a job that is compiled here."""
    if graph is None:
        return None
    nodes = (
        replace(node, uid=operator.uid, user_hash=operator.uid_hash, operator=operator)
        if (operator := changed.get(node.operator.id)) is not None
        else node
        for node in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes))


def _fixed(fix: Fix) -> Operator:
    operator = fix.node.operator
    return replace(operator, uid_hash=fix.uid_hash) if fix.takes_hash else replace(operator, uid=fix.uid)
