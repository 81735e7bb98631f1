"""Ignores: where a comment may stand, what it holds for, and that it never outlives its cause unnoticed."""

from __future__ import annotations

import pytest

from tests.support.project import Project

HEAD = """from planner import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_collection([1, 2])
"""
TAIL = '\nenv.execute("job")\n'
IGNORE = "# plan: ignore[PL102] the numbers are skewed"

PLACES = {
    "on the only line": f"numbers.rebalance().map(str).print()  {IGNORE}",
    "on the partitioner's line": f"(numbers\n    .rebalance()  {IGNORE}\n    .map(str)\n    .print())",
    "on the operator's line": f"(numbers\n    .rebalance()\n    .map(str)  {IGNORE}\n    .print())",
    "at the end of a long call": f"(numbers\n    .rebalance()\n    .map(\n        str,\n    )  {IGNORE}\n    .print())",
    "on a setting of it": f"(numbers\n    .rebalance()\n    .map(str)\n    .uid('m')  {IGNORE}\n    .print())",
    "alone above the partitioner": f"(numbers\n    {IGNORE}\n    .rebalance()\n    .map(str)\n    .print())",
    "alone above the operator": f"(numbers\n    .rebalance()\n    {IGNORE}\n    .map(str)\n    .print())",
    "alone above the statement": f"{IGNORE}\nnumbers.rebalance().map(str).print()",
    "among other codes": f"numbers.rebalance().map(str).print()  {IGNORE.replace('PL102', 'PL102, PL104')}",
}
ELSEWHERE = {
    "on another operator": f"(numbers\n    .map(str)  {IGNORE}\n    .rebalance()\n    .map(str)\n    .print())",
    "in a string": f'print("{IGNORE}")\nnumbers.rebalance().map(str).print()',
    "for another rule": f"numbers.rebalance().map(str).print()  {IGNORE.replace('PL102', 'PL103')}",
    "without codes": "numbers.rebalance().map(str).print()  # plan: ignore the numbers are skewed",
}


@pytest.mark.parametrize("place", PLACES)
def test_it_holds(project: Project, place: str) -> None:
    project.write("job.py", HEAD + PLACES[place] + TAIL)
    report = project.lint("job.py", select=["PL102"])
    assert report.findings == ()
    assert report.ignored == 1


@pytest.mark.parametrize("place", ELSEWHERE)
def test_it_does_not_hold(project: Project, place: str) -> None:
    project.write("job.py", HEAD + ELSEWHERE[place] + TAIL)
    assert project.codes("job.py", select=["PL102"]) == ["PL102"]


def test_an_unused_one_is_reported_where_it_stands(project: Project) -> None:
    project.write("job.py", HEAD + f"numbers.map(str).print()  {IGNORE}" + TAIL)
    found = project.findings("job.py")
    assert [(finding.code, finding.location.line) for finding in found] == [("PL111", 5)]
    assert "PL102 (needless-rebalance) finds nothing here" in found[0].message


def test_an_unknown_code_is_reported(project: Project) -> None:
    project.write("job.py", HEAD + f"numbers.map(str).print()  {IGNORE.replace('PL102', 'PL999')}" + TAIL)
    assert [finding.message for finding in project.findings("job.py")] == ["there is no rule PL999"]


def test_a_rule_that_did_not_run_leaves_its_ignores_alone(project: Project) -> None:
    project.write("job.py", HEAD + f"numbers.map(str).print()  {IGNORE}" + TAIL)
    assert project.codes("job.py", select=["PL101", "PL111"]) == []
    project.write("job.py", HEAD + f"numbers.map(str).print()  {IGNORE.replace('PL102', 'PL001')}" + TAIL)
    assert project.codes("job.py") == [], "without a baseline PL001 did not run"


def test_in_yaml_it_holds_for_its_operator(project: Project) -> None:
    text = """
operators:
  - {id: s, type: source, uid: s}
  - {id: a, type: map, input: {from: s, partition: rebalance}, IGNORE}
  - {id: b, type: map, input: {from: a, partition: rebalance}}
  - {id: end, type: print, input: b}
"""
    project.write("job.yaml", text.replace("IGNORE", "ignore: {PL102: skewed}"))
    assert [finding.operator for finding in project.findings("job.yaml")] == ["b"]
    project.write("job.yaml", text.replace("IGNORE", "ignore: {PL103: skewed}"))
    assert sorted(project.codes("job.yaml")) == ["PL102", "PL102", "PL111"]


def test_a_comment_in_a_shared_module_is_used_if_any_job_uses_it(project: Project) -> None:
    body = f"    stream = stream.rebalance() if spread else stream\n    stream.print()  {IGNORE}\n"
    project.write("shared.py", f"def end(stream, spread):\n{body}")
    for name, spread in (("a", True), ("b", False)):
        project.write(f"{name}.py", f"from shared import end\n{HEAD}end(numbers.map(str), {spread}){TAIL}")
    assert project.codes("a.py", "b.py") == []
    assert project.codes("b.py") == ["PL111"]


def test_what_is_said_of_the_job_is_ignored_where_it_is_executed(project: Project) -> None:
    project.write("job.py", HEAD + "numbers.map(str).print()\nnumbers.filter(bool).print()" + TAIL)
    project.record("job.py")
    less = HEAD + "numbers.map(str).print()" + TAIL
    project.write("job.py", less)
    assert "PL003" in project.codes("job.py", select=["PL003"])
    project.write("job.py", less.replace('execute("job")', 'execute("job")  # plan: ignore[PL003] nobody read it'))
    assert project.codes("job.py", select=["PL003"]) == []
