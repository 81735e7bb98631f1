"""What a streaming run needs beside Spark: the Kafka connector, and protobuf where state is kept."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planner.errors import ExecutionError, OptionError
from planner.job import Operator, Reader, Writer
from spark_runner.clusters.request import RunRequest
from spark_runner.streaming.program import StreamJob

__all__ = ["check_connectors", "check_workers"]

_JARS = ("spark.jars", "spark.jars.packages", "spark.driver.extraClassPath")


def check_connectors(job: StreamJob, request: RunRequest) -> None:
    """Refuse a job of Kafka's where nothing brings Spark's connector, before a session starts."""
    user = next(_of_kafka(job), None)
    if user is None or _brought(request) or _installed():
        return
    raise OptionError(
        f"operator {user.key!r} needs Spark's Kafka connector, and nothing brings it",
        hint="add --packages org.apache.spark:spark-sql-kafka-0-10_2.13:VERSION with your Spark's version, or the jars "
        "of spark-sql-kafka-0-10, spark-token-provider-kafka-0-10, kafka-clients and commons-pool2 as "
        "--conf spark.jars=A,B,C,D",
    )


def _of_kafka(job: StreamJob) -> Iterator[Operator]:
    operators = [source.operator for source in job.sources] + [sink.operator for sink in job.sinks]
    for operator in operators:
        behaviour = operator.behaviour
        if isinstance(behaviour, Reader | Writer) and behaviour.format.lower() == "kafka":
            yield operator


def _brought(request: RunRequest) -> bool:
    given = [*request.packages, *(value for key, value in request.conf if key in _JARS)]
    return any("kafka" in value for value in given)


def _installed() -> bool:
    found = importlib.util.find_spec("pyspark")
    folder = Path(found.origin).parent if found is not None and found.origin else None
    return folder is not None and any((folder / "jars").glob("spark-sql-kafka*"))


def check_workers(spark: Any, job: StreamJob) -> None:
    """Refuse workers without protobuf, which Spark itself only calls a crash."""
    if not any(vertex.stateful for vertex in job.vertices):
        return
    local = str(spark.conf.get("spark.master", "")).startswith("local")
    if not (_has_protobuf() if local else _workers_have_protobuf(spark)):
        raise ExecutionError(
            "the workers' Python has no protobuf, which Spark needs to keep a stream's state",
            hint="install it there (pip install protobuf), or point PYSPARK_PYTHON at a Python that has it",
        )


def _has_protobuf() -> bool:
    return importlib.util.find_spec("google") is not None and importlib.util.find_spec("google.protobuf") is not None


def _workers_have_protobuf(spark: Any) -> bool:
    def answers(batches: Any) -> Any:
        import importlib.util

        import pyarrow as pa

        for _ in batches:
            found = importlib.util.find_spec("google") and importlib.util.find_spec("google.protobuf")
            yield pa.RecordBatch.from_pydict({"found": [found is not None]})

    tasks = max(2, int(spark.sparkContext.defaultParallelism))
    rows = spark.range(0, tasks, 1, tasks).mapInArrow(answers, "found boolean").collect()
    return all(row["found"] for row in rows)
