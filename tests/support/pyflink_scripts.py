"""Small PyFlink scripts for tests: the usual imports and an environment in front, `execute` behind."""

from __future__ import annotations

from pathlib import Path

from planner.frontends.python_files.handover import LoadOptions
from planner.frontends.python_loader import load_all_python
from planner.pipeline import Plan, plan

HEAD = """\
from pyflink.common import Configuration, Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import OutputTag, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
lines = env.from_collection(["a b"], Types.STRING())
"""


def write_script(folder: Path, body: str, *, head: str = HEAD, execute: bool = True) -> Path:
    """A script in a folder; its body begins behind the head's lines."""
    script = folder / "script.py"
    script.write_text(head + body + ("\nenv.execute()\n" if execute else "\n"), encoding="utf-8")
    return script


def plans_of(script: Path, options: LoadOptions | None = None) -> list[Plan]:
    """The plans of all jobs of a script."""
    return [plan(job) for job in load_all_python(script, options)]


def plan_of(folder: Path, body: str, options: LoadOptions | None = None) -> Plan:
    """The plan of a script's only job."""
    (found,) = plans_of(write_script(folder, body), options)
    return found


def names(found: Plan) -> list[str]:
    """The names of the stream nodes, by id."""
    return [node.name for node in found.stream_graph.nodes]
