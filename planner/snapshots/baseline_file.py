"""The baseline file: the plans of several jobs as they were accepted, one line per job, per operator and per edge.

Jobs are keyed by name, by their file where names collide; operators by uid, or by name and position. Everything is
sorted, nothing depends on line numbers or on the machine, and every line names its job: two jobs may be much alike, and
a merge must never take a line of one for a line of the other.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from planner.errors import OptionError
from planner.graphs.state import State
from planner.job import Location
from planner.snapshots.baseline import Baseline, BaselineJob
from planner.snapshots.declared import Facts
from planner.snapshots.function_text import modern
from planner.snapshots.snapshot import EdgeSnapshot, OperatorSnapshot, Snapshot

__all__ = ["dump_baseline", "load_baseline", "parse_baseline"]

VERSION = 2  # 1: without declared facts; still read
_READ = (1, VERSION)


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
    if version not in _READ:
        later = isinstance(version, int) and version > VERSION
        raise OptionError(
            f"{path} is not a baseline of version {VERSION}" + (f" but of version {version}" if version else ""),
            hint="install the plan that wrote it, or a later one"
            if later
            else "write it again with plan lint --update-baseline",
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
            declared=_read_facts(entry.get("declared")),
            exported=entry.get("exported") is True,
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
        does=modern(values.get("does")),
        output=values.get("output"),
        written_id=values.get("yaml_id"),
        declared=_read_facts(values.get("declared")),
    )


def _read_facts(values: Mapping[str, str] | None) -> Facts | None:
    """None: recorded by a version that kept no facts."""
    return None if values is None else {str(name): str(value) for name, value in values.items()}


def _read_edge(position: Mapping[str, int], values: Mapping[str, Any]) -> EdgeSnapshot:
    return EdgeSnapshot(
        source=position[values["from"]],
        target=position[values["to"]],
        input=int(values.get("input", 0)),
        partitioner=values["partitioner"],
        chained=bool(values["chained"]),
        side_output=values.get("side_output"),
    )


def dump_baseline(jobs: Iterable[BaselineJob]) -> str:
    """The file's text: sorted, one line per job, per operator and per edge."""
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
        **({"exported": True} if snapshot.exported else {}),
        **({} if snapshot.declared is None else {"declared": dict(snapshot.declared)}),
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
        "declared": None if operator.declared is None else dict(operator.declared),
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
