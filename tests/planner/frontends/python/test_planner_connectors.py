"""PyFlink's source builders give sources that plan, and say whether they end."""

from __future__ import annotations

import pytest

from planner import (
    FileSource,
    JobDefinitionError,
    KafkaOffsetsInitializer,
    KafkaSource,
    RestartStrategies,
    SimpleStringSchema,
    StreamExecutionEnvironment,
    StreamFormat,
    Time,
    WatermarkStrategy,
)
from planner.job import JobDefinition, Reader, RestartStrategy
from planner.settings.restart import restart_strategy


def read(source: object) -> JobDefinition:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_source(source, WatermarkStrategy.no_watermarks(), "in").print()
    return env.build("job")


def test_kafka_source_is_unbounded_until_it_is_told_where_to_stop() -> None:
    builder = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics("a", "b")
    builder.set_value_only_deserializer(SimpleStringSchema()).set_starting_offsets(KafkaOffsetsInitializer.earliest())
    source = read(builder.build()).operators[0]
    assert source.behaviour == Reader(
        format="kafka",
        options=(("kafka.bootstrap.servers", "broker:9092"), ("subscribe", "a,b"), ("startingOffsets", "earliest")),
    )
    assert (source.name, source.legacy, source.bounded) == ("in", False, False)
    assert read(builder.set_bounded(KafkaOffsetsInitializer.latest()).build()).operators[0].bounded


def test_file_source_reads_lines_and_ends() -> None:
    built = FileSource.for_record_stream_format(StreamFormat.text_line_format("latin-1"), "lines.txt").build()
    source = read(built).operators[0]
    options = (("encoding", "latin-1"), ("recursiveFileLookup", "true"))  # Flink's reads the folders inside
    assert source.behaviour == Reader(format="text", path="lines.txt", options=options)
    assert source.bounded


def test_exponential_restart_grows_as_flink_does_and_as_asked() -> None:
    given = restarted(RestartStrategies.exponential_delay_restart(1000, 60_000))
    assert given == restart_strategy("exponential-delay") and given.multiplier == 1.5
    assert restarted(RestartStrategies.exponential_delay_restart(1000, 60_000, 2.0)).multiplier == 2.0
    with pytest.raises(JobDefinitionError, match=r"at least 1, found 0\.5"):
        restarted(RestartStrategies.exponential_delay_restart(1000, 60_000, 0.5))


def restarted(strategy: object) -> RestartStrategy:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_sequence(1, 2).print()
    found = env.set_restart_strategy(strategy).build().restart_strategy
    assert found is not None
    return found


def test_other_restart_strategies_are_settings_of_the_job() -> None:
    fixed = RestartStrategies.fixed_delay_restart(3, Time.seconds(10))
    assert restarted(fixed) == RestartStrategy(type="fixed-delay", attempts=3, delay=10_000)
    rate = RestartStrategies.failure_rate_restart(3, Time.minutes(5), 1000)
    wanted = RestartStrategy(type="failure-rate", attempts=3, failure_interval=300_000, delay=1000)
    assert restarted(rate) == wanted
    assert restarted(RestartStrategies.no_restart()) == RestartStrategy(type="none")
