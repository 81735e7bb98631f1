"""What asking Flink's own compiler costs, next to Flink's own way to see the plan of the same job.

That is `flink info`; of a Table API script it is `explain()` in the script itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Figure, compare
from benchmarks.flink import install, tool
from benchmarks.measure import CACHE, Unavailable, command, in_turns, output_of
from benchmarks.process_tree import process_tree

PROGRAM = Path(__file__).parents[1] / "flink/CompilerJobs.java"
STATEMENTS = (
    "CREATE TABLE orders (id BIGINT, item STRING) WITH ('connector' = 'datagen')",
    "CREATE TABLE counts (item STRING, n BIGINT) WITH ('connector' = 'blackhole')",
    "INSERT INTO counts SELECT item, COUNT(*) FROM orders GROUP BY item",
)


TABLE_SCRIPT = """
import sys
from pyflink.table import EnvironmentSettings, TableEnvironment

tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
*definitions, insert = {statements!r}
for statement in definitions:
    tables.execute_sql(statement)
if sys.argv[1:] == ["explain"]:
    print(tables.explain_sql(insert))
else:
    tables.execute_sql(insert)
"""


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """A SQL script and a jar: the first answer ever, a first answer with the archive of classes, and a kept answer.

    Then a Table API script: PyFlink starts its own Java, so there is no archive.
    """
    home = install() / "pyflink"
    with tempfile.TemporaryDirectory(prefix="plan-bench-") as scratch:
        folder = Path(scratch)
        jar, script = _jar(home, folder), folder / "job.sql"
        script.write_text(";\n".join(STATEMENTS) + ";\n", encoding="utf-8")
        for way in ("sql", "jar"):  # what a first answer leaves behind
            builder = [sys.executable, "-m", "planner.frontends.flink_compiler.class_archive", way, str(home)]
            output_of(builder, accept=(0, 1))
        for what, job, arguments in (("SQL", script, STATEMENTS), ("a jar", jar, ())):
            explain = [*command(), "explain", str(job), "--flink-home", str(home)]
            info = f"flink info, {what}"
            runs = {
                "cold": process_tree(["env", "PLAN_CLASS_ARCHIVE=off", *explain, "--fresh"]),
                "archive": process_tree([*explain, "--fresh"]),
                "kept": process_tree(explain),
                info: process_tree(_info(home, folder, jar, arguments)),
            }
            costs = in_turns(runs, rounds=3 if quick else 7, most=180)
            yield compare(f"plan explain, {what}, cold", costs, "cold", info)
            yield compare(f"plan explain, {what}, with the archive of classes", costs, "archive", info, target=1.0)
            yield compare(f"plan explain, {what}, kept answer", costs, "kept", info, target=0.25)
        yield from _of_a_table_script(folder, quick=quick)


def _of_a_table_script(folder: Path, *, quick: bool) -> Iterator[Figure]:
    python = os.environ.get("PLAN_TEST_PYFLINK") or str(CACHE / "pyflink/bin/python")
    if not Path(python).is_file():
        raise Unavailable("no PyFlink here: name a Python that has it in PLAN_TEST_PYFLINK, or make bench-pyflink once")
    script, info = folder / "job.py", "explain() in the script"
    script.write_text(TABLE_SCRIPT.format(statements=STATEMENTS), encoding="utf-8")
    explain = [*command(), "explain", str(script), "--python", python]
    runs = {
        "first": process_tree([*explain, "--fresh"]),
        "kept": process_tree(explain),
        info: process_tree([python, str(script), "explain"]),
    }
    costs = in_turns(runs, rounds=3 if quick else 7, most=180)
    yield compare("plan explain, a Table API script, first answer", costs, "first", info, target=1.0)
    yield compare("plan explain, a Table API script, kept answer", costs, "kept", info, target=0.25)


def _jar(home: Path, folder: Path) -> Path:
    jars = os.pathsep.join(str(one) for one in sorted((home / "lib").glob("*.jar")))
    classes = folder / "classes"
    compiling = [tool("javac"), "-nowarn", "-cp", jars, "-d", str(classes), str(PROGRAM)]
    subprocess.run(compiling, check=True, capture_output=True)
    made = folder / "job.jar"
    subprocess.run([tool("jar"), "cfe", str(made), PROGRAM.stem, "-C", str(classes), "."], check=True)
    return made


def _info(home: Path, folder: Path, jar: Path, arguments: tuple[str, ...]) -> list[str]:
    """`flink info`, as the script of a distribution starts it."""
    settings = folder / "conf"
    settings.mkdir(exist_ok=True)
    (settings / "config.yaml").write_text("parallelism.default: 1\n", encoding="utf-8")
    (settings / "log.properties").write_text("rootLogger.level = OFF\n", encoding="utf-8")
    jars = os.pathsep.join(str(one) for one in sorted((home / "lib").glob("*.jar")))
    return [
        "env", f"FLINK_CONF_DIR={settings}", tool("java"), f"-Dlog4j.configurationFile={settings / 'log.properties'}",
        "--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED",
        "-cp", jars, "org.apache.flink.client.cli.CliFrontend", "info", str(jar), *arguments,
    ]  # fmt: skip
