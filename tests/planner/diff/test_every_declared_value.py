"""A gate that says "no changes" must have looked: every declared value, changed in turn, is reported at its level.

`plan lint --baseline` must fail where `plan diff` calls the change other than safe, and pass where it calls it safe.

The jobs are those of the corpora, the samples and the fixtures. `make test` takes a part of the changes; the whole is
`PLAN_ALL_MUTATIONS=1`. What is rightly ignored is a written list in `tests/support/mutations.py`.
"""

from __future__ import annotations

import json
import lzma
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from planner.diff.changes import LEVELS, find_changes
from planner.diff.comparison import compare
from planner.errors import PlanError
from planner.frontends.loading import load_jobs
from planner.frontends.yaml.loader import load_job_data
from planner.lint.engine import regressions
from planner.pipeline import Plan, plan
from planner.settings.job_format import JOB_KEYS, KIND_KEYS, OPERATOR_KEYS, REFERENCE_KEYS
from planner.settings.pyproject import Config
from planner.snapshots.snapshot import Snapshot, take_snapshot
from tests.support.mutations import EXPECTED, LOST, RIGHTLY_IGNORED, Mutation, script_mutations, yaml_mutations

ROOT = Path(__file__).parents[3]
CONFORMANCE = ROOT / "tests" / "conformance"
WHOLE = bool(os.environ.get("PLAN_ALL_MUTATIONS"))
YAML_PART, SCRIPT_PART = (1, 1) if WHOLE else (191, 131)

# One job that has every key of the format.
EVERY_KEY = """
name: every key
parallelism: 2
max_parallelism: 128
runtime_mode: streaming
chaining: true
chain_different_max_parallelism: true
buffer_timeout: 100
restart_strategy: {type: fixed-delay, attempts: 3, delay: 10s}
options: {table.exec.state.ttl: 1h, execution.checkpointing.interval: 10s}
operators:
  - {id: orders, type: source, format: kafka, options: {subscribe: orders, startingOffsets: earliest}, bounded: false,
     schema: "user string, n bigint, ts timestamp", time: ts, watermark: 5s, uid: orders, description: all, name: o}
  - {id: files, type: source, format: csv, path: in, schema: "user string, n bigint", legacy: true, parallel: false}
  - {id: fixed, type: source, collection: [a, b], schema: "word string", slot_sharing_group: io}
  - {id: parse, type: map, input: {from: orders, partition: custom, function: "./f.py:spread", key: user},
     select: {user: user, n: n}, parallelism: 3, buffer_timeout: 5, ignore: {PL103: meant}}
  - {id: read, type: map, input: {from: files, partition: rebalance, exchange: pipelined}, function: "./f.py:read",
     output: "user string, n bigint", chaining: start_new}
  - {id: words, type: flat_map, input: fixed, explode: "split(word, ',')", as: word, co_location_group: near}
  - {id: valid, type: filter, input: parse, where: n > 0, uid_hash: 0123456789abcdef0123456789abcdee}
  - {id: split, type: process, input: valid, function: "./f.py:split", output: "user string, n bigint"}
  - {id: ask, type: async_map, input: split, function: "./f.py:ask", output: "user string, n bigint", capacity: 9,
     timeout: 5s}
  - {id: timed, type: watermarks, input: ask, time: ts, watermark: 1s}
  - {id: sums, type: sum, input: timed, key_by: user, field: n, max_parallelism: 64}
  - {id: best, type: reduce, input: read, key_by: user, function: "./f.py:best"}
  - {id: window, type: window_reduce, input: timed, key_by: user, window: {sliding: 10s, every: 5s}, time: ts,
     watermark: 2s, function: "./f.py:best"}
  - {id: both, type: co_process, inputs: [sums, best], key_by: user, join: inner, select: {user: user, n: n}}
  - {id: either, type: co_map, inputs: [words, words], function: "./f.py:Either", output: "word string"}
  - {id: many, type: multi_input, inputs: [both, window], chain_sources: true}
  - {id: out, type: sink, input: many, format: parquet, path: out, mode: append, options: {compression: zstd}}
  - {id: late, type: sink, input: {from: split, side_output: late}, api: v2, committer: true, function: "./f.py:Keep"}
  - {id: shown, type: print, input: either}
"""


def corpus() -> Iterator[Mapping[str, Any]]:
    for name in ("handmade", "streaming", "batch"):
        for line in (CONFORMANCE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["job"]
    with lzma.open(CONFORMANCE / "further.jsonl.xz", "rt", encoding="utf-8") as lines:
        yield from (json.loads(line)["job"] for line in lines)
    for path in sorted([*ROOT.glob("samples/*/job.yaml"), *ROOT.glob("tests/golden/jobs/*.yaml")]):
        yield yaml.safe_load(path.read_text(encoding="utf-8"))


def snapshot_of(job: Mapping[str, Any]) -> tuple[Plan, Snapshot] | None:
    try:
        made = plan(load_job_data(job), until="execution")
    except PlanError:
        return None
    return made, take_snapshot(made)


def unheard(mutation: Mutation, before: Iterable[Snapshot], after: Iterable[Plan]) -> str | None:
    """Where lint and diff disagree: what diff calls safe must pass, and everything else fail.

    Settings that only made chains form are a note: a baseline that is behind fails no build.
    """
    findings, levels = [], set()
    for old, made in zip(before, after, strict=True):
        compared = compare(old, take_snapshot(made))
        levels |= {change.level for change in find_changes(compared)}
        findings += regressions(made, compared, Config())
        formed = any(
            compared.new.edges[now].chained and not compared.old.edges[was].chained for was, now in compared.edges
        )
        if formed and levels <= {"performance", "safe"}:
            return None
    failing = {finding.code for finding in findings if finding.severity != "note"}
    if bool(failing) is bool(levels - {"safe"}):
        return None
    return f"{mutation.where}: diff says {sorted(levels)}, lint {sorted(failing)}"


def wrong(
    mutation: Mutation, before: Iterable[Snapshot], after: Iterable[Snapshot], counts: Counter[str] | None = None
) -> str | None:
    """What is wrong with the answer of `plan diff`, if something is; `counts` counts the answer's worst level."""
    changes = [change for old, new in zip(before, after, strict=True) for change in find_changes(compare(old, new))]
    found = {change.level for change in changes}
    if counts is not None:
        counts[next((level for level in LEVELS if level in found), "no change")] += 1
    if not mutation.levels:
        return f"{mutation.where}: ignored, not {found}" if found else None
    if found & mutation.levels:
        return None
    return f"{mutation.where}: {sorted(mutation.levels)}, not {sorted(found)}"


def test_every_value_of_the_corpus_is_compared() -> None:
    """Values of operators that Flink leaves out of the graph, because nothing reads them, are no part of the plan."""
    faults: list[str] = []
    counts: Counter[str] = Counter()
    number = 0
    for job in corpus():
        before = None
        for mutation in yaml_mutations(job):
            number += 1
            if number % YAML_PART:
                continue
            before = before or snapshot_of(job)
            after = snapshot_of(mutation.job) if before else None
            if before is None or after is None:
                counts["refused"] += 1
                continue
            counts["changed"] += 1
            fault = wrong(mutation, [before[1]], [after[1]], counts)
            if fault is not None and not _is_left_out(before[0], job, mutation):
                faults.append(f"{job.get('name')}: {fault}")
            faults += [fault for fault in (unheard(mutation, [before[1]], [after[0]]),) if fault is not None]
    print(dict(counts))
    assert counts["changed"] > 50
    assert faults == []


def _is_left_out(made: Plan, job: Mapping[str, Any], mutation: Mutation) -> bool:
    """Whether the changed operator is in no graph, or has a twin that nothing tells from it."""
    parts = mutation.where.split(".")
    if parts[0] != "operators":
        return False
    changed = job["operators"][int(parts[1])]
    if changed["id"] not in {node.operator.key for node in made.stream_graph.nodes}:
        return True
    alike = ("id", "max_parallelism")  # another id is no change, and another max parallelism of a source a safe one
    usual = [("parallel", True), ("bounded", True) if job.get("runtime_mode") == "batch" else None]
    said = [[one for one in each.items() if one[0] not in alike and one not in usual] for each in job["operators"]]
    bare = [repr(each) for each in said]
    return any("input" in part or "from" in part for part in parts) and len(bare) > len({*bare})


def test_every_key_of_the_format_is_compared() -> None:
    known = {*JOB_KEYS, *OPERATOR_KEYS, *REFERENCE_KEYS, *(key for keys in KIND_KEYS.values() for key in keys)}
    assert known - {"operators"} == {*EXPECTED, *RIGHTLY_IGNORED}
    job = yaml.safe_load(EVERY_KEY)
    before = snapshot_of(job)
    assert before is not None
    seen: set[str] = set()
    faults = []
    for mutation in yaml_mutations(job):
        after = snapshot_of(mutation.job)
        if after is not None:
            seen |= set(mutation.where.split(":")[0].split("."))
            faults.append(wrong(mutation, [before[1]], [after[1]]))
    assert [fault for fault in faults if fault] == []
    written = EVERY_KEY + str(seen)
    assert [key for key in known - {"operators", "$schema"} if f"{key}:" not in written] == []
    in_the_corpus = {"exchange", "partition", "api", "legacy", "inputs", "type"}  # here every other value is refused
    assert known - seen <= {"operators", "$schema"} | in_the_corpus


def scripts() -> Iterator[tuple[str, str, Path | None]]:
    """The PyFlink scripts of the corpus, and the samples with the folder that they need."""
    for path in sorted(ROOT.glob("samples/*/job.py")):
        yield path.parent.name, path.read_text(encoding="utf-8"), path.parent
    with lzma.open(CONFORMANCE / "pyflink_2_3" / "corpus.jsonl.xz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if not row["error"]:
                yield row["script"], row["text"], None


def plans_of(path: Path) -> list[Plan]:
    return [plan(job, until="execution") for job in load_jobs(path)]


def test_every_value_of_a_script_is_compared(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    faults: list[str] = []
    counts: Counter[str] = Counter()
    number = 0
    for name, text, folder in scripts():
        all_of_it = list(script_mutations(text))
        mutations = [one for at, one in enumerate(all_of_it, start=number) if not at % SCRIPT_PART]
        number += len(all_of_it)
        if not mutations:
            continue
        here = tmp_path / name
        shutil.copytree(folder, here) if folder else here.mkdir()
        job = here / "job.py"
        job.write_text(text, encoding="utf-8")
        before = plans_of(job)
        taken = [take_snapshot(made) for made in before]
        for mutation in mutations:
            job.write_text(mutation.job, encoding="utf-8")
            try:
                changed = plans_of(job)
            except PlanError:
                counts["refused"] += 1
                continue
            counts["changed"] += 1
            if len(changed) != len(taken):
                continue
            fault = wrong(mutation, taken, map(take_snapshot, changed), counts)
            if fault is not None and not _is_lost(before, mutation):
                faults.append(f"{name}: {fault}")
            faults += [f"{name}: {fault}" for fault in (unheard(mutation, taken, changed),) if fault is not None]
    print(dict(counts))
    assert counts["changed"] > 50
    assert faults == []


def _is_lost(before: list[Plan], mutation: Mutation) -> bool:
    """Whether the changed line makes nothing that is in a plan, or sets what PyFlink loses."""
    used = {
        part.location.line
        for made in before
        for node in made.stream_graph.nodes
        for part in (node.operator, *node.operator.merged)
    }
    return not mutation.lines & used or mutation.call in LOST
