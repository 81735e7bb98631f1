"""What becomes of every saved operator when a job restores: found, not found, dropped; and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from planner.flink.defaults import default_max_parallelism
from planner.graphs.state import state_of
from planner.graphs.stream_graph import StreamNode
from planner.job import Partition
from planner.operators import without_counters
from planner.pipeline import Plan
from planner.records import record
from planner.savepoints.contents import OperatorContents, SavepointContents
from planner.savepoints.expected_states import declared_states, why_dropped
from planner.savepoints.metadata import SavedOperator
from planner.savepoints.new_job import NewJob, NewVertex, reduce_plan
from planner.savepoints.origins import OwnerCertainty, StateOwner, find_origins
from planner.savepoints.reasons import StateFix, find_fix, judge_with_fixes, reason_in_words
from planner.savepoints.verdict import Complaint, RestoreVerdict, inner_channels, judge

__all__ = ["NOT_VISIBLE", "Fate", "RestoreReport", "Status", "restore"]

Status = Literal["not found", "refused", "dropped", "partly dropped", "restored", "skipped", "no state"]

NOT_VISIBLE = (
    "another key of the same type: the job starts, and keys look up the wrong state",
    "other types of keys or values: the tasks fail when they read the state",
    "functions that changed places in a job without uids: each finds the state of another one",
    "what functions do with the state they find",
)


@record
class Fate:
    """What becomes of one saved operator."""

    contents: OperatorContents
    status: Status
    node: StreamNode | None = None  # the operator that takes the state, or should
    complaints: tuple[Complaint, ...] = ()
    reason: str | None = None
    certainty: OwnerCertainty | None = None
    dropped: tuple[tuple[str, str], ...] = ()  # names of states that the operator does not ask for, and why
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # changes that are fine
    fix: StateFix | None = None

    @property
    def saved(self) -> SavedOperator:
        """The saved operator."""
        return self.contents.saved

    def to_dict(self) -> dict[str, Any]:
        """The fate as JSON-ready data."""
        return {
            "id": self.saved.id,
            "name": self.saved.name,
            "uid": self.saved.uid,
            "has_state": self.saved.has_state,
            "size": self.saved.size,
            "states": [state.name for state in self.contents.states],
            "status": self.status,
            "operator": self.node.operator.key if self.node else None,
            "complaints": [complaint.kind for complaint in self.complaints],
            "reason": self.reason,
            "certainty": self.certainty,
            "dropped_states": [{"name": name, "reason": reason} for name, reason in self.dropped],
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "fix": self.fix.to_dict() if self.fix else None,
        }


@record
class RestoreReport:
    """The answer to "will this job restore from this savepoint", with reasons and fixes."""

    job: str
    contents: SavepointContents
    verdict: RestoreVerdict
    fates: tuple[Fate, ...]
    starts_empty: tuple[StreamNode, ...]
    with_fixes: RestoreVerdict | None  # Flink's answer once all fixes are set; None where there are none
    warnings: tuple[str, ...]  # about the whole

    def of(self, *statuses: Status) -> tuple[Fate, ...]:
        """The fates of some statuses, in the order of the file."""
        return tuple(fate for fate in self.fates if fate.status in statuses)

    @property
    def loses_state(self) -> bool:
        """Whether the job starts in strict mode and state is gone all the same."""
        return self.verdict.strict.outcome == "started" and bool(self.of("dropped", "partly dropped"))

    @property
    def restores(self) -> bool:
        """Whether the job starts in strict mode with all state that can be seen."""
        return self.verdict.strict.outcome == "started" and not self.loses_state

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        return {
            "job": self.job,
            "restore": {
                **self.verdict.to_dict(),
                "with_fixes": self.with_fixes.strict.to_dict() if self.with_fixes else None,
            },
            "operators": [fate.to_dict() for fate in self.fates],
            "starts_empty": [
                {"operator": node.operator.key, "name": node.name, "location": str(node.operator.location)}
                for node in self.starts_empty
            ],
            "warnings": list(self.warnings),
            "not_visible": list(NOT_VISIBLE),
        }


def restore(plan: Plan, contents: SavepointContents) -> RestoreReport:
    """What happens when the plan's job is restored from a savepoint. The plan reaches at least to its job graph."""
    job = reduce_plan(plan)
    verdict = judge(contents.metadata, job)
    saved = {operator.id: operator for operator in contents.metadata.operators}
    origins = find_origins(plan, saved)
    fates = tuple(_Fates(plan, job, verdict, saved, origins).of(each) for each in contents.operators)
    return RestoreReport(
        job=plan.stream_graph.name,
        contents=contents,
        verdict=verdict,
        fates=fates,
        starts_empty=tuple(_starts_empty(plan, job, saved, origins)),
        with_fixes=judge_with_fixes(plan, contents, [fate.fix for fate in fates if fate.fix]),
        warnings=tuple(_warnings(plan, contents)),
    )


@record(kw_only=False)
class _Fates:
    plan: Plan
    job: NewJob
    verdict: RestoreVerdict
    saved: Mapping[str, SavedOperator]
    origins: Mapping[str, StateOwner]

    def of(self, contents: OperatorContents) -> Fate:
        saved = contents.saved
        complaints = tuple(c for c in self.verdict.strict.complaints if c.operator == saved.id)
        vertex = self.job.by_id.get(saved.id)
        if vertex is None:
            return self.unmapped(contents, complaints)
        node = self.taker(vertex, saved.id)
        if complaints:
            return Fate(contents=contents, status="refused", node=node, complaints=complaints)
        if node is None or not saved.has_state:
            status: Status = "no state" if not saved.has_state else "skipped"
            return Fate(contents=contents, status=status, node=node, notes=tuple(_notes(vertex, saved)))
        return self.taken(contents, node, vertex)

    def taker(self, vertex: NewVertex, id_: str) -> StreamNode | None:
        """The operator that Flink gives the state to; None where another state was found under its uid hash."""
        for operator, taken in vertex.taken(self.saved):
            if taken == id_:
                return self.plan.stream_graph.by_id[operator.node]
        return None

    def unmapped(self, contents: OperatorContents, complaints: tuple[Complaint, ...]) -> Fate:
        saved = contents.saved
        if not saved.has_state:
            return Fate(contents=contents, status="no state")
        origin = self.origins.get(saved.id)
        node = self.plan.stream_graph.by_id[origin.node] if origin and origin.node is not None else None
        return Fate(
            contents=contents,
            status="not found",
            node=node,
            complaints=complaints,
            reason=reason_in_words(self.plan, saved, origin),
            certainty=origin.certainty if origin else "likely",
            fix=find_fix(node, saved, origin) if node else None,
        )

    def taken(self, contents: OperatorContents, node: StreamNode, vertex: NewVertex) -> Fate:
        states = contents.data_states or contents.states
        keyed = self.on_keyed_stream(node)
        reasons = ((state.name, why_dropped(node, state, keyed=keyed)) for state in states)
        dropped = [(name, reason) for name, reason in reasons if reason is not None]
        inner = [
            channels for operator, channels in inner_channels(vertex, self.saved) if operator.id == contents.saved.id
        ]
        if inner:
            dropped.append(("records in flight", "the edge that they were on is chained now"))
        held = len(states) + sum(1 for kind in contents.kinds if "channel" in kind)
        status: Status = "restored"
        if dropped:
            status = "dropped" if len(dropped) == held else "partly dropped"
        return Fate(
            contents=contents,
            status=status,
            node=node,
            dropped=tuple(dropped),
            warnings=tuple(self.task_failures(contents, node, vertex)),
            notes=(*_notes(vertex, contents.saved), *_other_name(node, contents.saved)),
        )

    def on_keyed_stream(self, node: StreamNode) -> bool:
        """Whether any of its inputs is keyed: beside a keyed input, others may be broadcast."""
        inputs = (self.plan.job.by_id[number] for number in node.operator.inputs)
        return any(isinstance(each, Partition) and each.partitioner == "HASH" for each in inputs)

    def task_failures(self, contents: OperatorContents, node: StreamNode, vertex: NewVertex) -> Iterator[str]:
        """What is seen here and would fail in the tasks, after Flink has accepted the job."""
        declared = declared_states(node.operator) or {}
        for state in contents.data_states:
            wanted = declared.get(state.name)
            if wanted and state.type and wanted != state.type:
                yield f"state {state.name!r} was saved as {state.type} and is {wanted} in the job: its tasks fail"
        keyed = any(subtask.managed_keyed for subtask in contents.saved.subtasks)
        maxima = {self.saved[id_].max_parallelism for _, id_ in vertex.taken(self.saved) if id_ in self.saved}
        if keyed and len(maxima) > 1:
            shown = ", ".join(str(number) for number in sorted(maxima))
            yield f"its chain was saved with different max parallelism ({shown}): tasks with keyed state fail"


def _notes(vertex: NewVertex, saved: SavedOperator) -> Iterator[str]:
    if vertex.parallelism not in (saved.parallelism, -1):
        yield f"parallelism {saved.parallelism} -> {vertex.parallelism} is fine"
    derived = default_max_parallelism(max(vertex.parallelism, 1))
    if vertex.max_parallelism < 0 and saved.has_state and saved.max_parallelism != derived:
        yield f"it keeps the saved max parallelism {saved.max_parallelism}, not {derived}, which a new job would get"


def _other_name(node: StreamNode, saved: SavedOperator) -> Iterator[str]:
    """Ids without a uid are places in the graph: the operator in the place may be another one."""
    if saved.uid is None and saved.name is not None and without_counters(saved.name) != without_counters(node.name):
        yield f"saved by an operator called {saved.name!r}, which had no uid: check that it is the same one"


def _starts_empty(
    plan: Plan, job: NewJob, saved: Mapping[str, SavedOperator], origins: Mapping[str, StateOwner]
) -> Iterator[StreamNode]:
    """Operators that keep state for certain and find none, and that no lost state seems to belong to."""
    owners = {origin.node for origin in origins.values()}
    for vertex in job.vertices:
        for operator, taken in vertex.taken(saved):
            node = plan.stream_graph.by_id[operator.node]
            if taken in saved or operator.node in owners:
                continue
            if state_of(plan.job, node) in ("keyed", "operator"):
                yield node


def _warnings(plan: Plan, contents: SavepointContents) -> Iterator[str]:
    if plan.stream_graph.batch:
        yield "the job runs in batch mode, which restores no state"
    wanted = str(plan.job.options.get("state.backend.type", plan.job.options.get("state.backend", ""))).lower()
    fits = contents.backend
    if fits in ("hashmap", "rocksdb") and wanted in ("hashmap", "rocksdb") and wanted != fits:
        yield f"the state was written by the {fits} backend and the job uses {wanted}: its tasks fail"
    if contents.missing_files:
        yield f"{len(contents.missing_files)} state files are not beside {contents.path}: a copy must hold them all"
