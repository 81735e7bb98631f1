"""A described job as a script: of our own API, or of PyFlink. The two differ in their imports and in few calls."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.fuzz.description import Job, Step
from tests.fuzz.functions import ALL_SELECTORS, FLATS, MANY, filters, maps

__all__ = ["AGGREGATE_SELECTORS", "Style", "helpers", "render", "write_sources"]

_OURS = """\
from planner import (
    AggregateFunction, AggregatingStateDescriptor, AsyncDataStream, AsyncFunction, BroadcastProcessFunction,
    CoFlatMapFunction, CoMapFunction, CoProcessFunction, Duration, EventTimeSessionWindows, FileSource, FilterFunction,
    FlatMapFunction, KeyedBroadcastProcessFunction, KeyedCoProcessFunction, KeyedProcessFunction, ListStateDescriptor,
    EventTimeTrigger, MapFunction, MapStateDescriptor, NumberSequenceSource, OutputTag, ProcessFunction,
    ProcessWindowFunction, PurgingTrigger, ReaderSource, ReducingStateDescriptor, Row, RuntimeExecutionMode,
    SessionWindowTimeGapExtractor, SlidingEventTimeWindows,
    StateTtlConfig, StreamExecutionEnvironment, StreamFormat, Time, TimestampAssigner, TumblingEventTimeWindows, Types,
    ValueStateDescriptor, WatermarkStrategy,
)
"""
_PYFLINK = """\
from pyflink.common import Configuration, Duration, Row, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    AsyncDataStream, BroadcastProcessFunction, CoFlatMapFunction, CoMapFunction, CoProcessFunction, FilterFunction,
    FlatMapFunction, KeyedBroadcastProcessFunction, KeyedCoProcessFunction, KeyedProcessFunction, MapFunction,
    OutputTag, ProcessFunction, ProcessWindowFunction, RuntimeExecutionMode, StreamExecutionEnvironment,
)
from pyflink.datastream.connectors.file_system import FileSource, StreamFormat
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.formats.csv import CsvReaderFormat, CsvSchema
from pyflink.datastream.functions import AggregateFunction, AsyncFunction, ProcessAllWindowFunction
from pyflink.datastream.state import (
    AggregatingStateDescriptor, ListStateDescriptor, MapStateDescriptor, ReducingStateDescriptor, StateTtlConfig,
    ValueStateDescriptor,
)
from pyflink.datastream.window import (
    EventTimeSessionWindows, EventTimeTrigger, PurgingTrigger, SessionWindowTimeGapExtractor, SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)
from pyflink.table import DataTypes
"""
# What scripts and the model share: the values of keys, and how records are written.
HELPERS = """\
import json
import zlib
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum


class Colour(Enum):
    RED = 1
    GREEN = 2


@dataclass(frozen=True)
class Point:
    x: int
    y: int


class Name(str, Enum):
    X = "x"
    Y = "y"


class Plain:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Plain({self.x})"


def text(v):
    if isinstance(v, float):
        return "nan" if v != v else repr(v)
    if isinstance(v, Decimal):
        return str(v.normalize())
    if isinstance(v, frozenset):
        return "{" + ",".join(sorted(map(text, v))) + "}"
    if hasattr(v, "name") and hasattr(v, "value"):
        return v.name
    if not isinstance(v, (str, bytes)) and hasattr(v, "__getitem__"):
        return "(" + ",".join(text(one) for one in v) + ")"
    return repr(v)


def show(tag, r):
    return f"{tag} {text(r[0])}|{r[1]!r}|{r[2]!r}"


FAR = 10**12
"""
_STAMP = """\
class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[2]
"""

# For operators whose results are awaited until the input ends: a part of the key goes to the third field, which stays.
# The name: what the third field is (None: as it is), the key, its type, and whether the first field is part of the key.
AGGREGATE_SELECTORS: dict[str, tuple[str | None, str, str | None, bool]] = {
    "field": (None, "r[0]", None, True),
    "rest": ("r[1] % 3", "r[2]", "Types.LONG()", False),
    "pair": ("r[1] % 2", "(r[0], r[2])", None, True),
    "one": (None, "0", "Types.LONG()", False),
    "text": ("r[1] % 4", "'k' + str(r[2])", "Types.STRING()", False),
    "many": ("r[1] % 997", "r[2]", "Types.LONG()", False),
    "half": ("r[1] % 50", "r[2] / 2", "Types.DOUBLE()", False),
    "sign": ("int(r[1] > 3)", "r[2] == 1", "Types.BOOLEAN()", False),
}


@dataclass(frozen=True, kw_only=True)
class Style:
    """How a job is written."""

    api: Literal["ours", "pyflink"]
    chained: bool = True
    batch: bool = False  # the runtime mode that the script itself sets


def render(job: Job, folder: Path, style: Style) -> str:
    """The script of a job whose sources' files are in a folder."""
    return _Script(job, folder, style).text()


def write_sources(job: Job, folder: Path) -> None:
    """The files that a job reads."""
    names = helpers()
    values = [eval(value, names) for value in job.key_kind.values]
    for step in job.steps:
        if step.kind != "source" or step["reads"] not in ("text", "csv", "json"):
            continue
        target = folder / f"source{step.id}"
        target.mkdir(exist_ok=True)
        for number in range(step["files"]):
            rows = [
                (values[key] if job.key_kind.written else key, value, time)
                for key, value, time in step["records"][number :: step["files"]]
            ]
            written = _WRITERS[step["reads"]](rows)
            if step.options.get("bare"):  # no end of line at the end
                written = written.removesuffix("\n")
            (target / f"part{number}.txt").write_text(written, encoding="utf-8")


def helpers() -> dict[str, Any]:
    """The names that all scripts begin with."""
    found: dict[str, Any] = {"__name__": __name__}
    exec(compile(HELPERS, "helpers", "exec", dont_inherit=True), found)
    return found


def _written_text(rows: list[tuple[object, int, int]]) -> str:
    return "".join(f"{key},{value},{time}\n" for key, value, time in rows)


def _written_csv(rows: list[tuple[object, int, int]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _written_json(rows: list[tuple[object, int, int]]) -> str:
    return "".join(json.dumps(dict(zip(("key", "number", "time"), row, strict=True))) + "\n" for row in rows)


_WRITERS: dict[str, Callable[[list[tuple[object, int, int]]], str]] = {
    "text": _written_text,
    "csv": _written_csv,
    "json": _written_json,
}


def record(form: str, key: str, number: str, time: str) -> str:
    """The expression of a record."""
    if form == "row":
        return f"Row({key}, {number}, {time})"
    if form == "named":
        return f"Row(key={key}, number={number}, time={time})"
    return f"({key}, {number}, {time})"


class _Script:
    def __init__(self, job: Job, folder: Path, style: Style) -> None:
        self.job, self.folder, self.style = job, folder, style
        self.ours = style.api == "ours"
        self.top: list[str] = []
        self.body: list[str] = []

    def text(self) -> str:
        for step in self.job.steps:
            getattr(self, f"_{step.kind}")(step)
        kind = self.job.key_kind
        head = [_OURS if self.ours else _PYFLINK, HELPERS]
        head.append(f"KEYS = [{', '.join(kind.values)}]")
        if kind.type is not None:
            fields = f"[{kind.type}, Types.LONG(), Types.LONG()]"
            first = "Types.PICKLED_BYTE_ARRAY()" if self._has_no_nulls("tuple") else kind.type
            head.append(f"TUPLE = Types.TUPLE([{first}, Types.LONG(), Types.LONG()])")
            head.append(f"ROW = Types.ROW({fields})")
            inner = 'Types.ROW_NAMED(["n", "inner"], [Types.LONG(), Types.TUPLE([Types.LONG()])])'
            parts = f"Types.LIST(Types.LONG()), Types.MAP(Types.STRING(), Types.LONG()), {inner}"
            head.append(f"NESTED = Types.TUPLE([{first}, {parts}])")
            head.append(f'NAMED = Types.ROW_NAMED(["key", "number", "time"], {fields})')
        if any(step.kind == "times" for step in self.job.steps):
            head.append("\n\n" + _STAMP)
        return "\n".join([*head, *self.top, *self._environment(), *self.body, 'env.execute("fuzz")', ""])

    def _environment(self) -> list[str]:
        lines = ["env = StreamExecutionEnvironment.get_execution_environment()"]
        if not self.style.chained:
            if not self.ours:
                lines = [
                    "config = Configuration()",
                    'config.set_string("python.operator-chaining.enabled", "false")',
                    "env = StreamExecutionEnvironment.get_execution_environment(config)",
                ]
            lines.append("env.disable_operator_chaining()")
        if self.style.batch:
            lines.append("env.set_runtime_mode(RuntimeExecutionMode.BATCH)")
        return [*lines, f"env.set_parallelism({self.job.parallelism})"]

    # --- words

    def _has_no_nulls(self, form: str) -> bool:
        """PyFlink's tuples have none but in pickled fields, which collections of Java do not take."""
        return form == "tuple" and self.job.keys == "nullable" and not self.ours

    def _type(self, form: str) -> str | None:
        return {"tuple": "TUPLE", "row": "ROW", "named": "NAMED", "none": None}[form]

    def _typed(self, form: str, name: str = "") -> str:
        """The argument that declares a type, with its comma."""
        found = self._type(form)
        return "" if found is None else f", {name}{found}"

    def _at(self, step: Step) -> str:
        return "" if step.parallelism == self.job.parallelism else f".set_parallelism({step.parallelism})"

    def _let(self, step: Step, expression: str) -> None:
        self.body.append(f"s{step.id} = {expression}")

    def _class(self, text: str) -> None:
        self.top.append("\n\n" + text)

    def _keyed(self, step: Step, stream: int, key: str | None = None, declared: str | None = None) -> str:
        key = key or ALL_SELECTORS[step["selector"]][0]
        of_field = step["selector"] == "field"
        kind = declared or (self.job.key_kind.type if of_field else ALL_SELECTORS[step["selector"]][1])
        if self.job.keys == "nullable" and of_field:
            kind = None  # PyFlink refuses None as a key of a declared type
        return f"s{stream}.key_by(lambda r: {key}{f', {kind}' if step['declared'] and kind else ''})"

    def _current(self, step: Step) -> str:
        """The first field of what a keyed function gives by itself."""
        return "ctx.get_current_key()" if step["selector"] == "field" else "KEYS[0]"

    def _blurred(self, step: Step, stream: str) -> str:
        """Without what depends on which record of a key came first."""
        if step["selector"] == "field":
            return stream
        made = record(step.form, "KEYS[0]", "r[1]", "r[2]")
        return f"{stream}.map(lambda r: {made}{self._typed(step.form)}){self._at(step)}"

    # --- sources

    def _source(self, step: Step) -> None:
        kind, form = self.job.key_kind, self._typed(step.form)
        if step["reads"] == "collection":
            form = "" if self._has_no_nulls(step.form) else form
            records = ", ".join(record(step.form, kind.values[k], str(n), str(t)) for k, n, t in step["records"])
            at = self._at(step) if self.ours else ""  # PyFlink: always 1
            self._let(step, f"env.from_collection([{records}]{form}){at}")
            return
        at, path = self._at(step), str(self.folder / f"source{step.id}")
        nothing, name = "WatermarkStrategy.no_watermarks()", f'"source{step.id}"'
        key = "r[0]" if kind.written else "KEYS[r[0]]"
        number_type, key_type = "Types.LONG()", kind.type if kind.written else "Types.LONG()"
        if step["reads"] == "sequence":
            last = len(step["records"]) - 1
            source = f"env.from_source(NumberSequenceSource(0, {last}), {nothing}, {name}){at}"
            made = record(step.form, f"KEYS[r % {len(kind.values)}]", "r", "r")
        elif step["reads"] == "text" or (step["reads"] == "json" and not self.ours):
            lines = "FileSource.for_record_stream_format(StreamFormat.text_line_format(), "
            source = f'env.from_source({lines}"{path}").build(), {nothing}, {name}){at}'
            split = "json.loads(r)" if step["reads"] == "json" else 'dict(zip(("key", "number", "time"), r.split(",")))'
            found = "r['key']" if self.job.keys == "string" else "int(r['key'])"
            if not kind.written:
                found = f"KEYS[{found}]"
            source += f".map(lambda r: {split}){at}"
            made = record(step.form, found, "int(r['number'])", "int(r['time'])")
        elif self.ours:
            fields = f'Types.ROW_NAMED(["key", "number", "time"], [{key_type}, {number_type}, {number_type}])'
            source = f'env.from_source(ReaderSource("{step["reads"]}", "{path}"), {nothing}, {name}, {fields}){at}'
            made = record(step.form, key, "r[1]", "r[2]")
        else:
            column = (
                'add_string_column("key")'
                if self.job.keys == "string"
                else 'add_number_column("key", DataTypes.BIGINT())'
            )
            schema = (
                f'CsvSchema.builder().{column}.add_number_column("number", DataTypes.BIGINT())'
                '.add_number_column("time", DataTypes.BIGINT()).build()'
            )
            reader = f'FileSource.for_record_stream_format(CsvReaderFormat.for_schema({schema}), "{path}").build()'
            source = f"env.from_source({reader}, {nothing}, {name}){at}"
            made = record(step.form, key, "r[1]", "r[2]")
        self._let(step, f"{source}.map(lambda r: {made}{form}){at}")

    # --- operators without keys

    def _map(self, step: Step) -> None:
        made = record(step.form, *maps(self.job.keys)[step["function"]])
        function = f"lambda r: {made}"
        if step["style"] == "class":
            self._class(f"class Map{step.id}(MapFunction):\n    def map(self, r):\n        return {made}")
            function = f"Map{step.id}()"
        self._let(step, f"s{step.inputs[0]}.map({function}{self._typed(step.form)}){self._at(step)}")

    def _nested(self, step: Step) -> None:
        there = '(r[0], [r[1]], {"t": r[2]}, Row(n=r[1], inner=(r[2],)))'
        back = record(step.form, "r[0]", "r[1][0] + r[3].n - r[3]['n']", "r[2]['t'] + r[3].inner[0] - r[3][1][0]")
        kind = "" if self._type(step.form) is None else ", NESTED"
        first = f"s{step.inputs[0]}.map(lambda r: {there}{kind}){self._at(step)}{step['how']}"
        self._let(step, f"{first}.map(lambda r: {back}{self._typed(step.form)}){self._at(step)}")

    def _filter(self, step: Step) -> None:
        condition = filters(self.job.keys)[step["function"]]
        self._let(step, f"s{step.inputs[0]}.filter(lambda r: {condition}){self._at(step)}")

    def _flat_map(self, step: Step) -> None:
        count, number = {**FLATS, **MANY}[step["function"]]
        made = record(step.form, "r[0]", number, "r[2]")
        function = f"lambda r: [{made} for i in range({count})]"
        self._let(step, f"s{step.inputs[0]}.flat_map({function}{self._typed(step.form)}){self._at(step)}")

    def _tag(self, step: Step, name: str, form: str) -> str:
        return f'OutputTag("{name}{step.id}"{self._typed(form)})'

    def _process(self, step: Step) -> None:
        self.top.append(f"TAG{step.id} = {self._tag(step, 'side', step.form)}")
        self._class(
            f"class Process{step.id}(ProcessFunction):\n    def process_element(self, r, ctx):\n"
            f"        made = {record(step.form, 'r[0]', 'r[1] * 2', 'r[2]')}\n"
            f"        if r[1] % 3 == 0:\n            yield TAG{step.id}, made\n        else:\n            yield made"
        )
        self._let(step, f"s{step.inputs[0]}.process(Process{step.id}(){self._typed(step.form)}){self._at(step)}")

    def _side(self, step: Step) -> None:
        self._let(step, f"s{step.inputs[0]}.get_side_output(TAG{step.inputs[0]})")

    def _late(self, step: Step) -> None:
        self._let(step, f"w{step.inputs[0]}.get_side_output(TAG{step.inputs[0]})")

    def _async(self, step: Step) -> None:
        made = record(step.form, "r[0]", "r[1] + 100", "r[2]")
        self._class(
            f"class Async{step.id}(AsyncFunction):\n    async def async_invoke(self, r):\n"
            f"        return [{made}] * (1 + r[1] % 2)"
        )
        wait = "ordered_wait" if step["ordered"] else "unordered_wait"
        self._let(
            step,
            f"AsyncDataStream.{wait}(s{step.inputs[0]}, Async{step.id}(), Time.seconds(600), 3"
            f"{self._typed(step.form)}){self._at(step)}",
        )

    def _ship(self, step: Step) -> None:
        how, stream = step["how"], f"s{step.inputs[0]}"
        if how == "custom" or (how == "global" and not self.ours):
            chosen = "zlib.crc32(repr(k).encode()) % n" if how == "custom" else "0"
            self._let(step, f"{stream}.partition_custom(lambda k, n: {chosen}, lambda r: r[1])")
        else:
            self._let(step, f"{stream}.{'global_' if how == 'global' else how}()")

    def _union(self, step: Step) -> None:
        first, *others = (f"s{number}" for number in step.inputs)
        self._let(step, f"{first}.union({', '.join(others)})")

    def _times(self, step: Step) -> None:
        strategy = f"WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis({step['delay']}))"
        self._let(
            step,
            f"s{step.inputs[0]}.assign_timestamps_and_watermarks("
            f"{strategy}.with_timestamp_assigner(Stamp())){self._at(step)}",
        )

    def _connect(self, step: Step) -> None:
        one, other = record(step.form, "r[0]", "r[1] + 1", "r[2]"), record(step.form, "r[0]", "-r[1]", "r[2]")
        name = f"Connect{step.id}"
        if step["function"] == "map":
            self._class(
                f"class {name}(CoMapFunction):\n    def map1(self, r):\n        return {one}\n\n"
                f"    def map2(self, r):\n        return {other}"
            )
        elif step["function"] == "flat_map":
            self._class(
                f"class {name}(CoFlatMapFunction):\n    def flat_map1(self, r):\n"
                f"        yield {one}\n        yield {other}\n\n"
                f"    def flat_map2(self, r):\n        if r[1] > 0:\n            yield {other}"
            )
        else:
            self._class(
                f"class {name}(CoProcessFunction):\n    def process_element1(self, r, ctx):\n        yield {one}\n\n"
                f"    def process_element2(self, r, ctx):\n        yield {other}\n        yield {one}"
            )
        first, second = step.inputs
        self._let(
            step, f"s{first}.connect(s{second}).{step['function']}({name}(){self._typed(step.form)}){self._at(step)}"
        )

    def _broadcast_state(self, step: Step) -> None:
        rule = record(step.form, "r[0]", "r[1] + 1000", "r[2]")
        same = record(step.form, "r[0]", "r[1]", "r[2]")
        self.top.append(f'RULES{step.id} = MapStateDescriptor("rules", Types.LONG(), Types.LONG())')
        self._class(
            f"class Rules{step.id}(BroadcastProcessFunction):\n    def process_element(self, r, ctx):\n"
            f"        ctx.get_broadcast_state(RULES{step.id}).get(r[1])\n        yield {same}\n\n"
            f"    def process_broadcast_element(self, r, ctx):\n"
            f"        ctx.get_broadcast_state(RULES{step.id}).put(r[1], r[2])\n        yield {rule}"
        )
        first, second = step.inputs
        self._let(
            step,
            f"s{first}.rebalance().connect(s{second}.broadcast(RULES{step.id})).process(Rules{step.id}()"
            f"{self._typed(step.form)}){self._at(step)}",
        )

    def _stamps(self, step: Step) -> None:
        made = record(step.form, "r[0]", "r[1]", "ctx.timestamp()")
        self._class(
            f"class Stamps{step.id}(ProcessFunction):\n    def process_element(self, r, ctx):\n        yield {made}"
        )
        self._let(step, f"s{step.inputs[0]}.process(Stamps{step.id}(){self._typed(step.form)}){self._at(step)}")

    def _counted(self, step: Step) -> None:
        """A function that remembers something by itself: downstream of an exchange, where it lasts in a stream."""
        made = record(step.form, "r[0]", "r[1] * 10 + self.count", "r[2]")
        self._class(
            f"class Counted{step.id}(MapFunction):\n    def __init__(self):\n        self.count = 0\n\n"
            f"    def map(self, r):\n        self.count += 1\n        return {made}"
        )
        self._let(
            step, f"s{step.inputs[0]}.rebalance().map(Counted{step.id}(){self._typed(step.form)}){self._at(step)}"
        )

    # --- operators with keys

    def _aggregate(self, step: Step) -> None:
        reduce = f"lambda a, b: {record(step.form, 'a[0]', 'a[1] + b[1]', 'max(a[2], b[2])')}"
        call = f"reduce({reduce})" if step.kind == "reduce" else f"{step.kind}(1)"
        if self.ours and step.kind in ("min_by", "max_by"):  # PyFlink's alone
            call = f"reduce(lambda a, b: b if b[1] {'<' if step.kind == 'min_by' else '>'} a[1] else a)"
        stream = step.inputs[0]
        if step["running"]:
            self._let(step, f"{self._keyed(step, stream)}.{call}{self._at(step)}")
            return
        third, key, declared, first = AGGREGATE_SELECTORS[step["selector"]]
        typed, at = self._typed(step.form), self._at(step)
        if third is not None:
            self._let(step, f"s{stream}.map(lambda r: {record(step.form, 'r[0]', 'r[1]', third)}{typed})")
            stream = step.id
        self._let(step, f"{self._keyed(step, stream, key, declared)}.{call}{at}")
        made = record(step.form, "a" if first else "KEYS[0]", "b", "0" if third is None else "c")
        self._class(
            f"class Settled{step.id}(KeyedProcessFunction):\n    def open(self, runtime_context):\n"
            '        last = ValueStateDescriptor("last", Types.PICKLED_BYTE_ARRAY())\n'
            "        self.last = runtime_context.get_state(last)\n\n"
            "    def process_element(self, r, ctx):\n        self.last.update((r[0], r[1], r[2]))\n"
            "        ctx.timer_service().register_event_time_timer(FAR)\n        yield from ()\n\n"
            f"    def on_timer(self, timestamp, ctx):\n        a, b, c = self.last.value()\n        yield {made}"
        )
        self._let(step, f"{self._keyed(step, step.id, key, declared)}.process(Settled{step.id}(){typed}){at}")

    _sum = _min = _max = _min_by = _max_by = _reduce = _aggregate

    def _keyed_first(self, step: Step) -> None:
        made = record(step.form, "r[0]" if step["selector"] == "field" else "KEYS[0]", "7", "0")
        opened = (
            "    def open(self, context):\n"
            '        self.seen = context.get_state(ValueStateDescriptor("seen", Types.BOOLEAN()))\n\n'
        )
        keyed, typed, at = self._keyed(step, step.inputs[0]), self._typed(step.form), self._at(step)
        if step["function"] == "flat_map":
            self._class(
                f"class First{step.id}(FlatMapFunction):\n{opened}    def flat_map(self, r):\n"
                f"        if self.seen.value() is None:\n            self.seen.update(True)\n            yield {made}"
            )
            self._let(step, f"{keyed}.flat_map(First{step.id}(){typed}){at}")
        else:
            self._class(
                f"class First{step.id}(FilterFunction):\n{opened}    def filter(self, r):\n"
                "        known = self.seen.value()\n        self.seen.update(True)\n        return known is None"
            )
            self._let(step, f"{keyed}.filter(First{step.id}()){at}.map(lambda r: {made}{typed}){at}")

    def _keyed_process(self, step: Step) -> None:
        name, current = f"Keyed{step.id}", self._current(step)
        if step["function"] == "totals":
            total = "sum(self.seen.get()) * 1000 + self.count.value() * 10 + len(list(self.times.keys()))"
            made = record(step.form, current, total, "self.top.get()")
            text = (
                "    def open(self, context):\n"
                '        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))\n'
                '        self.seen = context.get_list_state(ListStateDescriptor("seen", Types.LONG()))\n'
                '        self.times = context.get_map_state(MapStateDescriptor("times", Types.LONG(), Types.LONG()))\n'
                '        self.top = context.get_reducing_state(ReducingStateDescriptor("top", max, Types.LONG()))\n\n'
                "    def process_element(self, r, ctx):\n"
                "        self.count.update((self.count.value() or 0) + 1)\n        self.seen.add(r[1])\n"
                "        self.times.put(r[2], 1)\n        self.top.add(r[1])\n"
                "        ctx.timer_service().register_event_time_timer(FAR)\n        yield from ()\n\n"
                f"    def on_timer(self, timestamp, ctx):\n        yield {made}"
            )
        elif step["function"] == "stored":
            total = "last[0] * 1000 + self.positive.get() * 10 + len(list(self.marks.items()))"
            made = record(step.form, current, total, "len(last[1])")
            self._class(
                f"class Positive{step.id}(AggregateFunction):\n    def create_accumulator(self):\n        return 0\n\n"
                "    def add(self, value, acc):\n        return acc + (value > 0)\n\n"
                "    def get_result(self, acc):\n        return acc\n\n"
                "    def merge(self, acc, b):\n        return acc + b"
            )
            kept = "StateTtlConfig.new_builder(Time.hours(1)).build()"
            text = (
                "    def open(self, context):\n"
                '        last = ValueStateDescriptor("last", Types.TUPLE([Types.LONG(), Types.LIST(Types.LONG())]))\n'
                f"        last.enable_time_to_live({kept})\n        self.last = context.get_state(last)\n"
                '        marks = MapStateDescriptor("marks", Types.LONG(), Types.LONG())\n'
                f"        marks.enable_time_to_live({kept})\n        self.marks = context.get_map_state(marks)\n"
                "        self.positive = context.get_aggregating_state(\n"
                f'            AggregatingStateDescriptor("positive", Positive{step.id}(), Types.LONG()))\n\n'
                "    def process_element(self, r, ctx):\n"
                "        last = self.last.value() or (0, [])\n"
                "        self.last.update((last[0] + r[1], [*last[1], r[2]]))\n"
                "        self.positive.add(r[1])\n        self.marks.put(r[1] % 4, r[2])\n"
                "        if r[1] % 4 == 2:\n            self.marks.remove(2)\n"
                "        ctx.timer_service().register_event_time_timer(FAR)\n        yield from ()\n\n"
                f"    def on_timer(self, timestamp, ctx):\n        last = self.last.value()\n        yield {made}"
            )
        elif step["function"] == "running":
            made = record(step.form, "r[0]", "r[1] * 10 + self.count.value()", "r[2]")
            text = (
                "    def open(self, context):\n"
                '        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))\n\n'
                "    def process_element(self, r, ctx):\n"
                f"        self.count.update((self.count.value() or 0) + 1)\n        yield {made}"
            )
        else:
            made = record(step.form, current, "timestamp", "timestamp")
            text = (
                "    def process_element(self, r, ctx):\n"
                f"        ctx.timer_service().register_event_time_timer(ctx.timestamp() + {step['wait']})\n"
                "        yield from ()\n\n"
                f"    def on_timer(self, timestamp, ctx):\n        yield {made}"
            )
        self._class(f"class {name}(KeyedProcessFunction):\n{text}")
        self._let(
            step, f"{self._keyed(step, step.inputs[0])}.process({name}(){self._typed(step.form)}){self._at(step)}"
        )

    def _window(self, step: Step) -> None:
        size = f"Time.milliseconds({step['size']})"
        assigner = {
            "tumbling": f"TumblingEventTimeWindows.of({size}, Time.milliseconds({step['offset']}))",
            "sliding": f"SlidingEventTimeWindows.of({size}, Time.milliseconds({step['slide']}))",
            "session": f"EventTimeSessionWindows.with_gap({size})",
            "dynamic": f"EventTimeSessionWindows.with_dynamic_gap(Gap{step.id}())",
        }[step["assigner"]]
        if step["assigner"] == "dynamic":
            self._class(
                f"class Gap{step.id}(SessionWindowTimeGapExtractor):\n    def extract(self, r):\n"
                f"        return {step['size']} + r[1] % 4"
            )
        every = self._over_all(step)
        keyed = f"s{step.inputs[0]}.window_all" if every else f"{self._keyed(step, step.inputs[0])}.window"
        call = f"{keyed}({assigner})"
        trigger = {"event": "EventTimeTrigger.create()", "purging": "PurgingTrigger.of(EventTimeTrigger.create())"}
        if step.options.get("trigger"):
            call += f".trigger({trigger[step['trigger']]})"
        if step["lateness"]:
            call += f".allowed_lateness({step['lateness']})"
        if step["tagged"]:
            self.top.append(f"TAG{step.id} = {self._tag(step, 'late', self.job.by_id[step.inputs[0]].form)}")
            call += f".side_output_late_data(TAG{step.id})"
        typed = self._typed(step.form, "output_type=")
        self.body.append(f"w{step.id} = {call}.{self._windowed(step)}{typed}){self._at(step)}")
        self._let(step, self._blurred(step, f"w{step.id}"))

    def _windowed(self, step: Step) -> str:
        if step["function"] == "reduce":
            return f"reduce(lambda a, b: {record(step.form, 'a[0]', 'a[1] + b[1]', 'max(a[2], b[2])')}"
        if step["function"] == "aggregate":
            made = record(step.form, "acc[0]", "acc[1] * 100 + acc[2]", "acc[3]")
            self._class(
                f"class Aggregate{step.id}(AggregateFunction):\n    def create_accumulator(self):\n"
                "        return (None, 0, 0, -(10**9))\n\n    def add(self, r, acc):\n"
                "        return (r[0], acc[1] + r[1], acc[2] + 1, max(acc[3], r[2]))\n\n"
                f"    def get_result(self, acc):\n        return {made}\n\n    def merge(self, acc, b):\n"
                "        return (acc[0] if acc[2] else b[0], acc[1] + b[1], acc[2] + b[2], max(acc[3], b[3]))"
            )
            return f"aggregate(Aggregate{step.id}()"
        if step.options.get("through") and not self.ours:
            return self._gathered(step)
        return self._window_function(step, "context.window().end")

    def _gathered(self, step: Step) -> str:
        """What reduce or aggregate gathered, for a window function: PyFlink's alone."""
        key = "key" if step["selector"] == "field" else "KEYS[0]"
        made = record(step.form, key, "gathered[1] * 100 + gathered[2]", "context.window().end")
        self._class(
            f"class Gathered{step.id}(AggregateFunction):\n    def create_accumulator(self):\n"
            "        return (None, 0, 0)\n\n    def add(self, r, acc):\n"
            "        return (None, acc[1] + r[1], acc[2] + 1)\n\n"
            "    def get_result(self, acc):\n        return acc\n\n    def merge(self, acc, b):\n"
            "        return (None, acc[1] + b[1], acc[2] + b[2])\n\n\n"
            f"class Window{step.id}(ProcessWindowFunction):\n    def process(self, key, context, elements):\n"
            f"        (gathered,) = elements\n        yield {made}"
        )
        return f"aggregate(Gathered{step.id}(), Window{step.id}(), Types.PICKLED_BYTE_ARRAY()"

    def _over_all(self, step: Step) -> bool:
        """Whether it is PyFlink's window_all; our own API has one key for that."""
        return bool(step.options.get("every")) and not self.ours

    def _window_function(self, step: Step, third: str) -> str:
        key = "key" if step["selector"] == "field" else "KEYS[0]"
        made = record(step.form, key, "sum(r[1] for r in found) * 100 + len(found)", third)
        base, arguments = ("ProcessWindowFunction", "self, key, context, elements")
        if self._over_all(step):
            base, arguments = ("ProcessAllWindowFunction", "self, context, elements")
        self._class(
            f"class Window{step.id}({base}):\n    def process({arguments}):\n"
            f"        found = list(elements)\n        yield {made}"
        )
        return f"process(Window{step.id}()"

    def _count(self, step: Step) -> None:
        call = f"{self._keyed(step, step.inputs[0])}.count_window({step['size']})"
        self._let(step, f"{call}.{self._window_function(step, '0')}{self._typed(step.form)}){self._at(step)}")

    def _keyed_connect(self, step: Step) -> None:
        made = record(
            step.form, self._current(step), "(self.count.value() or 0) * 1000 + sum(self.seen.get() or ())", "0"
        )
        self._class(
            f"class Both{step.id}(KeyedCoProcessFunction):\n    def open(self, context):\n"
            '        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))\n'
            '        self.seen = context.get_list_state(ListStateDescriptor("seen", Types.LONG()))\n\n'
            "    def process_element1(self, r, ctx):\n        self.count.update((self.count.value() or 0) + 1)\n"
            "        ctx.timer_service().register_event_time_timer(FAR)\n        yield from ()\n\n"
            "    def process_element2(self, r, ctx):\n        self.seen.add(r[1])\n"
            "        ctx.timer_service().register_event_time_timer(FAR)\n        yield from ()\n\n"
            f"    def on_timer(self, timestamp, ctx):\n        yield {made}"
        )
        first, second = (self._keyed(step, number) for number in step.inputs)
        self._let(step, f"{first}.connect({second}).process(Both{step.id}(){self._typed(step.form)}){self._at(step)}")

    def _keyed_broadcast(self, step: Step) -> None:
        made = record(
            step.form,
            self._current(step),
            "self.count.value()",
            f"len(list(ctx.get_broadcast_state(RULES{step.id}).items()))",
        )
        self.top.append(f'RULES{step.id} = MapStateDescriptor("rules", Types.LONG(), Types.LONG())')
        self._class(
            f"class Rules{step.id}(KeyedBroadcastProcessFunction):\n    def open(self, context):\n"
            '        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))\n\n'
            "    def process_element(self, r, ctx):\n        self.count.update((self.count.value() or 0) + 1)\n"
            "        ctx.timer_service().register_event_time_timer(FAR)\n        yield from ()\n\n"
            "    def process_broadcast_element(self, r, ctx):\n"
            f"        ctx.get_broadcast_state(RULES{step.id}).put(r[1], r[2])\n        yield from ()\n\n"
            f"    def on_timer(self, timestamp, ctx):\n        yield {made}"
        )
        first, second = step.inputs
        self._let(
            step,
            f"{self._keyed(step, first)}.connect(s{second}.broadcast(RULES{step.id})).process(Rules{step.id}()"
            f"{self._typed(step.form)}){self._at(step)}",
        )

    def _print(self, step: Step) -> None:
        self.body.append(
            f's{step.inputs[0]}.map(lambda r: show("p{step.id}", r), Types.STRING()){self._at(step)}.print()'
        )
