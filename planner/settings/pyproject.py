"""`[tool.plan]` of the nearest `pyproject.toml`: the job, the cluster, lint, the restart strategy, and settings by job.

    [tool.plan]
    job = "jobs/orders.py"
    parallelism = 4                # of Python jobs that set none themselves
    flink = "1.20"                 # the version to plan for; default: the newest
    flink_home = "/opt/flink"      # a distribution, or several; default: FLINK_HOME, then plan-inspector[flink]
    classpath = ["lib/kafka.jar"]  # connectors and formats for Flink's own compiler
    python = ".venv/bin/python"    # has apache-flink, for Table API scripts; default: the active environment
    run_programs = true            # also run jars and Table API scripts that were found by search, not named

    [tool.plan.cluster]
    task_managers = 4
    slots = 8                      # of each task manager
    network_memory = "128mb"       # of each task manager

    [tool.plan.lint]
    select = ["PL"]
    ignore = ["PL107"]
    baseline = "plan.lock.json"
    max_channels = 10000
    fail_on = "warning"            # or "error"

    [tool.plan.restart_strategy]
    type = "fixed-delay"
    attempts = 3
    delay = "10s"

    [tool.plan.jobs."nightly totals".cluster]   # a job's name, or its file relative to the pyproject.toml
    slots = 16

Keys may be written with `-` or `_`. The command line wins over all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar

from planner.errors import OptionError
from planner.flink.defaults import BUFFER_SIZE, BUFFERS_PER_CHANNEL, FLOATING_BUFFERS_PER_GATE
from planner.flink.versions import read_version
from planner.job import Location, RestartStrategy
from planner.records import record
from planner.settings.job_format import RESTART_KEYS
from planner.settings.quantities import parse_size
from planner.settings.restart import meaningless, restart_strategy
from planner.settings.values import CHOICE, Fault, ValueType
from planner.spelling import nearest_or_all

__all__ = ["ClusterSettings", "Config", "LintSettings", "load_config"]

FILE_NAME = "pyproject.toml"


@record
class ClusterSettings:
    """What the job will be deployed on; None is not known, and then nothing is checked against it."""

    task_managers: int | None = None
    slots: int | None = None  # of each task manager
    network_memory: int | None = None  # bytes, of each task manager
    buffers_per_channel: int = BUFFERS_PER_CHANNEL
    floating_buffers_per_gate: int = FLOATING_BUFFERS_PER_GATE
    buffer_size: int = BUFFER_SIZE  # bytes

    @property
    def total_slots(self) -> int | None:
        """The slots of all task managers."""
        return None if self.task_managers is None or self.slots is None else self.task_managers * self.slots

    @property
    def network_buffers(self) -> int | None:
        """The network buffers of one task manager."""
        return None if self.network_memory is None else self.network_memory // self.buffer_size


@record
class LintSettings:
    """Which lint rules run, and their thresholds."""

    select: tuple[str, ...] = ()  # codes or prefixes; empty is all
    ignore: tuple[str, ...] = ()
    baseline: str | None = None  # relative to the pyproject.toml
    max_channels: int = 10_000  # of one edge
    fail_on: Literal["error", "warning"] = "warning"  # from this severity on `plan lint` exits with 1


@record
class Config:
    """The settings of one project, and of its single jobs where they differ."""

    file: Path | None = None  # None: no pyproject.toml was found
    job: str | None = None  # relative to the folder of `file`
    parallelism: int | None = None  # of Python jobs that set none themselves
    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    lint: LintSettings = field(default_factory=LintSettings)
    restart_strategy: RestartStrategy | None = None
    flink: str | None = None  # the version to plan for; None: the newest
    flink_home: tuple[str, ...] = ()  # these three relative to the folder of `file`
    classpath: tuple[str, ...] = ()
    python: str | None = None
    run_programs: bool = False  # those that were not named on the command line
    jobs: tuple[tuple[str, Config], ...] = ()  # complete settings by job name or by relative path

    @property
    def folder(self) -> Path:
        """What the paths in the settings are relative to."""
        return self.file.parent if self.file else Path.cwd()

    def for_job(self, name: str | None, file: str | Path | None = None) -> Config:
        """The settings of one job: those under its file's path, else under its name, else the project's."""
        by_key = dict(self.jobs)
        if not by_key:
            return self
        path = _relative(file, self.folder) if file is not None else None
        for key in (path, name):
            if key is not None and key in by_key:
                return by_key[key]
        return self


def load_config(start: Path | None = None) -> Config:
    """Read the nearest pyproject.toml at or above `start` (a file or a folder, default here)."""
    file = _nearest(start or Path.cwd())
    if file is None:
        return Config()
    text = file.read_text(encoding="utf-8")
    if "tool" not in text or "plan" not in text:  # spares most projects the parse
        return Config(file=file)
    table = _parse(file, text).get("tool", {}).get("plan", {})
    return _Reader(file=file, text=text).config(table)


def _nearest(start: Path) -> Path | None:
    start = start.absolute()
    for folder in (start, *start.parents):
        candidate = folder / FILE_NAME
        if candidate.is_file():
            return candidate
    return None


def _parse(file: Path, text: str) -> dict[str, Any]:
    import tomllib  # only where there is something to read

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        raise OptionError(
            f"not valid TOML: {error}", location=Location(_shown(file), int(at[1]) if at else 1)
        ) from error


def _relative(file: str | Path, folder: Path) -> str:
    path = Path(file).absolute()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix()


def _shown(file: Path) -> str:
    return _relative(file, Path.cwd())


_COMPILER_KEYS = ("flink_home", "classpath", "python", "run_programs")
_KEYS = ("job", "parallelism", "flink", "cluster", "lint", "restart_strategy", "jobs", *_COMPILER_KEYS)
_Section = TypeVar("_Section", ClusterSettings, LintSettings)


@record
class _Reader:
    """Turns the TOML table into settings, and every mistake into a message with its line."""

    file: Path
    text: str

    def config(self, table: Any) -> Config:
        values = self.table(table, "tool.plan", _KEYS)
        base = self.settings(values, "tool.plan", Config(file=self.file))
        if "job" in values:
            base = replace(base, job=self.string(values["job"], "tool.plan.job"))
        if "parallelism" in values:
            base = replace(base, parallelism=self.count(values["parallelism"], "tool.plan.parallelism", least=1))
        base = replace(base, **{key: self.compiler_value(key, values[key]) for key in _COMPILER_KEYS if key in values})
        jobs = self.mapping(values.get("jobs", {}), "tool.plan.jobs")
        return replace(base, jobs=tuple((key, self.job(key, jobs[key], base)) for key in sorted(jobs)))

    def job(self, key: str, table: Any, base: Config) -> Config:
        where = f"tool.plan.jobs.{key}"
        return self.settings(self.table(table, where, ("flink", "cluster", "lint", "restart_strategy")), where, base)

    def settings(self, values: Mapping[str, Any], where: str, base: Config) -> Config:
        return replace(
            base,
            cluster=self.merge(base.cluster, values.get("cluster", {}), f"{where}.cluster", self.cluster_value),
            lint=self.merge(base.lint, values.get("lint", {}), f"{where}.lint", self.lint_value),
            restart_strategy=self.restart(values["restart_strategy"], f"{where}.restart_strategy")
            if "restart_strategy" in values
            else base.restart_strategy,
            flink=self.version(values["flink"], f"{where}.flink") if "flink" in values else base.flink,
        )

    def merge(self, base: _Section, table: Any, where: str, read: Callable[[str, Any, str], Any]) -> _Section:
        known = tuple(f.name for f in fields(base))
        values = self.table(table, where, known)
        return replace(base, **{key: read(key, value, f"{where}.{key}") for key, value in values.items()})

    def cluster_value(self, key: str, value: Any, where: str) -> int:
        if key in ("network_memory", "buffer_size"):
            return self.quantity(value, where, parse_size)
        return self.count(value, where, least=0 if key in ("buffers_per_channel", "floating_buffers_per_gate") else 1)

    def lint_value(self, key: str, value: Any, where: str) -> Any:
        if key == "baseline":
            return self.string(value, where)
        if key == "max_channels":
            return self.count(value, where, least=1)
        if key == "fail_on":
            return self.value(CHOICE("error", "warning"), value, where)
        return tuple(self.string(code, where) for code in (value if isinstance(value, list) else [value]))

    def compiler_value(self, key: str, value: Any) -> Any:
        where = f"tool.plan.{key}"
        if key == "run_programs":
            if not isinstance(value, bool):
                self.fail(f"{where} must be true or false, not {value!r}", where)
            return value
        if key == "python":
            return self.string(value, where)
        return tuple(self.string(one, where) for one in (value if isinstance(value, list) else [value]))

    def restart(self, table: Any, where: str) -> RestartStrategy:
        """Checked by the same table as the `restart_strategy` of a YAML job."""
        values = self.table(table, where, tuple(RESTART_KEYS))
        given = {key: self.value(RESTART_KEYS[key].type, value, f"{where}.{key}") for key, value in values.items()}
        type = given.pop("type", "none")
        wrong = meaningless(type, given)
        if wrong:
            self.fail(f"{wrong[0]} means nothing for the type {type}", f"{where}.{wrong[0]}", wrong[1])
        return restart_strategy(type, given)

    def value(self, type: ValueType, value: Any, where: str) -> Any:
        try:
            return type.read(value)
        except Fault as fault:
            self.fail(f"{where} {fault.message}", where, fault.hint)

    def table(self, value: Any, where: str, known: tuple[str, ...]) -> dict[str, Any]:
        given = self.mapping(value, where)
        for key in given:
            if key.replace("-", "_") not in known:
                self.fail(f"unknown key {key!r} in [{where}]", f"{where}.{key}", nearest_or_all(key, known))
        return {key.replace("-", "_"): item for key, item in given.items()}

    def version(self, value: Any, where: str) -> str:
        if not isinstance(value, str):
            self.fail(f"{where} must be text, not {value!r}", where, 'write it in quotes: flink = "1.20"')
        try:
            return read_version(value, where)
        except OptionError as error:
            self.fail(error.message, where, error.hint)

    def mapping(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(f"{where} must be a table, not {value!r}", where)
        return value

    def string(self, value: Any, where: str) -> str:
        if not isinstance(value, str) or not value:
            self.fail(f"{where} must be text, not {value!r}", where)
        return value

    def count(self, value: Any, where: str, *, least: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self.fail(f"{where} must be a whole number, at least {least}, not {value!r}", where)
        return value

    def quantity(self, value: Any, where: str, parse: Callable[[object], int]) -> int:
        try:
            return parse(value)
        except ValueError as error:
            self.fail(f"{where}: {error}", where)

    def fail(self, message: str, where: str, hint: str | None = None) -> NoReturn:
        raise OptionError(message, location=Location(_shown(self.file), self.line(where)), hint=hint)

    def line(self, where: str) -> int:
        """The line that names the last part of a dotted key; TOML's parser keeps no positions."""
        key = re.escape(where.rpartition(".")[2])
        found = re.search(rf"(?m)^.*(?<![\w-]){key.replace('_', '[_-]')}(?![\w-])", self.text)
        return self.text.count("\n", 0, found.start()) + 1 if found else 1
