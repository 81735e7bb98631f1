"""Files that are missing or in the way are found before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.loading import load_job
from planner.pipeline import plan
from spark_runner.clusters.request import RunRequest
from spark_runner.lowering.lower import lower
from spark_runner.runs.preparation import prepare
from spark_runner.streaming.checkpoint import Checkpoint

JOB = """
operators:
  - {{id: in, type: source, format: text, path: "{source}", schema: value string}}
  - {{id: out, type: sink, input: in, format: parquet, path: "{target}", mode: {mode}}}
"""


def prepared(
    folder: Path,
    *,
    source: str = "in.txt",
    target: str = "out",
    mode: str = "error",
    request_mode: str | None = None,
    **request: object,
) -> None:
    (folder / "in.txt").touch()
    (folder / "job.yaml").write_text(JOB.format(source=source, target=target, mode=mode))
    job = str(folder / "job.yaml")
    prepare(RunRequest(job=job, folder=str(folder), mode=request_mode, **request))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def no_hadoop(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("source", ["missing.txt", "*.csv", "file:///nowhere/in.txt"])
def test_an_input_that_is_not_there(tmp_path: Path, source: str) -> None:
    with pytest.raises(JobDefinitionError, match=r"operator 'in': its input .* does not exist") as caught:
        prepared(tmp_path, source=source)
    assert caught.value.location is not None and caught.value.location.line == 3


def test_a_result_that_is_there_already(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(JobDefinitionError, match=r"operator 'out': .*out exists already"):
        prepared(tmp_path)
    prepared(tmp_path, mode="append")
    prepared(tmp_path, mode="overwrite")


@pytest.mark.parametrize("source", ["*.txt", "hdfs://host/missing", "{a,b}.txt"])
def test_what_is_there_or_elsewhere_is_not_refused(tmp_path: Path, source: str) -> None:
    prepared(tmp_path, source=source)


def test_paths_without_a_scheme_are_the_clusters_own(tmp_path: Path) -> None:
    prepared(tmp_path, source="missing.txt", master="spark://host:7077")
    prepared(tmp_path, source="missing.txt", conf=(("spark.hadoop.fs.defaultFS", "hdfs://host"),))


def test_a_stream_does_not_write_to_what_another_checkpoint_wrote(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(JobDefinitionError, match=r"operator 'out': .*out exists already") as caught:
        prepared(tmp_path, checkpoint="state", request_mode="streaming")
    assert "use the --checkpoint that wrote it" in str(caught.value.hint)
    prepared(tmp_path, mode="append", request_mode="streaming")
    Checkpoint(tmp_path / "state").begin(lower(plan(load_job(tmp_path / "job.yaml")), "streaming").chunks)
    (tmp_path / "state/spark/offsets").mkdir(parents=True)
    (tmp_path / "state/spark/offsets/0").touch()
    prepared(tmp_path, checkpoint="state", request_mode="streaming")
