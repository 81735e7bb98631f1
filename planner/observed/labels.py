"""How the names of one operator in two exports are compared, and what a name gives away."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SQL_LABEL = re.compile(r"\[(\d+)\]:(\w+)\(")
_SQL_WITH_SOURCES = re.compile(r"(\[\d+\]:\w+\(.*\)) \[(.*)\]", re.DOTALL)
_NEXT_SOURCE = re.compile(r", (?=\[\d+\]:|Source: )")
_MULTIPLE_INPUT = re.compile(r"multi(ple)?[\s_-]*input", re.IGNORECASE)

# Names that Flink itself gives to operators with one or two inputs: never a multi-input operator that absorbs sources.
_PLAIN_NAME = re.compile(
    r"Map|Flat Map|Filter|Process|KeyedProcess|Keyed Aggregation|Keyed Reduce|Interval Join|async wait operator|"
    r"Timestamps/Watermarks|TableToDataStream|TableToDataSteam|DataSteamToTable|DataStreamToTable|Two-Input-Process|"
    r"Unnamed|CepOperator|"
    r"GlobalWindows|(Tumbling|Sliding|Dynamic|EventTime|ProcessingTime)\w*Windows|"
    r"Co-.+|Keyed-.+|.+-Join-Process|Sink: .*|.*: (Writer|Committer)|IterationSink-\d+",
    re.DOTALL,
)
# SQL operators that only the streaming planner makes.
_STREAMING_SQL = frozenset(
    (
        "WatermarkAssigner", "MiniBatchAssigner", "GroupAggregate", "LocalGroupAggregate", "GlobalGroupAggregate",
        "IncrementalGroupAggregate", "GroupWindowAggregate", "GroupTableAggregate", "DataStreamScan",
        "WindowAggregate", "LocalWindowAggregate", "GlobalWindowAggregate", "WindowJoin", "WindowRank",
        "WindowDeduplicate", "Join", "IntervalJoin", "TemporalJoin", "DeltaJoin", "MultiJoin", "Deduplicate",
        "ChangelogNormalize", "DropUpdateBefore", "TemporalSort",
    )
)  # fmt: skip
_BATCH_SQL = frozenset(
    (
        "HashAggregate", "LocalHashAggregate", "SortAggregate", "LocalSortAggregate", "HashWindowAggregate",
        "SortWindowAggregate", "HashJoin", "SortMergeJoin", "NestedLoopJoin", "AdaptiveJoin", "BoundedStreamScan",
    )
)  # fmt: skip


def sql_kind(description: str) -> str | None:
    """The kind of a SQL operator, from its description `[36]:Calc(select=...)`."""
    found = _SQL_LABEL.match(description)
    return found[2] if found else None


def short_name(label: str) -> str:
    """An operator's name from its description: `Calc[36]` for `[36]:Calc(select=...)`, else the label itself."""
    found = _SQL_LABEL.match(label)
    return f"{found[2]}[{found[1]}]" if found else label


def short_chain_name(label: str) -> str:
    """The short name of an operator in a job plan, also of a SQL operator that took in sources."""
    found = _SQL_WITH_SOURCES.fullmatch(label)
    if found is None:
        return short_name(label)
    return with_sources(short_name(found[1]), [short_name(one) for one in _NEXT_SOURCE.split(found[2])])


def with_sources(name: str, sources: Iterable[str]) -> str:
    """`operator [a, b]`, as Flink names an operator that took in sources; in one order, since Flink uses any."""
    inside = ", ".join(sources)
    name = f"{name} [{inside}]" if inside else name
    if not name.endswith("]") or " [" not in name:
        return name
    at = name.index(" [") + 2
    return f"{name[:at]}{', '.join(sorted(name[at:-1].split(', ')))}]"


def taken_sources(name: str) -> tuple[str, list[str]]:
    """The operator and the sources in `operator [a, b]`; no sources where the name has not that shape."""
    if not name.endswith("]") or " [" not in name:
        return name, []
    operator, _, inside = name.partition(" [")
    return operator, inside[:-1].split(", ")


def called_multiple_input(name: str, description: str) -> bool:
    """Whether the operator is called a multi-input operator: the only kind that takes sources into its own task."""
    return sql_kind(description) == "MultipleInput" or bool(_MULTIPLE_INPUT.search(name))


def may_be_multiple_input(name: str, description: str) -> bool:
    """Whether an operator with several inputs might be a multi-input operator: nothing in its name rules that out."""
    if called_multiple_input(name, description):
        return True
    if sql_kind(description) is not None:
        return False
    return _PLAIN_NAME.fullmatch(name) is None


def waits_for_answers(name: str) -> bool:
    """Whether the name is that of a yielding operator: a sink's writer or an async lookup."""
    return name.endswith((": Writer", ": Committer")) or "async" in name.lower() or name.startswith("LookupJoin")


def plan_mode(descriptions: list[str]) -> bool | None:
    """True: batch, False: streaming, from SQL operators that only one of the planners makes; None where none is met."""
    kinds = {sql_kind(description) for description in descriptions}
    streaming, batch = bool(kinds & _STREAMING_SQL), bool(kinds & _BATCH_SQL)
    return None if streaming == batch else batch
