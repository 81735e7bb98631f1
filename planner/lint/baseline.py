"""The baseline file: the plans of several jobs as they were accepted, one line a job, an operator and an edge.

Jobs are keyed by name, by their file where names collide; operators by uid, or by name and position. Everything is
sorted, nothing depends on line numbers or on the machine, and every line names its job: two jobs may be much alike, and
a merge must never take a line of one for a line of the other.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from planner.errors import OptionError
from planner.job import Location
from planner.snapshot import EdgeSnapshot, OperatorSnapshot, Snapshot
from planner.state import State

__all__ = ["Baseline", "BaselineJob", "Update", "dump_baseline", "load_baseline", "parse_baseline", "update_baseline"]

VERSION = 1
FILE_NAME = "plan.lock.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineJob:
    """One job in the baseline; `file` is relative to the baseline's folder."""

    key: str
    file: str
    snapshot: Snapshot


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """The accepted plans, and the file they are in."""

    path: Path
    jobs: tuple[BaselineJob, ...] = ()

    def relative(self, file: str | Path) -> str:
        """A job's file as the baseline names it."""
        return Path(os.path.relpath(Path(file).absolute(), self.path.parent.absolute())).as_posix()

    def exists(self, job: BaselineJob) -> bool:
        """Whether the file that defined the job is still there."""
        return (self.path.parent / job.file).is_file()

    @cached_property
    def _by_name(self) -> Mapping[str, list[BaselineJob]]:
        found: dict[str, list[BaselineJob]] = {}
        for job in self.jobs:
            found.setdefault(job.snapshot.name, []).append(job)
        return found

    @cached_property
    def _by_file(self) -> Mapping[str, list[BaselineJob]]:
        found: dict[str, list[BaselineJob]] = {}
        for job in self.jobs:
            found.setdefault(job.file, []).append(job)
        return found

    def find(self, name: str, file: str, siblings: Iterable[str] | None) -> BaselineJob | None:
        """The entry of a job: of its name and file; else of its name where that file is gone, which is a moved job;
        else the only one of its file whose name none of `siblings` (all jobs there) has, which is a renamed job."""
        named = self._by_name.get(name, [])
        here = [job for job in named if job.file == file]
        if here:
            return here[0]
        moved = [job for job in named if not self.exists(job)]
        if moved:
            return moved[0]
        if siblings is None:
            return None
        others = set(siblings)
        renamed = [job for job in self._by_file.get(file, ()) if job.snapshot.name not in others]
        return renamed[0] if len(renamed) == 1 else None


# --- reading ----------------------------------------------------------------------------------------------------


def load_baseline(path: Path) -> Baseline:
    """Read a baseline file."""
    return parse_baseline(path.read_text(encoding="utf-8"), path)


def parse_baseline(text: str, path: Path) -> Baseline:
    """Read a baseline's text; what is not one is an OptionError with its place."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        conflicted = "<<<<<<<" in text
        advice = "it holds a merge conflict: keep either side, then run" if conflicted else "write it again with"
        raise OptionError(
            f"not a baseline: {error.msg}",
            location=Location(str(path), error.lineno, error.colno),
            hint=f"{advice} plan lint --update-baseline",
        ) from error
    version = document.get("version") if isinstance(document, dict) else None
    if version != VERSION:
        raise OptionError(
            f"{path} is not a baseline of version {VERSION}", hint="write it again with plan lint --update-baseline"
        )
    try:
        return Baseline(path=path, jobs=tuple(_read_jobs(document)))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise OptionError(
            f"{path} is damaged: {type(error).__name__}: {error}",
            hint="write it again with plan lint --update-baseline",
        ) from error


def _read_jobs(document: Mapping[str, Any]) -> Iterator[BaselineJob]:
    operators, edges = (_by_job(document[part], document["jobs"]) for part in ("operators", "edges"))
    for key, entry in document["jobs"].items():
        found = tuple(_read_operator(values) for values in operators.get(key, ()))
        position = {operator.key: at for at, operator in enumerate(found)}
        if len(position) < len(found):
            raise ValueError(f"job {key!r} has an operator twice")
        snapshot = Snapshot(
            name=entry.get("name", key),
            mode=entry["mode"],
            operators=found,
            edges=tuple(_read_edge(position, values) for values in edges.get(key, ())),
            slots=None if entry["slots"] is None else tuple(sorted(entry["slots"].items())),
        )
        yield BaselineJob(key=key, file=entry["file"], snapshot=snapshot)


def _by_job(entries: Iterable[Mapping[str, Any]], jobs: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        if entry["job"] not in jobs:
            raise ValueError(f"there is no job {entry['job']!r}")
        found.setdefault(entry["job"], []).append(entry)
    return found


def _read_operator(values: Mapping[str, Any]) -> OperatorSnapshot:
    return OperatorSnapshot(
        key=values["operator"],
        name=values["name"],
        kind=values["kind"],
        id=values["id"],
        uid=values.get("uid"),
        user_hash=values.get("uid_hash"),
        state=cast(State, values["state"]),
        parallelism=int(values["parallelism"]),
        max_parallelism=int(values.get("max_parallelism", -1)),
        group=values.get("group", "default"),
        keyed_by=values.get("keyed_by"),
        does=values.get("does"),
        output=values.get("output"),
        written_id=values.get("yaml_id"),
    )


def _read_edge(position: Mapping[str, int], values: Mapping[str, Any]) -> EdgeSnapshot:
    return EdgeSnapshot(
        source=position[values["from"]],
        target=position[values["to"]],
        input=int(values.get("input", 0)),
        partitioner=values["partitioner"],
        chained=bool(values["chained"]),
        side_output=values.get("side_output"),
    )


# --- writing ----------------------------------------------------------------------------------------------------


def dump_baseline(jobs: Iterable[BaselineJob]) -> str:
    """The file's text: sorted, one line a job, one an operator, one an edge."""
    keyed = sorted(_keyed(jobs), key=lambda job: job.key)
    headers = [f"{_json(job.key)}: {_json(_job_values(job))}" for job in keyed]
    operators = [_json({"job": job.key, **values}) for job in keyed for values in _operators(job.snapshot)]
    edges = [_json({"job": job.key, **values}) for job in keyed for values in _edges(job.snapshot)]
    tables = (_table("jobs", "{}", headers), _table("operators", "[]", operators), _table("edges", "[]", edges))
    body = ",\n".join((f'  "version": {VERSION}', *tables))
    return f"{{\n{body}\n}}\n"


def _table(name: str, brackets: str, lines: Iterable[str]) -> str:
    body = ",\n".join(f"    {line}" for line in lines)
    return f'  "{name}": {brackets[0]}\n{body}\n  {brackets[1]}' if body else f'  "{name}": {brackets}'


def _keyed(jobs: Iterable[BaselineJob]) -> Iterator[BaselineJob]:
    """The jobs keyed by name; by file where a name repeats; with a number where one file repeats it."""
    jobs = sorted(jobs, key=lambda job: (job.snapshot.name, job.file))
    names = Counter(job.snapshot.name for job in jobs)
    taken: Counter[str] = Counter()
    for job in jobs:
        key = job.snapshot.name if names[job.snapshot.name] == 1 else job.file
        taken[key] += 1
        yield replace(job, key=key if taken[key] == 1 else f"{key} #{taken[key]}")


def _job_values(job: BaselineJob) -> dict[str, Any]:
    snapshot = job.snapshot
    return {
        "file": job.file,
        **({"name": snapshot.name} if job.key != snapshot.name else {}),
        "mode": snapshot.mode,
        "slots": None if snapshot.slots is None else dict(sorted(snapshot.slots)),
    }


def _operators(snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    for operator in sorted(snapshot.operators, key=lambda each: _natural(each.key)):
        yield {"operator": operator.key, **_operator_values(operator)}


def _edges(snapshot: Snapshot) -> list[dict[str, Any]]:
    return sorted((_edge_values(snapshot, edge) for edge in snapshot.edges), key=_edge_order)


def _operator_values(operator: OperatorSnapshot) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": operator.name,
        "kind": operator.kind,
        "id": operator.id,
        "uid": operator.uid,
        "uid_hash": operator.user_hash,
        "state": operator.state,
        "parallelism": operator.parallelism,
        "max_parallelism": operator.max_parallelism if operator.max_parallelism > 0 else None,
        "group": operator.group if operator.group != "default" else None,
        "keyed_by": operator.keyed_by,
        "does": operator.does,
        "output": operator.output,
        "yaml_id": operator.written_id if operator.uid is None and operator.does is None else None,
    }
    return {key: value for key, value in values.items() if value is not None}


def _edge_values(snapshot: Snapshot, edge: EdgeSnapshot) -> dict[str, Any]:
    values: dict[str, Any] = {
        "from": snapshot.operators[edge.source].key,
        "to": snapshot.operators[edge.target].key,
        "input": edge.input or None,
        "side_output": edge.side_output,
        "partitioner": edge.partitioner,
        "chained": edge.chained,
    }
    return {key: value for key, value in values.items() if value is not None}


def _edge_order(values: Mapping[str, Any]) -> tuple[Any, ...]:
    return (
        _natural(values["from"]),
        _natural(values["to"]),
        values.get("input", 0),
        values.get("side_output", ""),
        values["partitioner"],
        values["chained"],
    )


def _natural(key: str) -> tuple[str, int]:
    """Orders `Map #2` before `Map #10`."""
    numbered = re.fullmatch(r"(.*) #(\d+)", key, re.DOTALL)
    return (numbered[1], int(numbered[2])) if numbered else (key, 0)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- updating ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A new baseline, and what it did to the jobs of the old one, by name."""

    text: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    kept: tuple[str, ...]
    pruned: tuple[str, ...]


def update_baseline(baseline: Baseline, planned: Iterable[tuple[str, Snapshot]], partial: Iterable[str] = ()) -> Update:
    """Record the planned jobs (file, snapshot), keep those of other files, drop those whose file or job is gone.

    `partial` are files of which not every job is known: one was picked by name, or one could not be planned. Their
    other entries stay.
    """
    new = [BaselineJob(key="", file=baseline.relative(file), snapshot=snapshot) for file, snapshot in planned]
    whole = {job.file for job in new} - {baseline.relative(file) for file in partial}
    names = {file: [job.snapshot.name for job in new if job.file == file] for file in whole}
    before = {id(job): baseline.find(job.snapshot.name, job.file, names.get(job.file)) for job in new}
    replaced = {id(found) for found in before.values() if found is not None}
    rest = [job for job in baseline.jobs if id(job) not in replaced]
    kept = [job for job in rest if baseline.exists(job) and job.file not in whole]
    same = {id(job) for job in new if _same(before[id(job)], job)}
    return Update(
        text=dump_baseline([*new, *kept]),
        added=tuple(job.snapshot.name for job in new if before[id(job)] is None),
        changed=tuple(job.snapshot.name for job in new if before[id(job)] is not None and id(job) not in same),
        kept=tuple(job.snapshot.name for job in (*(job for job in new if id(job) in same), *kept)),
        pruned=tuple(job.snapshot.name for job in rest if job not in kept),
    )


def _same(before: BaselineJob | None, after: BaselineJob) -> bool:
    return before is not None and dump_baseline([before]) == dump_baseline([after])
