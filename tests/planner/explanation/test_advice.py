"""Advice by net effect: every proposal is compiled, none makes the plan larger, and lost state is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import yaml

from planner.errors import PlanError
from planner.explanation.explain import explain_plan
from planner.explanation.settings import apply_settings
from planner.frontends.yaml.loader import load_job_data
from planner.operators import describe_operators, describe_written, merged_keys
from planner.pipeline import Plan, plan
from tests.support.project import Project

CONFORMANCE = Path(__file__).parents[2] / "conformance"

HOT_PATH = """
name: hot path
parallelism: 2
max_parallelism: 128
operators:
  - {id: orders, type: source, uid: orders}
  - {id: parse, type: map, input: orders, uid: parse}
  - {id: totals, type: sum, input: parse, key_by: user, field: n, uid: totals}
  - {id: out, type: sink, input: totals, uid: out}
  - {id: audit, type: map, input: parse, parallelism: 4, uid: audit}
  - {id: log, type: sink, input: audit, parallelism: 4, uid: log}
"""


def planned(text: str) -> Plan:
    return plan(load_job_data(yaml.safe_load(text)), until="execution")


def figures(made: Plan) -> tuple[int, int, int]:
    assert made.job_graph is not None and made.execution_graph is not None
    vertices = made.job_graph.vertices
    channels = sum(edge.channels for edge in made.execution_graph.edges)
    return len(vertices), sum(vertex.parallelism for vertex in vertices), channels


def test_the_side_branch_is_lowered_and_the_hot_path_stays() -> None:
    edge = next(edge for edge in explain_plan(planned(HOT_PATH)).edges if edge.verdict == "broken")
    assert edge.settings == ("audit.parallelism=2", "log.parallelism=2")
    assert edge.changes == ("set the parallelism of audit and log to 2",)
    assert edge.advice is not None
    assert edge.advice.effect == "chains 3 -> 2, tasks 8 -> 4, channels 12 -> 4"


def test_lint_proposes_the_same_on_the_line_that_caused_it(project: Project) -> None:
    file = project.write("job.yaml", HOT_PATH)
    (found,) = project.findings("job.yaml")
    assert (found.code, str(found.location)) == ("PL103", f"{file}:10:5")
    assert found.fix == "set the parallelism of audit and log to 2"


def test_nothing_is_proposed_where_nothing_gains_and_it_says_why() -> None:
    """Both ends are part of wide chains that would break, and the run between them cannot be moved as a whole."""
    text = """
name: fixed
parallelism: 2
operators:
  - {id: lines, type: source, legacy: true, parallel: false}
  - {id: parse, type: map, input: lines}
  - {id: out, type: sink, input: parse, parallelism: 1}
"""
    for edge in explain_plan(planned(text)).edges:
        if edge.verdict == "broken" and edge.advice is not None and not edge.changes:
            assert edge.advice.why_not is not None and "no change that was tried gains" in edge.advice.why_not


def test_an_inserted_operator_is_blamed_where_it_was_inserted(project: Project) -> None:
    plain = HOT_PATH.replace(", parallelism: 4", "")
    project.write("job.yaml", plain)
    project.record("job.yaml")
    inserted = plain.replace(
        "  - {id: totals", "  - {id: clean, type: filter, input: parse, parallelism: 3, uid: clean}\n  - {id: totals"
    ).replace("input: parse, key_by", "input: clean, key_by")
    file = project.write("job.yaml", inserted)
    found = [one for one in project.findings("job.yaml") if one.code in ("PL001", "PL103")]
    assert [str(one.location) for one in found] == [f"{file}:8:5"]
    assert found[0].fix == "set the parallelism of clean to 2"


def corpus(step: int) -> Iterator[Plan]:
    for name in ("handmade", "streaming"):
        lines = (CONFORMANCE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        for line in lines[::step]:
            try:
                made = plan(load_job_data(json.loads(line)["job"]), until="execution")
            except PlanError:
                continue
            if made.execution_graph is not None:
                yield made


def check_proposals(made: Plan) -> int:
    """Compile every proposal of a plan again, apart from the code that proposed it."""
    refs = {ref.key: ref for ref in describe_operators(made).values()}
    count = 0
    for edge in explain_plan(made).edges:
        if not edge.settings:
            continue
        count += 1
        assert edge.advice is not None
        job = apply_settings(made.written, describe_written(made), edge.settings, merged_keys(made))
        after = plan(job, until="execution")
        assert all(new <= old for old, new in zip(figures(made), figures(after), strict=True)), edge.settings
        assert figures(after) != figures(made)
        moved = {
            ref.label
            for key, ref in refs.items()
            for now in (next((new for new in describe_operators(after).values() if new.key == key), None),)
            if ref.state != "none" and (now is None or now.operator_id != ref.operator_id) and ref.uid_hash is None
        }
        assert moved <= set(edge.advice.loses), edge.settings
    return count


def test_no_proposal_for_the_corpus_makes_more_or_loses_state_without_a_word() -> None:
    assert sum(check_proposals(made) for made in corpus(step=11)) > 10
