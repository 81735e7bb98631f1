"""What asking Flink's own compiler costs, next to Flink's own way to see a plan: `flink info` of the same job."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Figure, compare
from benchmarks.flink import install, tool
from benchmarks.measure import command, in_turns, output_of
from benchmarks.process_tree import process_tree

PROGRAM = Path(__file__).parents[1] / "flink/CompilerJobs.java"
STATEMENTS = (
    "CREATE TABLE orders (id BIGINT, item STRING) WITH ('connector' = 'datagen')",
    "CREATE TABLE counts (item STRING, n BIGINT) WITH ('connector' = 'blackhole')",
    "INSERT INTO counts SELECT item, COUNT(*) FROM orders GROUP BY item",
)


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """A SQL script and a jar: the first answer ever, a first answer with the archive of classes, and a kept answer."""
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
