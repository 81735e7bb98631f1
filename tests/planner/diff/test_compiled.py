"""Differences between versions of SQL jobs, which Flink compiled: recorded graphs, changed as a script would be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from planner import StreamExecutionEnvironment, plan
from planner.diff.changes import find_changes
from planner.diff.comparison import compare
from planner.frontends.flink_export.stream_graph import job_of_graph
from planner.frontends.picking import numbered
from planner.snapshots.snapshot import Snapshot, take_snapshot

RECORDED = Path(__file__).parents[1] / "frontends/flink_compiler/recorded"


def snapshot(text: str) -> Snapshot:
    return take_snapshot(plan(job_of_graph(json.loads(text), "job.sql", {}), until="execution"))


def changes(change: Callable[[str], str]) -> list[tuple[str, str]]:
    """The level and the fact of every change where the last job of a batch is changed like this."""
    text = json.dumps(json.loads((RECORDED / "batch_exchanges.json").read_text())[-1]["job"])
    assert change(text) != text
    return [(one.level, one.fact or one.kind) for one in find_changes(compare(snapshot(text), snapshot(change(text))))]


def _later(counter: re.Match[str]) -> str:
    return str(int(counter[0]) + 7)


def test_statements_before_only_shift_flinks_counters() -> None:
    assert changes(lambda text: re.sub(r'(?<=[a-z]\[)\d+(?=\])|(?<="\[)\d+(?=\]:)', _later, text)) == []


def test_another_condition_is_another_result() -> None:
    text = json.dumps(json.loads((RECORDED / "compiled.json").read_text())[0]["job"])
    names = re.findall(r"\[\d+\]:(\w+)\(", text)
    keyed, plain = "GroupAggregate", "Calc"
    assert {keyed, plain} <= set(names)
    for name, level, fact in ((plain, "result", "query"), (keyed, "state-breaking", "query of state")):
        changed = re.sub(rf"\]:{name}\(", f"]:{name}(changed, ", text, count=1)
        found = find_changes(compare(snapshot(text), snapshot(changed)))
        assert [(one.level, one.fact) for one in found] == [(level, fact)]


def test_other_types_do_not_fit_the_state_downstream() -> None:
    document = json.loads((RECORDED / "compiled.json").read_text())[0]["job"]
    keyed = next(node for node in document["nodes"] if node["keyed"])
    upstream = document["edges"][keyed["inputs"][0]]["source"]

    def typed(kind: str) -> str:
        nodes = [{**node, "output_type": kind} if node["id"] == upstream else node for node in document["nodes"]]
        return json.dumps({**document, "nodes": nodes})

    found = find_changes(compare(snapshot(typed("BIGINT")), snapshot(typed("STRING"))))
    assert ("state-breaking", "record-type") in {(one.level, one.kind) for one in found}


def test_jobs_of_one_name_are_told_apart() -> None:
    document = json.loads((RECORDED / "compiled.json").read_text())[0]["job"]
    job = job_of_graph(document, "job.sql", {})
    names = [take_snapshot(plan(one, until="execution")).name for one in numbered([job, job])]
    assert names == [document["name"], f"{document['name']} #2"]


def test_a_script_and_flinks_own_graph_of_it_agree() -> None:
    """What an export does not know, such as the functions and the types of a script, is no difference."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1, 2]).key_by(lambda x: x).reduce(lambda a, b: a + b).print()
    ours = take_snapshot(plan(env.build("job"), until="execution"))
    bare: Any = {"keyed_by": None, "does": None, "output": None, "declared": {}, "kind": "process"}
    theirs = replace(ours, exported=True, operators=tuple(replace(one, **bare) for one in ours.operators))
    assert find_changes(compare(ours, theirs)) == ()
    assert find_changes(compare(ours, replace(theirs, exported=False))) != ()
