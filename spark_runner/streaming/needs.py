"""What a streaming run needs beside Spark: the Kafka connector, protobuf where state is kept, a folder all see."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planner.errors import ExecutionError, JobDefinitionError
from planner.job import Operator, Reader, Writer
from spark_runner.clusters.connect import is_connect
from spark_runner.clusters.master import parse_master
from spark_runner.clusters.request import RunRequest
from spark_runner.program.chunks import ChunkPlan

__all__ = ["brings_jars", "check_connectors", "check_workers", "pyspark_version"]

# A module of protobuf's own: workers have Spark's jar on their path, and in it a folder google/protobuf without Python.
_PROTOBUF = "google.protobuf.message"
_JARS = ("spark.jars", "spark.jars.packages", "spark.driver.extraClassPath")


def check_connectors(job: ChunkPlan, request: RunRequest) -> None:
    """Refuse a job of Kafka's where nothing brings Spark's connector, before a session starts."""
    user = next(_of_kafka(job), None)
    on_server = parse_master(request.master).kind == "connect"  # it has the jars it was started with: Spark tells
    version = pyspark_version()
    if user is None or on_server or version is None or _brought(request) or _installed():
        return  # without PySpark this is a dry run, and what Spark will have is not known
    raise JobDefinitionError(
        f"operator {user.key!r} needs Spark's Kafka connector, and nothing brings it",
        location=user.location,
        hint=f"add --packages org.apache.spark:spark-sql-kafka-0-10_2.13:{version}\n"
        f"without Maven: --conf spark.jars=A,B,C,D with the jars of spark-sql-kafka-0-10 and "
        f"spark-token-provider-kafka-0-10 ({version}), kafka-clients and commons-pool2",
    )


def pyspark_version() -> str | None:
    """The version of the PySpark that is installed; None where there is none."""
    if importlib.util.find_spec("pyspark") is None:
        return None
    return importlib.metadata.version("pyspark")


def brings_jars(request: RunRequest) -> bool:
    """Whether a run brings packages of its own, which may have formats and SQL functions."""
    foreign = (*_JARS, "spark.sql.extensions", "spark.plugins")
    return (
        bool(request.packages)
        or parse_master(request.master).kind == "connect"
        or any(key in foreign or key.startswith("spark.sql.catalog") for key, _ in request.conf)
    )


def _of_kafka(job: ChunkPlan) -> Iterator[Operator]:
    for operator in (*(one.operator for one in job.sources), *(one.operator for one in job.sinks)):
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


def check_workers(spark: Any, job: ChunkPlan, shared: str) -> None:
    """Refuse workers without protobuf, which Spark itself only calls a crash, or without the checkpoint's folder."""
    keeps_state = any(vertex.stateful for vertex in job.vertices)
    if not is_connect(spark) and str(spark.conf.get("spark.master", "")).startswith("local"):
        found = {"protobuf": _has_protobuf(), "folder": True}
    else:
        found = _found_by_workers(spark, shared)
    if not found["folder"]:
        raise ExecutionError(
            f"the workers do not see the checkpoint's folder {shared}",
            hint="give --checkpoint a folder that this machine and all workers have mounted at the same path",
        )
    if keeps_state and not found["protobuf"]:
        raise ExecutionError(
            "the workers' Python has no protobuf, which Spark needs to keep a stream's state",
            hint="install it there (pip install protobuf), or point PYSPARK_PYTHON at a Python that has it",
        )


def _has_protobuf() -> bool:
    try:
        importlib.import_module(_PROTOBUF)
    except ImportError:
        return False
    return True


def _found_by_workers(spark: Any, shared: str) -> dict[str, bool]:
    """What some tasks on the workers find there."""
    module = _PROTOBUF  # nothing of this file is on the workers yet

    def answers(batches: Any) -> Any:
        import importlib
        from pathlib import Path

        import pyarrow as pa

        for _ in batches:
            try:
                importlib.import_module(module)
                found = True
            except ImportError:
                found = False
            yield pa.RecordBatch.from_pydict({"protobuf": [found], "folder": [Path(shared).is_dir()]})

    tasks = 4 if is_connect(spark) else max(2, int(spark.sparkContext.defaultParallelism))
    rows = spark.range(0, tasks, 1, tasks).mapInArrow(answers, "protobuf boolean, folder boolean").collect()
    return {name: all(row[name] for row in rows) for name in ("protobuf", "folder")}
