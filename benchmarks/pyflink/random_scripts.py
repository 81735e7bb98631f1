"""Random PyFlink scripts, to compare with real PyFlink what no recorded script shows.

    python -m benchmarks.pyflink.random_scripts FIRST COUNT FOLDER [kafka] [1x]

With `kafka` the scripts use Kafka too, and the real PyFlink needs its connector's jar. With `1x` they are scripts of
Flink 1.18 to 1.20: its sources, sinks and settings, and nothing that only Flink 2 has.

Scripts are written for plans, not for results: every call of the DataStream API that shapes a plan, in any order, with
settings on any operator, several environments and jobs, reused streams and calls that PyFlink refuses.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from benchmarks.pyflink.random_script_head import HEAD, HEAD_1X

TYPES = [
    None, "Types.STRING()", "Types.INT()", "Types.LONG()", "Types.TUPLE([Types.STRING(), Types.INT()])",
    "Types.ROW([Types.STRING(), Types.INT()])", "Types.ROW_NAMED(['a', 'b'], [Types.STRING(), Types.INT()])",
    "Types.LIST(Types.STRING())", "Types.MAP(Types.STRING(), Types.INT())", "Types.PICKLED_BYTE_ARRAY()",
    "Types.BASIC_ARRAY(Types.STRING())", "Types.PRIMITIVE_ARRAY(Types.BYTE())", "[Types.STRING()]", "Types.INSTANT()",
    "Types.SQL_TIMESTAMP()", "Types.BIG_DEC()", "Types.OBJECT_ARRAY(Types.STRING())", "Types.BOOLEAN()",
]  # fmt: skip
ASSIGNERS = [
    "TumblingEventTimeWindows.of(Time.seconds(5))", "TumblingProcessingTimeWindows.of(Time.seconds(5))",
    "SlidingEventTimeWindows.of(Time.seconds(10), Time.seconds(5))",
    "SlidingProcessingTimeWindows.of(Time.seconds(10), Time.seconds(5))",
    "EventTimeSessionWindows.with_gap(Time.seconds(5))", "ProcessingTimeSessionWindows.with_gap(Time.seconds(5))",
    "EventTimeSessionWindows.with_dynamic_gap(Gap())", "ProcessingTimeSessionWindows.with_dynamic_gap(Gap())",
    "GlobalWindows.create()", "Mine.of(Time.seconds(1))", "Mine(1000, 0)",
]  # fmt: skip
STRATEGIES = [
    "WatermarkStrategy.no_watermarks()", "WatermarkStrategy.for_monotonous_timestamps()",
    "WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(2))",
    "WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Timed())",
    "WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Timed())"
    ".with_idleness(Duration.of_seconds(1))",
    "WatermarkStrategy.for_monotonous_timestamps().with_idleness(Duration.of_seconds(1))"
    ".with_timestamp_assigner(Timed())",
]  # fmt: skip
SOURCES_1X = {
    "consumer": "env.add_source({consumer}{start}{name}{typed})",
    "text": "env.read_text_file('/in'{charset})",
}
STARTS_1X = ("", ".set_start_from_earliest()", ".set_start_from_latest()", ".set_start_from_timestamp(5)",
             ".set_start_from_group_offsets().set_commit_offsets_on_checkpoints(False)")  # fmt: skip
SINKS_1X = (
    "StreamingFileSink.for_row_format('/out', Encoder.simple_string_encoder()).build()",
    "SinkFunction('org.apache.flink.streaming.api.functions.sink.DiscardingSink')",
)
SETTINGS_1X = (
    "env.set_stream_time_characteristic(TimeCharacteristic.ProcessingTime)",
    "env.set_stream_time_characteristic(TimeCharacteristic.EventTime)",
    "env.set_state_backend(HashMapStateBackend())",
    "env.set_state_backend(FsStateBackend('file:///state'))",
    "env.set_restart_strategy(RestartStrategies.fixed_delay_restart(3, 10000))",
    "env.get_config().set_restart_strategy(RestartStrategies.no_restart())",
    "env.get_config().set_execution_mode(ExecutionMode.BATCH)",
    "env.get_checkpoint_config().set_checkpoint_storage_dir('file:///checkpoints')",
    "env.get_checkpoint_config().set_externalized_checkpoint_cleanup("
    "ExternalizedCheckpointCleanup.RETAIN_ON_CANCELLATION)",
    "env.enable_checkpointing(1000)",
    "env.register_type('java.lang.String')",
)


class Writer:
    """One script while it is written."""

    def __init__(self, seed: int, with_kafka: bool = False, flink_1x: bool = False) -> None:
        self.random = random.Random(seed)
        self.with_kafka = with_kafka
        self.flink_1x = flink_1x
        self.lines: list[str] = []
        self.count = 0
        self.uids = 0
        self.plain: list[str] = []
        self.keyed: list[str] = []
        self.operators: list[str] = []  # plain streams that are an operator's own result

    def text(self) -> str:
        """The whole script."""
        self.settings()
        for _ in range(self.random.choice((1, 1, 1, 2))):
            self.job()
        body = "\n".join(f"    {line}" for line in self.lines)
        return (
            f"{HEAD_1X if self.flink_1x else HEAD}\n\ndef main():\n{body}\n\n\nif __name__ == '__main__':\n    main()\n"
        )

    def settings(self) -> None:
        choose = self.random.random
        self.lines.append("config = Configuration()")
        if choose() < 0.15:
            self.lines.append("config.set_string('python.operator-chaining.enabled', 'false')")
        if choose() < 0.3:
            self.lines.append(f"config.set_string('parallelism.default', '{self.number(4)}')")
        if choose() < 0.1:
            self.lines.append("config.set_string('pipeline.operator-chaining.enabled', 'false')")
        if choose() < 0.1:
            self.lines.append("config.set_string('pipeline.name', 'configured')")
        if choose() < 0.1:
            self.lines.append("config.set_string('pipeline.max-parallelism', '96')")
        self.lines.append("env = StreamExecutionEnvironment.get_execution_environment(config)")
        if choose() < 0.06:
            self.lines.append("env.disable_operator_chaining()")
        if choose() < 0.05:
            self.lines.append(f"env._j_stream_execution_environment.setParallelism({self.number(4)})")
        if choose() < 0.6:
            self.lines.append(f"env.set_parallelism({self.number(4)})")
        if choose() < 0.2:
            mode = self.random.choice(("BATCH", "AUTOMATIC", "STREAMING"))
            self.lines.append(f"env.set_runtime_mode(RuntimeExecutionMode.{mode})")
        if choose() < 0.15:
            self.lines.append(f"env.set_max_parallelism({self.random.choice((16, 128))})")
        if self.flink_1x:
            self.lines += [line for line in SETTINGS_1X if choose() < 0.15]

    def job(self) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.source()
        for _ in range(self.random.randint(2, 14)):
            if self.random.random() < 0.05:
                self.lines.append(f"env.set_parallelism({self.number(4)})")
            if self.random.random() < 0.02:
                self.lines.append(f"env.set_max_parallelism({self.random.choice((32, 200))})")
            self.step()
        for _ in range(self.random.randint(1, 3)):
            self.sink()
        if self.random.random() < 0.06:
            self.lines.append("env.get_execution_plan()")
        self.lines.append(self.random.choice(("env.execute()", "env.execute('named')", "env.execute_async()")))

    def number(self, most: int) -> int:
        return self.random.randint(1, most)

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def set(self, call: str, operator: bool = True) -> str:
        """A call with settings behind it."""
        if not operator:
            return call
        settings = {
            f".name('n{self.number(5)}')": 0.15, f".set_parallelism({self.number(4)})": 0.15,
            ".set_max_parallelism(64)": 0.05, f".slot_sharing_group('{self.random.choice('ab')}')": 0.06,
            ".disable_chaining()": 0.05, ".start_new_chain()": 0.05, ".set_description('text')": 0.05,
            ".set_buffer_timeout(10)": 0.03, ".force_non_parallel()": 0.02,
            ".slot_sharing_group(SlotSharingGroup.builder('c').build())": 0.02,
            f".set_uid_hash('{self.random.randrange(16**32):032x}')": 0.02,
        }  # fmt: skip
        chosen = [text for text, chance in settings.items() if self.random.random() < chance]
        if self.random.random() < 0.08:
            self.uids += 1
            chosen.append(f".uid('u{self.uids}')")
        return call + "".join(chosen)

    def add(self, call: str, operator: bool = True) -> None:
        name = self.name("s")
        self.lines.append(f"{name} = {self.set(call, operator)}")
        self.plain.append(name)
        if operator:
            self.operators.append(name)

    def output(self, keyword: str = "output_type") -> str:
        kind = self.random.choice(TYPES) if self.random.random() < 0.6 else None
        return f", {keyword}={kind}" if kind else ""

    def source(self) -> None:
        if self.flink_1x and self.random.random() < 0.6:
            self.source_1x()
            return
        kinds = ["collection", "collection", "numbers", "files", "monitored", "socket"]
        kind = self.random.choice(
            kinds + (["kafka", "kafka", "kafka_rows", "kafka_bounded"] if self.with_kafka else [])
        )
        if kind == "socket":
            self.add("DataStream(env._j_stream_execution_environment.socketTextStream('h', 1))")
            return
        if kind == "collection":
            typed = self.random.choice(("", ", Types.TUPLE([Types.STRING(), Types.INT()])"))
            name = self.name("s")
            self.lines.append(f"{name} = env.from_collection([('a', 1)]{typed})")
            self.plain.append(name)
            self.operators.append(name)
            return
        made = {
            "numbers": "NumberSequenceSource(1, 9)",
            "files": "FileSource.for_record_stream_format(StreamFormat.text_line_format(), '/in').build()",
            "monitored": "FileSource.for_record_stream_format(StreamFormat.text_line_format(), '/in')"
            ".monitor_continuously(Duration.of_seconds(1)).build()",
            "kafka": "kafka().build()",
            "kafka_rows": "kafka(JsonRowDeserializationSchema.builder().type_info(Types.ROW([Types.INT()]))"
            ".build()).build()",
            "kafka_bounded": "kafka().set_bounded(KafkaOffsetsInitializer.latest()).build()",
        }[kind]
        typed = self.random.choice(("", "", "", ", Types.STRING()", ", type_info=Types.ROW([Types.STRING()])"))
        self.add(f"env.from_source({made}, {self.random.choice(STRATEGIES)}, 'source'{typed})")

    def source_1x(self) -> None:
        kind = self.random.choice(("consumer", "text") if self.with_kafka else ("text",))
        made = SOURCES_1X[kind].format(
            consumer=self.random.choice(("consumer()", "consumer()", "consumer(JSON)")),
            start=self.random.choice(STARTS_1X),
            name=self.random.choice(("", ", 'orders'", ", source_name='orders'")),
            typed=self.random.choice(("", "", ", type_info=Types.STRING()")),
            charset=self.random.choice(("", ", 'ISO-8859-1'")),
        )
        self.add(made)

    def step(self) -> None:
        stream = self.random.choice(self.plain[-6:])
        keyed = self.random.choice(self.keyed[-3:]) if self.keyed else None
        steps = ["map", "map", "flat_map", "filter", "process", "key_by", "key_by", "partition", "custom", "union",
                 "side", "watermarks", "connect", "async", "window_all", "broadcast", "project", "again",
                 "cache"]  # fmt: skip
        if keyed:
            steps += ["keyed", "keyed", "keyed", "window", "window", "keyed_connect", "keyed_broadcast", "keyed_union"]
        if self.flink_1x:
            steps.remove("async")
        getattr(self, f"step_{self.random.choice(steps)}")(stream, keyed)

    def step_project(self, stream: str, _: str | None) -> None:
        typed = "Types.TUPLE([Types.STRING(), Types.INT()])"
        self.add(f"{stream}.map(lambda v: v, {typed}).project({self.random.choice(('0', '1, 0', '1'))})")

    def step_again(self, stream: str, keyed: str | None) -> None:
        """A keyed stream that is keyed once more, or a stream that is wrapped anew."""
        if keyed:
            name = self.name("k")
            self.lines.append(f"{name} = {keyed}.key_by(lambda v: v[0])")
            self.keyed.append(name)
        else:
            self.add(f"DataStream({stream}._j_data_stream)", operator=False)

    def step_cache(self, stream: str, _: str | None) -> None:
        if self.random.random() < 0.2:
            self.add(f"{stream}.map(lambda v: v).cache()", operator=False)

    def step_map(self, stream: str, _: str | None) -> None:
        self.add(f"{stream}.map(lambda v: v{self.output()})")

    def step_flat_map(self, stream: str, _: str | None) -> None:
        self.add(f"{stream}.flat_map(lambda v: [v]{self.output()})")

    def step_filter(self, stream: str, _: str | None) -> None:
        self.add(f"{stream}.filter(lambda v: True)")

    def step_process(self, stream: str, _: str | None) -> None:
        self.add(f"{stream}.process(Each(){self.output()})")

    def step_key_by(self, stream: str, _: str | None) -> None:
        name = self.name("k")
        typed = self.random.choice(("", "", ", Types.STRING()", ", key_type=Types.INT()"))
        self.lines.append(f"{name} = {stream}.key_by(lambda v: v[0]{typed})")
        self.keyed.append(name)

    def step_partition(self, stream: str, _: str | None) -> None:
        call = self.random.choice(("rebalance", "rescale", "shuffle", "forward", "broadcast"))
        self.add(f"{stream}.{call}()", operator=False)

    def step_custom(self, stream: str, _: str | None) -> None:
        self.add(f"{stream}.partition_custom(lambda k, n: 0, lambda v: v)")

    def step_union(self, stream: str, _: str | None) -> None:
        others = [self.random.choice(self.plain[-6:]) for _ in range(self.number(2))]
        made = f"[s.map(lambda v: v) for s in ({', '.join([stream, *others])},)]"
        if self.random.random() < 0.7:
            parts = self.name("p")
            self.lines.append(f"{parts} = {made}")
            self.add(f"{parts}[0].union(*{parts}[1:])", operator=False)
        else:
            self.add(f"{stream}.union({', '.join(others)})", operator=False)

    def step_side(self, stream: str, _: str | None) -> None:
        source = self.random.choice(self.operators)
        self.add(f"{source}.get_side_output({self.random.choice(('tag', 'plain_tag'))})")

    def step_watermarks(self, stream: str, _: str | None) -> None:
        self.add(f"{stream}.assign_timestamps_and_watermarks({self.random.choice(STRATEGIES)})")

    def step_connect(self, stream: str, _: str | None) -> None:
        other = self.random.choice(self.plain[-6:])
        function = self.random.choice(("process(Both()", "map(Maps()", "flat_map(Flats()"))
        keys = self.random.choice(("", "", ".key_by(lambda v: 1, lambda v: 1)", ".key_by(len, len, Types.INT())"))
        function = "process(KeyedBoth()" if keys and function.startswith("process") else function
        self.add(f"{stream}.connect({other}){keys}.{function}{self.output()})")

    def step_async(self, stream: str, _: str | None) -> None:
        if self.random.random() < 0.3:
            retried = "AsyncRetryStrategy.fixed_delay(2, 10, None, lambda e: True)"
            call = self.random.choice(("unordered_wait_with_retry", "ordered_wait_with_retry"))
            self.add(f"AsyncDataStream.{call}({stream}, Ask(), Time.seconds(1), {retried}, 10{self.output()})")
            return
        call = self.random.choice(("unordered_wait", "ordered_wait"))
        self.add(f"AsyncDataStream.{call}({stream}, Ask(), Time.seconds(1), 10{self.output()})")

    def step_window_all(self, stream: str, _: str | None) -> None:
        call = self.random.choice((f"process(All(){self.output()})", "reduce(lambda a, b: a)",
                                   f"aggregate(Sum(){self.output()})"))  # fmt: skip
        self.add(f"{stream}.window_all({self.random.choice(ASSIGNERS)}).{call}")

    def step_broadcast(self, stream: str, _: str | None) -> None:
        other = self.random.choice(self.plain[-6:])
        self.add(f"{stream}.connect({other}.broadcast(rules)).process(Rules(){self.output()})")

    def step_keyed(self, _: str, keyed: str | None) -> None:
        call = self.random.choice((f"map(lambda v: v{self.output()})", f"process(Count(){self.output()})", "sum(1)",
                                   "filter(lambda v: True)", "reduce(lambda a, b: a)", "min_by(0)", "max(1)",
                                   f"flat_map(lambda v: [v]{self.output()})"))  # fmt: skip
        self.add(f"{keyed}.{call}")

    def step_window(self, _: str, keyed: str | None) -> None:
        window = self.random.choice((*(f"window({a})" for a in ASSIGNERS), "count_window(3)", "count_window(4, 2)"))
        extra = self.random.choice(("", "", ".allowed_lateness(10)", ".side_output_late_data(tag)",
                                    ".trigger(CountTrigger.of(3))"))  # fmt: skip
        call = self.random.choice((f"process(Whole(){self.output()})", "reduce(lambda a, b: a)",
                                   f"aggregate(Sum(), window_function=Whole(){self.output()})",
                                   "reduce(lambda a, b: a, Whole())", f"apply(Applied(){self.output()})",
                                   f"aggregate(Sum(), Applied(){self.output()})",
                                   "reduce(lambda a, b: a, output_type=Types.STRING())"))  # fmt: skip
        self.add(f"{keyed}.{window}{extra}.{call}")

    def step_keyed_connect(self, stream: str, keyed: str | None) -> None:
        other = self.random.choice((stream, self.random.choice(self.keyed)))
        both = other in self.keyed
        function = "process(KeyedBoth()" if both else self.random.choice(("process(Both()", "map(Maps()"))
        ends = (keyed, other) if self.random.random() < 0.5 else (other, keyed)
        self.add(f"{ends[0]}.connect({ends[1]}).{function}{self.output()})")

    def step_keyed_broadcast(self, stream: str, keyed: str | None) -> None:
        self.add(f"{keyed}.connect({stream}.broadcast(rules)).process(KeyedRules(){self.output()})")

    def step_keyed_union(self, stream: str, keyed: str | None) -> None:
        self.add(f"{keyed}.union({keyed})", operator=False)

    def sink(self) -> None:
        stream = self.random.choice((*self.plain[-4:], *self.keyed[-1:]))
        kinds = ["print", "print", "identified", "file", "collect", "bulk"] + (["kafka"] * 2 if self.with_kafka else [])
        kind = self.random.choice(kinds)
        if self.flink_1x and self.random.random() < 0.4:
            made = self.random.choice((*SINKS_1X, *(["producer()"] * 3 if self.with_kafka else [])))
            self.lines.append(f"{stream}.add_sink({made}){self.sink_settings()}")
            return
        if kind == "bulk":
            stream = self.random.choice(self.plain[-4:])
            rows = f"{stream}.map(lambda v: v, Types.ROW([Types.STRING()]))"
            writer = "CsvBulkWriters.for_schema(CsvSchema.builder().add_string_column('a').build())"
            self.lines.append(
                f"{rows}.sink_to(FileSink.for_bulk_format('/out', {writer}).build()){self.sink_settings()}"
            )
            return
        if kind == "kafka":
            made = self.random.choice(
                ("kafka_sink()", "kafka_sink('EXACTLY_ONCE')", "kafka_sink(selector=lambda v: 't')")
            )
            self.lines.append(f"{stream}.sink_to({made}){self.sink_settings()}")
            return
        if kind == "file":
            self.lines.append(
                f"{stream}.sink_to(FileSink.for_row_format('/out', Encoder.simple_string_encoder()).build())"
                + self.sink_settings()
            )
        elif kind == "collect" and self.random.random() < 0.3:
            self.lines.append(f"{stream}.execute_and_collect()")
        else:
            identifier = "'id'" if kind == "identified" else ""
            self.lines.append(f"{stream}.print({identifier}){self.sink_settings()}")

    def sink_settings(self) -> str:
        settings = {".name('out')": 0.3, f".set_parallelism({self.number(4)})": 0.2, ".disable_chaining()": 0.1,
                    ".slot_sharing_group('a')": 0.1, ".set_description('text')": 0.05}  # fmt: skip
        if self.random.random() < 0.08:
            self.uids += 1
            settings[f".uid('u{self.uids}')"] = 1.0
        return "".join(text for text, chance in settings.items() if self.random.random() < chance)


if __name__ == "__main__":
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        script = Writer(seed, "kafka" in sys.argv[4:], "1x" in sys.argv[4:])
        (folder / f"r{seed}.py").write_text(script.text(), encoding="utf-8")
