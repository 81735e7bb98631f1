"""What a changed fact means: the one table of levels.

The first row whose pattern fits the fact's name decides. A row gives the level where the operator keeps state, and
where it keeps none. `words` says what a restored job does, as far as that was seen with real Flink. What no row knows
is another result: a false "safe" is never right.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from planner.diff.change import Level
from planner.records import record

__all__ = ["JOB_ROWS", "ROWS", "Row", "job_row", "row_of"]


@record(kw_only=False)
class Row:
    """What changes of some facts mean."""

    pattern: str  # of the fact's whole name, without "part 2: " and "input 1 " before it
    kind: str  # as reports for machines call the change
    stateful: Level
    stateless: Level
    words: str = ""  # what a job does that is restored with this change
    alike: tuple[frozenset[str], ...] = ()  # values between which state is found again: another result only

    def level(self, stateful: bool, before: str | None, after: str | None) -> Level:
        """The level of one change."""
        if stateful and any({before, after} <= values for values in self.alike):
            return "result"
        return self.stateful if stateful else self.stateless


_OPEN_WINDOWS = "windows that are open in a savepoint keep the bounds they have"
_OTHER_WINDOWS = "windows that are open in a savepoint are not found again, or the job does not start"
_OTHER_FORM = "the job does not start, or takes accumulated values for records"
# Seen with Flink 2.3.0: contents and timers of these are found by each other, and windows keep the bounds they have.
_TIME_WINDOWS = (
    frozenset({"tumbling", "sliding"}),
    frozenset({"TumblingEventTimeWindows", "SlidingEventTimeWindows"}),
    frozenset({"TumblingProcessingTimeWindows", "SlidingProcessingTimeWindows"}),
)

ROWS: Final[tuple[Row, ...]] = (
    # keys and state
    Row(r"key (function|code\..*|.*)", "key", "state-breaking", "result", "state is kept by the old key"),
    Row(r"query of state", "behaviour", "state-breaking", "result", "Flink does not promise to restore another query"),
    Row(r"state\.time to live", "state-ttl", "result", "result"),
    Row(r"state\.function of .*", "behaviour", "result", "result"),
    Row(r"states .*", "state-descriptor", "state-breaking", "result", "state is found by its name, kind and type"),
    Row(r"state\..*", "state-descriptor", "state-breaking", "result", "state is found by its name, kind and type"),
    Row(r"aggregate\..*", "behaviour", "result", "result", "Flink restores the values of the old field"),
    # windows and time
    Row(r"window\.assigner", "window", "state-breaking", "result", _OTHER_WINDOWS, _TIME_WINDOWS),
    Row(r"window\.form", "window", "state-breaking", "result", _OTHER_FORM,
        (frozenset({"apply", "process"}),)),
    Row(r"window\.accumulator-type", "window", "state-breaking", "result", "accumulators are saved in that type"),
    Row(r"window\.by-clock", "window", "state-breaking", "result", _OTHER_WINDOWS),
    Row(r"window\.(assigner\.)?(size|slide|offset|gap|session-gap).*", "window", "result", "result", _OPEN_WINDOWS),
    Row(r"window\.(lateness|late-tag|time|watermark|trigger.*|assigner\..*)", "window", "result", "result"),
    Row(r"window\..*", "behaviour", "result", "result"),
    Row(r"watermarks.*", "watermarks", "result", "result"),
    # sources and sinks
    Row(r"legacy", "connector", "state-breaking", "result", "a source of the other kind does not read its state"),
    Row(r"bounded", "bounded", "result", "result"),
    Row(r"connector\.mode", "connector", "result", "result"),
    Row(r"connector.*", "connector", "result", "result"),
    Row(r"collection", "behaviour", "result", "result"),
    Row(r"(committer|api|co-locates)", "connector", "result", "result"),
    Row(r"compaction.*", "connector", "performance", "performance"),
    # asynchronous calls
    Row(r"capacity", "async", "performance", "performance"),
    Row(r"(timeout|ordered|retries.*)", "async", "result", "result"),
    # what it costs; parallelism, groups and modes that have an effect are told by it
    Row(r"((max-)?parallelism|slot-sharing-group|(overridden-)?partition)", "setting", "safe", "safe",
        "it has no effect here"),
    Row(r"(buffer-timeout|chaining|co-location-group|slot-resources|chain-sources|parallel)", "setting",
        "performance", "performance"),
    Row(r"((partitioner|overridden-partition) )?exchange", "exchange", "performance", "performance"),
    # what it computes
    Row(r"output", "output-type", "result", "result"),
    Row(r"identifier", "behaviour", "result", "result"),
    Row(r"code\..*", "code", "result", "result"),
    Row(r".*", "behaviour", "result", "result"),
)  # fmt: skip

JOB_ROWS: Final[tuple[Row, ...]] = (
    Row(r"options\.state\.backend(\.type)?", "option", "state-breaking", "performance",
        "a canonical savepoint restores, a native one or a checkpoint does not"),
    Row(r"options\.execution\.checkpointing\.mode", "option", "result", "result"),
    Row(r"options\.(execution\.checkpointing|state|restart-strategy|taskmanager|jobmanager|cluster)\..*", "option",
        "performance", "performance"),
    Row(r"options\.(execution\.buffer-timeout.*|python\.fn-execution\..*|pipeline\.object-reuse)", "option",
        "performance", "performance"),
    Row(r"options\.(pipeline|python)\.operator-chaining.*", "option", "performance", "performance"),
    Row(r"options\.(parallelism\.default|pipeline\.(max-parallelism|name)|execution\.runtime-mode)", "option",
        "safe", "safe", "what it does to the operators is told there"),
    Row(r"options\..*", "option", "result", "result"),
    Row(r"restart-strategy\..*", "restart-strategy", "performance", "performance"),
    Row(r"(buffer-timeout|chaining|chain-different-max-parallelism)", "setting", "performance", "performance"),
    Row(r"(parallelism|max-parallelism)", "setting", "safe", "safe", "what it does to operators is told there"),
    Row(r"runtime-mode", "setting", "safe", "safe", "the job runs in the same mode"),
    Row(r"call .*set_checkpointing_mode(_to)?", "setting", "result", "result"),
    Row(r"call (get_checkpoint_config\(\)\..*|enable_checkpointing)", "setting", "performance", "performance"),
    Row(r"call .*", "setting", "result", "result"),
    Row(r".*", "setting", "result", "result"),
)  # fmt: skip

_PART = re.compile(r"^(?:part \d+: )?(?:input \d+ )?(?:side output .* (?=output))?")


@cache
def row_of(fact: str) -> Row:
    """The row of an operator's fact."""
    return _first(ROWS, _PART.sub("", fact))


@cache
def job_row(fact: str) -> Row:
    """The row of a fact of the whole job."""
    return _first(JOB_ROWS, fact)


def _first(rows: tuple[Row, ...], name: str) -> Row:
    return next(row for row in rows if re.fullmatch(row.pattern, name, re.DOTALL))
