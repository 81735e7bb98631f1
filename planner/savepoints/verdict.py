"""Flink's own answer to "restore this job from this savepoint": its checks, in its order.

Flink stops at the first complaint. Here all are listed, the first one first.

1. Loading. The version of Flink must read the file's format. Then, for every saved operator in the order of the file:
   its id is looked up among the ids and the uid hashes of the new job. Found: a max parallelism that the user set must
   be the saved one. Not found: state is refused, unless non-restored state is allowed.
2. Finished operators: a job that had partly ended must not have been changed around what had ended.
3. Assignment, for every vertex with saved state: the parallelism must not exceed the saved max parallelism; beside
   records in flight that Flink gives out again there must be none on an edge that is chained now.

What tasks refuse later (serializers, kinds of state) is not visible in a submission, and not in `_metadata`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from planner.records import record
from planner.savepoints.metadata import Metadata, SavedOperator
from planner.savepoints.new_job import NewJob, NewVertex

__all__ = ["Answer", "Complaint", "ComplaintKind", "RestoreVerdict", "inner_channels", "judge"]

ComplaintKind = Literal[
    "format-version",
    "unmapped-state",
    "max-parallelism",
    "finished-operators",
    "parallelism-above-max",
    "channel-state",
]
RestoreOutcome = Literal["started", "refused"]
_Finished = Literal["running", "partly finished", "finished"]


@record
class Complaint:
    """One reason why Flink refuses the submission."""

    kind: ComplaintKind
    operator: str | None  # the id of the saved operator; None: the whole savepoint
    message: str

    def to_dict(self) -> dict[str, Any]:
        """The complaint as JSON-ready data."""
        return {"kind": self.kind, "operator": self.operator, "message": self.message}


@record
class Answer:
    """What Flink answers to one way of submitting the job."""

    complaints: tuple[Complaint, ...]

    @property
    def outcome(self) -> RestoreOutcome:
        """Whether the job starts."""
        return "refused" if self.complaints else "started"

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON-ready data."""
        return {"outcome": self.outcome, "complaints": [complaint.to_dict() for complaint in self.complaints]}


@record
class RestoreVerdict:
    """The answers without and with `allowNonRestoredState`."""

    strict: Answer
    allowing: Answer

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON-ready data."""
        return {"strict": self.strict.to_dict(), "allow_non_restored_state": self.allowing.to_dict()}


def judge(metadata: Metadata, job: NewJob) -> RestoreVerdict:
    """What Flink answers when the job is submitted with the savepoint."""
    loading = list(_loading(metadata, job))
    kept = {saved.id: saved for saved in metadata.operators if saved.id in job.by_id}
    later = [*_finished(job, kept), *_assignment(job, kept)]
    strict = (*loading, *later)
    allowing = tuple(complaint for complaint in strict if complaint.kind != "unmapped-state")
    return RestoreVerdict(strict=Answer(complaints=strict), allowing=Answer(complaints=allowing))


def _loading(metadata: Metadata, job: NewJob) -> Iterator[Complaint]:
    newest = job.flink.newest_savepoint_format
    if metadata.version > newest:
        message = f"Flink {job.flink.version} reads formats up to {newest}, and this one is {metadata.version}"
        yield Complaint(kind="format-version", operator=None, message=message)
    for saved in metadata.operators:
        vertex = job.by_id.get(saved.id)
        if vertex is None:
            if saved.has_state:
                yield Complaint(kind="unmapped-state", operator=saved.id, message="no operator of the job has this id")
        elif vertex.max_parallelism > 0 and vertex.max_parallelism != saved.max_parallelism:
            yield Complaint(
                kind="max-parallelism",
                operator=saved.id,
                message=f"saved with max parallelism {saved.max_parallelism}, and the job sets "
                f"{vertex.max_parallelism}",
            )


def _finished(job: NewJob, kept: Mapping[str, SavedOperator]) -> Iterator[Complaint]:
    if not any(_how_finished(saved) != "running" for saved in kept.values()):
        return
    states = [{id_: _how_finished(kept.get(id_)) for _, id_ in vertex.taken(kept)} for vertex in job.vertices]
    for vertex, found in zip(job.vertices, states, strict=True):
        words = set(found.values())
        ended = next((id_ for id_, word in found.items() if word != "running"), None)
        if ended is None:
            continue
        if len(words) > 1:
            message = "had ended, and is now chained with an operator that had not ended in the same way"
            yield Complaint(kind="finished-operators", operator=ended, message=message)
        elif any(_runs_on(words, set(states[before].values()), everywhere) for before, everywhere in vertex.inputs):
            message = "had ended, and an operator upstream of it had not"
            yield Complaint(kind="finished-operators", operator=ended, message=message)


def _how_finished(saved: SavedOperator | None) -> _Finished:
    if saved is None:
        return "running"
    if saved.fully_finished:
        return "finished"
    return "partly finished" if any(subtask.finished for subtask in saved.subtasks) else "running"


def _runs_on(own: set[_Finished], before: set[_Finished], everywhere: bool) -> bool:
    """Whether a vertex upstream of an ended one still has records to send."""
    if "finished" in own or everywhere:
        return before != {"finished"}
    return "running" in before


def _assignment(job: NewJob, kept: Mapping[str, SavedOperator]) -> Iterator[Complaint]:
    taken = [{id_: kept[id_] for _, id_ in vertex.taken(kept) if id_ in kept} for vertex in job.vertices]
    sends = [_has_channels(kept.get(ends.last), "output_channels") for ends in _ends(job, kept)]
    receives = [_has_channels(kept.get(ends.first), "input_channels") for ends in _ends(job, kept)]
    after_sender, before_receiver = set[int](), set[int]()
    for position, vertex in enumerate(job.vertices):
        for before, _ in vertex.inputs:
            after_sender |= {position} if sends[before] else set()
            before_receiver |= {before} if receives[position] else set()
    for position, (vertex, saved) in enumerate(zip(job.vertices, taken, strict=True)):
        collected = any(operator.subtasks for operator in saved.values())
        if collected or position in after_sender or position in before_receiver:
            yield from _parallelism(vertex, saved)
        looked_at = {
            "input_channels": receives[position] or position in after_sender,
            "output_channels": sends[position] or position in before_receiver,
        }
        for operator, channels in inner_channels(vertex, kept):
            if looked_at[channels]:
                message = "the checkpoint has records in flight on an edge of it that is chained now"
                yield Complaint(kind="channel-state", operator=operator.id, message=message)


@record(kw_only=False)
class _Ends:
    """The ids under which the first and the last operator of a chain take state."""

    first: str
    last: str


def _ends(job: NewJob, kept: Mapping[str, SavedOperator]) -> Iterator[_Ends]:
    for vertex in job.vertices:
        ids = [id_ for _, id_ in vertex.taken(kept)]
        yield _Ends(first=ids[-1], last=ids[0])


def inner_channels(vertex: NewVertex, kept: Mapping[str, SavedOperator]) -> Iterator[tuple[SavedOperator, str]]:
    """Operators with records in flight on an edge that is chained now, and on which side. Flink drops such records
    where it does not look at them: it does only beside others that it has to give out again."""
    ids = [id_ for _, id_ in vertex.taken(kept)]
    for id_ in ids:
        for channels, place in (("input_channels", ids[-1]), ("output_channels", ids[0])):
            if id_ != place and _has_channels(kept.get(id_), channels):
                yield kept[id_], channels


def _has_channels(operator: SavedOperator | None, channels: str) -> bool:
    if operator is None:
        return False
    return any(not channel.empty for subtask in operator.subtasks for channel in getattr(subtask, channels))


def _parallelism(vertex: NewVertex, saved: dict[str, SavedOperator]) -> Iterator[Complaint]:
    for operator in reversed(saved.values()):  # the head first: Flink names the vertex, which has its id
        if operator.max_parallelism < vertex.parallelism:
            yield Complaint(
                kind="parallelism-above-max",
                operator=operator.id,
                message=f"saved with max parallelism {operator.max_parallelism}, and its parallelism is now "
                f"{vertex.parallelism}",
            )
