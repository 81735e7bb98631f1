"""What the twelve conditions read: facts about an edge that are known, or not known.

Of a job that we compile ourselves every fact is known. Of a job that only Flink's exports describe, a fact may be one
of several values. The questions below then answer None, and so do the conditions that ask them: the same twelve
functions decide for both kinds of jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from planner.graphs.stream_graph import ChainingStrategy, ExchangeMode, SourceKind, StreamEdge, StreamNode
from planner.job import Operator, Partitioner
from planner.records import record
from planner.rules import Condition

__all__ = [
    "Candidate", "ChainingRule", "ExportedEdge", "Fact", "Facts", "OneOf", "OperatorFacts", "all_of", "anything",
    "as_written", "differ", "is_one_of", "negated",
]  # fmt: skip

Value = TypeVar("Value")


class OneOf(tuple[Value, ...], Generic[Value]):
    """A fact that is not known: it is one of these values. Without values it may be anything."""

    __slots__ = ()


Fact: TypeAlias = Value | OneOf[Value]


def anything() -> OneOf[Value]:
    """A fact of which nothing is known."""
    return OneOf()


def is_one_of(fact: Fact[Any], *values: object) -> bool | None:
    """Whether a fact has one of these values; None: not known."""
    if not isinstance(fact, OneOf):
        return fact in values
    fits = {possible in values for possible in fact} if fact else {True, False}
    return fits.pop() if len(fits) == 1 else None


def differ(one: Fact[Value], other: Fact[Value]) -> bool | None:
    """Whether two facts have different values; None: not known."""
    if not isinstance(one, OneOf) and not isinstance(other, OneOf):
        return one != other
    first = one if isinstance(one, OneOf) else (one,)
    second = other if isinstance(other, OneOf) else (other,)
    return True if first and second and not set(first) & set(second) else None


def all_of(*answers: bool | None) -> bool | None:
    """Whether all answers are yes. One "no" decides it, also where others are not known."""
    return False if False in answers else None if None in answers else True


def negated(answer: bool | None) -> bool | None:
    """The opposite answer; what is not known stays so."""
    return None if answer is None else not answer


class OperatorFacts(NamedTuple):
    """What the conditions read of one operator. The names are those of StreamNode."""

    parallelism: Fact[int]
    max_parallelism: Fact[int]
    slot_sharing_group: Fact[str]
    chaining_strategy: Fact[ChainingStrategy]
    source: Fact[SourceKind | None]
    yielding: Fact[bool]


class Facts(NamedTuple):
    """What the conditions read of one edge. Edges with equal facts have the same verdict."""

    upstream: OperatorFacts
    downstream: OperatorFacts
    partitioner: Fact[Partitioner]
    exchange_mode: Fact[ExchangeMode]
    inputs: int  # edges into the downstream operator
    outputs: int  # edges out of the upstream operator
    position_shared: Fact[bool]  # another edge enters the same input position
    chain_source: Fact[SourceKind | None]  # of the head of the upstream's chain
    chaining: Fact[bool]
    chain_different_max_parallelism: Fact[bool]


class Candidate(NamedTuple):
    """One edge of a job that we compiled, with everything that obstacles name."""

    facts: Facts
    edge: StreamEdge
    upstream: StreamNode
    downstream: StreamNode
    upstream_fed_by: frozenset[Partitioner]  # the partitioners of the edges into the upstream
    chain_head: StreamNode  # head of the chain that the upstream is in


@record
class ExportedEdge:
    """One edge of a job that Flink described. `told` has, by the name of a fact, how the exports show it."""

    facts: Facts
    upstream: str
    downstream: str
    told: Mapping[str, str]


@record(slots=False)
class ChainingRule(Condition[Facts, Candidate]):
    """One of Flink's twelve conditions."""

    exported: Callable[[ExportedEdge, bool | None], str]  # what an export shows, by how the condition came out


def as_written(operator: Operator, python: str, yaml: str, sql: str | None = None) -> str:
    """A setting as the operator's author writes it: a call in Python or Java, a key in YAML, words for SQL."""
    file = operator.location.file
    if sql is not None and operator.from_sql:
        return sql
    if file.endswith(".py"):
        return python
    if file.endswith((".sql", ".jar", ".json")):
        first, *more = python.split("_")
        return first + "".join(word.capitalize() for word in more)
    return f"`{yaml}`"
