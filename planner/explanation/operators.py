"""Operators as an explanation names them, and finding one by what a user calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from planner.graphs.state import State, state_of
from planner.graphs.state_lookup import may_have_uid_hash
from planner.graphs.stream_graph import StreamNode
from planner.job import Location, OperatorKind
from planner.pipeline import Plan

__all__ = ["OperatorRef", "Origin", "describe_operators", "matches"]

Origin = Literal["operator", "job", "flink"]
ORIGIN_WORDS: dict[Origin, str] = {
    "operator": "set on the operator",
    "job": "the job's default",
    "flink": "fixed by Flink",
}
_SUFFIXES = {"operator": "", "writer": "", "committer": ":committer"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorRef:
    """One stream node, with what a reader needs to recognise it and to find it in the job's file."""

    node: int
    key: str  # unique: the operator's key, with ":committer" behind it for the second node of a sink
    name: str
    kind: OperatorKind
    uid: str | None
    uid_hash: str | None
    operator_id: str
    parallelism: int
    parallelism_from: Origin
    max_parallelism: int
    slot_sharing_group: str
    state: State
    takes_uid_hash: bool
    location: Location

    @property
    def label(self) -> str:
        """The name, and the key where the name does not say it."""
        return self.name if self.key == self.name else f"{self.name} ({self.key})"

    def to_dict(self) -> dict[str, Any]:
        """The reference as JSON-ready data."""
        return {
            "node": self.node,
            "key": self.key,
            "name": self.name,
            "kind": self.kind,
            "uid": self.uid,
            "operator_id": self.operator_id,
            "parallelism": self.parallelism,
            "parallelism_from": self.parallelism_from,
            "max_parallelism": self.max_parallelism,
            "slot_sharing_group": self.slot_sharing_group,
            "state": self.state,
            "location": str(self.location),
        }


def describe_operators(plan: Plan) -> dict[int, OperatorRef]:
    """A reference to every stream node, by its id."""
    return {node.id: _describe(plan, node) for node in plan.stream_graph.nodes}


def _describe(plan: Plan, node: StreamNode) -> OperatorRef:
    return OperatorRef(
        node=node.id,
        key=node.operator.key + _SUFFIXES[node.role],
        name=node.name,
        kind=node.operator.kind,
        uid=node.uid,
        uid_hash=node.user_hash,
        operator_id=plan.operator_ids[node.id],
        parallelism=node.parallelism,
        parallelism_from=_origin(node),
        max_parallelism=node.max_parallelism,
        slot_sharing_group=node.slot_sharing_group,
        state=state_of(plan.job, node),
        takes_uid_hash=may_have_uid_hash(node.operator),
        location=node.operator.location,
    )


def _origin(node: StreamNode) -> Origin:
    if not node.parallelism_configured:
        return "job"
    return "operator" if node.operator.parallelism is not None else "flink"


def matches(word: str, operators: Iterable[OperatorRef]) -> list[OperatorRef]:
    """The operators a user may mean by `word`: by the first of the readings below that fits any."""
    known = list(operators)
    for fits in _READINGS:
        found = [ref for ref in known if fits(ref, word)]
        if found:
            return found
    return []


_READINGS: tuple[Callable[[OperatorRef, str], bool], ...] = (
    lambda ref, word: ref.key == word,
    lambda ref, word: ref.uid == word,
    lambda ref, word: str(ref.node) == word,
    lambda ref, word: ref.operator_id == word.lower(),
    lambda ref, word: ref.name == word,
    lambda ref, word: _loose(ref.name) == _loose(word),
    lambda ref, word: ref.kind == word,
)


def _loose(name: str) -> str:
    """A name without case and punctuation: "keyed-aggregation" is "Keyed Aggregation"."""
    return "".join(character for character in name.casefold() if character.isalnum())
