"""SQL scripts, mains and PyFlink scripts through real Flink: every plan of ours equals Flink's own job graph.

PLAN_TEST_PYFLINK names a Python with apache-flink.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from benchmarks.flink import install, tool
from benchmarks.measure import Unavailable
from cli.app import main as cli_main
from planner.errors import OptionError
from planner.frontends.flink_compiler.connectors import Artifact, artifact_of
from planner.frontends.flink_compiler.maven import fetch
from planner.frontends.flink_compiler.process import Outcome, run_beside_flink
from planner.frontends.flink_compiler.programs import Asked, jar_asked, script_asked, sql_asked
from planner.frontends.flink_compiler.request import FlinkRequest
from planner.frontends.flink_export.stream_graph import job_of_graph
from planner.pipeline import plan
from tests.support import flink_truth

pytestmark = pytest.mark.flink
CASES = Path(__file__).with_name("compiler")
PACKAGES = ("apache-flink-libraries==2.3.0", "apache-flink-libraries==1.20.5")
REFUSED = {"missing_format", "own15_missing_connector"}
REFUSED_BY = {("own10_union_hint", "2.3.0"), ("sets", "1.20.5")}  # 2.3 wants ON CONFLICT, and 1.20 does not know it
# The jobs of a script that has not one.
JOBS = {
    "batch_exchanges": 4,
    "batch": 4, "batch_hints": 4, "batch_report": 7, "catalogs": 2, "ctas": 2, "ctas_then_batch": 2, "explains": 2,
    "first_and_last": 4, "hints": 3, "interval_outer": 5, "joins": 8, "late_options": 4, "mode_late": 2,
    "multi_join": 3, "nexmark": 22, "odd": 4, "old_windows": 3, "options": 3, "over": 3, "own12_two_jobs": 2,
    "parallelisms": 7, "plans": 3, "quotes": 2, "selects": 6, "sets_and_more": 3, "sinks": 3, "statement_sets": 3,
    "unions": 6, "window_top": 4, "windows": 4,
}  # fmt: skip
# A main, the number of its jobs, and how it ends.
MAINS: dict[str, tuple[int, dict[str, Any] | None]] = {
    "jobs.Jobs$Two": (2, {"jobs": 2}),
    "jobs.Jobs$Args": (0, {"exit": 64}),
    "jobs.Jobs$Collect": (2, {"jobs": 2}),
    "jobs.Jobs$Exit": (1, {"exit": 0}),
    "jobs.Jobs$Swallow": (1, {"jobs": 1}),
    "jobs.Jobs$Local": (0, None),
    "jobs.Jobs$Remote": (0, None),
    "jobs.Jobs$Async": (1, {"jobs": 1}),
    "jobs.Jobs$InThread": (1, {"jobs": 1}),
    "jobs.Jobs$Sql": (1, {"jobs": 1}),
    "jobs.Jobs$Mixed": (1, {"jobs": 1}),
    "jobs.Jobs$NoJob": (0, {"jobs": 0}),
    "jobs.Jobs$Await": (1, {"jobs": 1}),
    "my.Mains$Attached": (1, {"jobs": 1}),
    "my.Mains$Windows": (1, {"jobs": 1}),
    "my.Mains$Broadcast": (1, {"jobs": 1}),
    "my.Mains$AsyncIo": (1, {"jobs": 1}),
    "my.Mains$Batch": (1, {"jobs": 1}),
    "my.Mains$Conf": (1, {"jobs": 1}),
    "my.Mains$Many": (3, {"jobs": 3}),
    "my.Mains$Tables": (6, {"jobs": 6}),
    "my.Mains$Threads": (2, {"jobs": 2}),
    "more.More$Options": (1, {"jobs": 1}),
    "more.More$Runtime": (3, {"jobs": 3}),
    "more.More$Fraud": (1, {"jobs": 1}),
    "more.More$Shuffles": (1, {"jobs": 1}),
    "more.More$Sessions": (1, {"jobs": 1}),
    "more.More$Polled": (2, {"exit": 0}),
    "more.More$FailsLater": (2, None),
    "more.More$Reports": (3, {"jobs": 3}),
    "more.More$ThereAndBack": (2, {"jobs": 2}),
    "more.More$Loop": (2, {"jobs": 2}),
    "more.More$Inherited": (2, {"jobs": 2}),
    "more.More$Twice": (1, {"jobs": 1}),
}
ARGUMENTS = {
    "my.Mains$Many": ("3",),
    "more.More$Options": ("--words", "to be or not", "--parallelism", "3", "--name", "my words"),
}
# What a bad main does, and what is said about it.
BAD_MAINS = {
    "megabyte": "ended without executing a job",
    "exit": "ended itself with exit code 3",
    "halt": "ended itself with exit code 7",
    "hang": "did not end within 8 s",
    "fork": "ended without executing a job",
    "stdin": "ended without executing a job",
    "throw": "failed: IllegalStateException: the input folder is missing",
    "empty": "failed: IllegalStateException: No operators defined",
    "class": "the class com.acme.Missing is not on the class path",
    "memory": "needs more memory than Java may take",
}
EXAMPLES = "org.apache.flink.streaming.examples"
EXAMPLE_MAINS = [
    "wordcount.WordCount", "join.WindowJoin", "async.AsyncIOExample", "sideoutput.SideOutputExample",
    "windowing.TopSpeedWindowing", "windowing.SessionWindowing", "statemachine.StateMachineExample",
]  # fmt: skip


@pytest.fixture(scope="session", params=PACKAGES, ids=lambda package: package.split("==")[1])
def home(request: pytest.FixtureRequest) -> Path:
    if not os.environ.get("PLAN_TEST_FLINK"):
        pytest.skip("real Flink is only asked by make test-flink")
    try:
        return install(request.param)
    except Unavailable as reason:
        pytest.skip(str(reason))


def ask(asked: Asked) -> Outcome:
    program = Path(flink_truth.__file__)
    return run_beside_flink(asked.document(), time_limit=300, interpreter=asked.interpreter, program=program)


def assert_equal(outcome: Outcome) -> int:
    jobs = [answer for answer in outcome.answers if "job" in answer]
    for answer in jobs:
        compiled = plan(job_of_graph(answer["job"], "case", {}), until="job")
        assert flink_truth.differences(compiled, answer["truth"]) == []
    return len(jobs)


@pytest.mark.parametrize("script", sorted((CASES / "sql").glob("*.sql")), ids=lambda script: script.stem)
def test_sql(script: Path, home: Path) -> None:
    outcome = ask(sql_asked(script, FlinkRequest(homes=(("test", home),)), {})[0])
    found = assert_equal(outcome)
    if script.stem in REFUSED or (script.stem, home.name.rpartition("-")[2]) in REFUSED_BY:
        assert outcome.of("failure")
    else:
        assert (found, outcome.of("failure")) == (JOBS.get(script.stem, 1), [])


def test_a_sql_job_does_not_depend_on_results_before_it(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "job.sql"
    script.write_text(
        "SET 'table.dml-sync' = 'true';\n"
        "CREATE TABLE a (x INT) WITH ('connector'='datagen');\nCREATE TABLE s (x INT) WITH ('connector'='blackhole');\n"
        "INSERT INTO s SELECT x FROM a;\nINSERT INTO s SELECT x + 1 FROM a;\n",
        encoding="utf-8",
    )
    outcome = ask(sql_asked(script, FlinkRequest(homes=(("test", home),)), {})[0])
    assert [answer["after_result"] for answer in outcome.answers if "job" in answer] == [False, False]


def test_nexmark_over_kafka(home: Path, tmp_path: Path) -> None:
    """The same queries with Kafka's source, which takes the watermarks in: fetched, no broker is asked."""
    version = home.name.rpartition("-")[2]
    found = artifact_of("connector", "kafka", version)
    assert found is not None
    try:
        jar = fetch(found[0], version, found[1])
    except OptionError as reason:
        pytest.skip(reason.message)
    kafka = "'connector'='kafka', 'topic'='t', 'properties.bootstrap.servers'='h:9092', 'format'='json', "
    kafka += "'scan.startup.mode'='earliest-offset'"
    text = (CASES / "sql/nexmark.sql").read_text(encoding="utf-8")
    script = tmp_path / "nexmark.sql"
    script.write_text(text.replace("'connector' = 'datagen'", kafka), encoding="utf-8")
    outcome = ask(sql_asked(script, FlinkRequest(homes=(("test", home),), class_path=(jar,)), {})[0])
    assert outcome.of("failure") == []
    assert assert_equal(outcome) == JOBS["nexmark"]
    names = [node["name"] for job in outcome.of("job") for node in job["nodes"]]
    assert not [name for name in names if name.startswith("WatermarkAssigner")]


def test_the_jobs_before_a_mistake_can_be_shown(home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "job.sql"
    statements = [
        "CREATE TABLE a (x INT) WITH ('connector'='datagen')",
        "CREATE TABLE s (x INT) WITH ('connector'='blackhole')",
        "INSERT INTO s SELECT x FROM a",
        "INSERT INTO s SELECT nowhere FROM a",
        "INSERT INTO s SELECT x + 1 FROM a",
    ]
    script.write_text(";\n".join(statements) + ";\n", encoding="utf-8")
    for asked in (script, f"{script}:2"):
        assert cli_main(["show", str(asked), "--flink-home", str(home)]) == 2
        said = capfd.readouterr().err
        assert f"{script}:4:22: error: Column 'nowhere' not found" in said
        assert f"1 job was executed before this, and can be planned alone: {script}:1" in said
    assert cli_main(["show", f"{script}:1", "--flink-home", str(home)]) == 0
    note = f"note: the file failed after it executed this job ({script}:4:22): Column 'nowhere'"
    assert note in capfd.readouterr().err


def build_jar(home: Path, sources: Path, folder: Path, service: tuple[str, str] | None = None) -> Path:
    jars = os.pathsep.join(str(one) for one in sorted((home / "pyflink/lib").glob("*.jar")))
    named = [str(one) for one in sorted(sources.glob("*.java"))]
    command = [tool("javac"), "-nowarn", "-cp", jars, "-d", str(folder / "classes"), *named]
    subprocess.run(command, check=True, capture_output=True)
    if service is not None:
        listed = folder / "classes/META-INF/services" / service[0]
        listed.parent.mkdir(parents=True)
        listed.write_text(service[1], encoding="utf-8")
    subprocess.run([tool("jar"), "cf", str(folder / "jobs.jar"), "-C", str(folder / "classes"), "."], check=True)
    return folder / "jobs.jar"


@pytest.fixture(scope="session")
def jar(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_jar(home, CASES / "jar", tmp_path_factory.mktemp("jar"))


@pytest.fixture(scope="session")
def outside(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A jar with a catalog that is not Flink's own in memory."""
    service = ("org.apache.flink.table.factories.Factory", "outside.OutsideCatalog$Factory")
    return build_jar(home, CASES / "catalog", tmp_path_factory.mktemp("outside"), service)


# A statement, and what it would change: nothing where a script only uses what is there.
IN_A_CATALOG = {
    "CREATE TABLE t (a INT) WITH ('connector'='datagen')": "would change the catalog 'c'",
    "CREATE TABLE IF NOT EXISTS t (a INT) WITH ('connector'='datagen')": "would change the catalog 'c'",
    "CREATE TABLE t WITH ('connector'='blackhole') AS SELECT a FROM there": "would change the catalog 'c'",
    "CREATE VIEW v AS SELECT a FROM there": "would change the catalog 'c'",
    "CREATE DATABASE d": "would change the catalog 'c'",
    "DROP TABLE there": "would change the catalog 'c'",
    "ALTER TABLE there SET ('rows-per-second'='1')": "would change the catalog 'c'",
    "CREATE FUNCTION f AS 'outside.OutsideCatalog'": "would change the catalog 'c'",
    "CREATE TABLE IF NOT EXISTS there (a INT) WITH ('connector'='datagen')": "",
    "DROP TABLE IF EXISTS nowhere": "",
    "CREATE DATABASE IF NOT EXISTS db": "",
    "CREATE TEMPORARY TABLE t (a INT) WITH ('connector'='datagen')": "",
    "CREATE TEMPORARY VIEW t AS SELECT a FROM there": "",
    "CREATE TABLE default_catalog.default_database.t (a INT) WITH ('connector'='datagen')": "",
}


@pytest.mark.parametrize("statement", IN_A_CATALOG)
def test_a_catalog_outside_of_memory_is_not_changed(
    statement: str, home: Path, outside: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "job.sql"
    sink = "CREATE TABLE default_catalog.default_database.s (a INT) WITH ('connector'='blackhole')"
    insert = "INSERT INTO default_catalog.default_database.s SELECT a FROM there"
    lines = ["CREATE CATALOG c WITH ('type'='outside')", "USE CATALOG c", sink, statement, insert]
    script.write_text(";\n".join(lines) + ";\n", encoding="utf-8")
    command = ["show", str(script), "--flink-home", str(home), "--classpath", str(outside)]
    refused = IN_A_CATALOG[statement]
    assert cli_main(command) == (2 if refused else 0)
    said = capfd.readouterr().err
    assert refused in said
    assert f"{script}:4:1: error:" in said or not refused
    if refused and "there" not in statement:
        assert cli_main([*command, "--change-catalogs"]) == 0


@pytest.mark.parametrize("main", MAINS)
def test_jar(main: str, home: Path, jar: Path) -> None:
    request = FlinkRequest(homes=(("test", home),), main_class=main)
    arguments = ARGUMENTS.get(main, ())
    outcome = ask(jar_asked(jar, arguments, request, {"parallelism.default": "4"}))
    jobs, end = MAINS[main]
    assert assert_equal(outcome) == jobs
    assert outcome.of("end") == ([] if end is None else [end])


def test_jobs_after_a_result_that_was_read_are_marked(home: Path, jar: Path) -> None:
    request = FlinkRequest(homes=(("test", home),), main_class="more.More$Runtime")
    outcome = ask(jar_asked(jar, (), request, {"parallelism.default": "4"}))
    assert [answer["after_result"] for answer in outcome.answers if "job" in answer] == [False, False, True]


@pytest.mark.parametrize("what", BAD_MAINS)
def test_a_bad_main_has_one_message_and_leaves_nothing(
    what: str, home: Path, jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    if what == "memory":
        monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xmx200m")
    limit = "8" if what == "hang" else "120"
    options = ["--class", "my.Mains$Bad", "--flink-home", str(home), "--time-limit", limit, "--fresh"]
    assert cli_main(["explain", str(jar), *options, "--", what]) == 2
    said = capfd.readouterr()
    assert BAD_MAINS[what] in said.err
    assert said.err.count("error:") == 1
    assert (said.out, len(said.err) < 3_000, list(tmp_path.iterdir())) == ("", True, [])
    if what == "fork":
        running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        assert "sleep 3600" not in running.splitlines()


@pytest.mark.parametrize("main", EXAMPLE_MAINS)
def test_flinks_own_examples(main: str, home: Path) -> None:
    version = "2.3.0" if "2.3" in home.name else "1.20.0"
    try:
        jar = fetch(Artifact(group="org.apache.flink", name="flink-examples-streaming"), version, version)
    except OptionError as reason:
        pytest.skip(reason.message)
    request = FlinkRequest(homes=(("test", home),), main_class=f"{EXAMPLES}.{main}")
    assert assert_equal(ask(jar_asked(jar, (), request, {"parallelism.default": "2"}))) == 1


def pyflink() -> str:
    python = os.environ.get("PLAN_TEST_PYFLINK")
    if not python:
        pytest.skip("PLAN_TEST_PYFLINK names no Python with apache-flink")
    return str(Path(python).absolute())


def test_pyflink() -> None:
    outcome = ask(script_asked(CASES / "pyflink/own_all.py", (), FlinkRequest(python=Path(pyflink())), {}))
    assert assert_equal(outcome) == 6


def test_the_jobs_of_a_script_that_fails_later(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It is refused, since jobs may be missing; the jobs before that can be planned by number."""
    script = tmp_path / "job.py"
    script.write_text(
        "from pyflink.table import EnvironmentSettings, TableEnvironment\n"
        "tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())\n"
        "tables.execute_sql(\"CREATE TABLE a (x INT) WITH ('connector'='datagen')\")\n"
        "tables.execute_sql(\"CREATE TABLE s (x INT) WITH ('connector'='blackhole')\")\n"
        "tables.execute_sql('INSERT INTO s SELECT x FROM a').wait()\n"
        "raise ValueError('no more')\n",
        encoding="utf-8",
    )
    assert cli_main(["show", str(script), "--python", pyflink()]) == 2
    said = capfd.readouterr().err
    assert f"{script}:6: error: ValueError: no more" in said
    assert f"can be planned alone: {script}:1" in said
    assert cli_main(["show", f"{script}:1", "--python", pyflink()]) == 0
    assert "note: the file failed after it executed this job" in capfd.readouterr().err


def test_a_script_and_flinks_own_graph_of_it_agree(capfd: pytest.CaptureFixture[str]) -> None:
    """What docs/flink-compiler.md says that anybody can check."""
    script = "samples/pyflink_sensors/job.py"
    assert cli_main(["diff", script, f"flink:{script}", "--python", pyflink()]) == 0
    assert ": no changes" in capfd.readouterr().out


@pytest.mark.parametrize("name", ["word_count", "multi_sink", "windowing/tumble_window", "pandas/pandas_udaf"])
def test_pyflinks_own_table_examples(name: str) -> None:
    python = pyflink()
    where = "import os, pyflink; print(os.path.dirname(pyflink.__file__))"
    folder = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True).stdout.strip()
    script = Path(folder, "examples/table", f"{name}.py")
    assert assert_equal(ask(script_asked(script, (), FlinkRequest(python=Path(python)), {}))) >= 1
