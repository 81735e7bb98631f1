"""Operators as people name them: one way to say which is meant, and one way to find it.

`OperatorRef` is one stream node with what a reader needs to recognise it. `label` is its name in every message.
`matches` finds operators by what a user calls them: a key, a uid, a name, an id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from planner.graphs.state import State, state_of
from planner.graphs.state_lookup import may_have_uid_hash
from planner.graphs.stream_graph import StreamNode
from planner.job import Location, Operator, OperatorKind
from planner.pipeline import Plan
from planner.records import record
from planner.spelling import nearest_or_all

__all__ = [
    "ORIGIN_WORDS",
    "OperatorRef",
    "SetBy",
    "describe_operators",
    "describe_written",
    "label",
    "matches",
    "merged_keys",
    "no_operator",
    "node_label",
    "whole_key",
    "without_counters",
]

SetBy = Literal["operator", "job", "environment", "flink"]
ORIGIN_WORDS: dict[SetBy, str] = {
    "operator": "set on the operator",
    "job": "the job's default",
    "environment": "its neighbour's, or the environment's when it was made",
    "flink": "fixed by Flink",
}
_SQL_COUNTER = re.compile(r"\[\d+\]")
_SUFFIXES = {
    "operator": "", "writer": "", "coordinator": ":coordinator", "compactor": ":compactor", "committer": ":committer",
}  # fmt: skip


def whole_key(key: str) -> str:
    """The key of the operator that a node is a part of."""
    return next((key.removesuffix(suffix) for suffix in _SUFFIXES.values() if suffix and key.endswith(suffix)), key)


def label(name: str, key: str | None) -> str:
    """An operator in a message: its name, and its key where the name does not say it."""
    return name if key is None or key == name else f"{name} ({key})"


def without_counters(name: str) -> str:
    """A SQL operator's name without its session-wide number: `Calc[36]` and `Calc[41]` are the same operator."""
    return _SQL_COUNTER.sub("", name)


def node_label(node: StreamNode) -> str:
    """A stream node in a message."""
    return label(node.name, node.operator.key)


@record
class OperatorRef:
    """One stream node, with what a reader needs to recognise it and to find it in the job's file."""

    node: int
    key: str  # unique: the operator's key, with ":committer" or the like after it for the further nodes of a sink
    name: str
    kind: OperatorKind
    uid: str | None
    uid_hash: str | None
    operator_id: str  # empty where a job that Flink described does not prove it
    parallelism: int
    parallelism_from: SetBy
    max_parallelism: int
    slot_sharing_group: str
    state: State
    takes_uid_hash: bool
    location: Location
    exported_as: str = ""  # VERTEX/NUMBER, where a job plan of Flink knows no numbers of stream nodes

    @property
    def label(self) -> str:
        """The name, and the key where the name does not say it."""
        return label(self.name, self.key)

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


def describe_operators(plan: Plan) -> Mapping[int, OperatorRef]:
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
        operator_id=plan.operator_ids.get(node.id, ""),
        parallelism=node.parallelism,
        parallelism_from=_origin(node, plan.job.parallelism),
        max_parallelism=node.max_parallelism,
        slot_sharing_group=node.slot_sharing_group,
        state=state_of(plan.job, node),
        takes_uid_hash=may_have_uid_hash(node.operator),
        location=node.operator.location,
        exported_as=plan.observed.id_of(node.id) if plan.observed else "",
    )


def describe_written(plan: Plan) -> list[OperatorRef]:
    """A reference to every operator as the job's author wrote it: PyFlink's, before Python operators merged."""
    nodes = describe_operators(plan)
    if plan.merging is None:
        return list(nodes.values())
    found: list[OperatorRef] = []
    for ref in nodes.values():
        parts = plan.stream_graph.by_id[ref.node].operator.merged
        found += [_part(ref, part) for part in parts] or [ref]
    return found


def merged_keys(plan: Plan) -> Mapping[str, tuple[str, ...]]:
    """The keys of the operators that each merged one was made of, by its own key."""
    if plan.merging is None:
        return {}
    return {operator.key: tuple(part.key for part in operator.merged) for operator in plan.merging.merged}


def _part(ref: OperatorRef, part: Operator) -> OperatorRef:
    return replace(
        ref,
        node=part.id,
        key=part.key,
        name=part.name or part.kind,
        kind=part.kind,
        uid=part.uid,
        uid_hash=part.uid_hash,
        location=part.location,
    )


def _origin(node: StreamNode, default: int) -> SetBy:
    operator = node.operator
    if node.role == "coordinator" and node.parallelism_configured and node.parallelism == 1:
        return "flink"
    if any(part.parallelism is not None and not part.parallelism_inherited for part in operator.merged):
        return "operator"
    if not node.parallelism_configured:
        return "environment" if operator.parallelism_inherited and node.parallelism != default else "job"
    return "operator" if node.operator.parallelism is not None else "flink"


def matches(word: str, operators: Iterable[OperatorRef], *, by_number: bool = True) -> list[OperatorRef]:
    """The operators a user may mean by `word`: by the first of the readings below that fits any.

    `by_number` False leaves the numbers of stream nodes out, where numbers mean something else.
    """
    known = list(operators)
    for fits in _READINGS:
        if not by_number and fits is _is_number:
            continue
        found = [ref for ref in known if fits(ref, word)]
        if found:
            return found
    return []


def _is_number(ref: OperatorRef, word: str) -> bool:
    return word in (str(ref.node), ref.exported_as)


_READINGS: tuple[Callable[[OperatorRef, str], bool], ...] = (
    lambda ref, word: ref.key == word,
    lambda ref, word: ref.uid == word,
    _is_number,
    lambda ref, word: ref.operator_id == word.lower(),
    lambda ref, word: ref.name == word,
    lambda ref, word: _loose(ref.name) == _loose(word),
    lambda ref, word: ref.kind == word,
)


def _loose(name: str) -> str:
    """A name without case and punctuation: "keyed-aggregation" is "Keyed Aggregation"."""
    return "".join(character for character in name.casefold() if character.isalnum())


def no_operator(word: str, operators: Iterable[OperatorRef], further: Sequence[str] = ()) -> tuple[str, str]:
    """A message and a hint for a word that names no operator; `further` are words that would do as well."""
    names = [*further, *(name for ref in operators for name in (ref.key, ref.name, ref.uid) if name is not None)]
    return f"there is no operator {word!r}", nearest_or_all(word, names, "there are")
