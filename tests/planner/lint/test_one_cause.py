"""One finding per cause, at the line that can be changed, with a change that keeps what was meant."""

from __future__ import annotations

import pytest

from planner.lint.finding import Finding
from tests.support.project import Project

JOB = """
name: orders
parallelism: 4
max_parallelism: 128
operators:
  - {id: orders, type: source, uid: orders}
  - {id: parse, type: map, input: orders}
  - {id: valid, type: filter, input: parse}
  - {id: totals, type: sum, input: valid, key_by: user, uid: totals}
  - {id: out, type: print, input: totals}
"""


@pytest.fixture
def recorded(project: Project) -> Project:
    project.write("job.yaml", JOB)
    project.record("job.yaml")
    return project


def changed(project: Project, before: str, after: str) -> list[Finding]:
    assert before in JOB
    project.write("job.yaml", JOB.replace(before, after))
    return project.findings("job.yaml")


def test_a_broken_chain_is_not_reported_twice(recorded: Project) -> None:
    found = changed(recorded, "input: orders}", "input: orders, parallelism: 2}")
    assert {finding.code for finding in found} == {"PL001"}
    ignored = recorded.lint("job.yaml", ignore=["PL001"]).findings
    assert [finding.code for finding in ignored] == ["PL103"], "not silenced by a rule that does not run"
    assert "Source: Custom Source (orders) -> Map (parse)" in ignored[0].message
    assert "Map (parse) -> Filter (valid)" in ignored[0].message


def test_an_explicit_rebalance_is_not_reported_twice(recorded: Project) -> None:
    found = changed(recorded, "input: orders}", "input: {from: orders, partition: rebalance}}")
    assert [finding.code for finding in found] == ["PL001"]


def test_a_switch_of_the_job_is_one_finding(recorded: Project) -> None:
    (found,) = changed(recorded, "parallelism: 4\n", "parallelism: 4\nchaining: false\n")
    assert found.code == "PL001"
    assert found.message.startswith("3 edges that were chained no longer are: CH001 chaining-disabled")
    assert found.fix == "remove `chaining: false` from the job"


def test_a_narrow_sink_is_meant(project: Project) -> None:
    project.write("job.yaml", JOB.replace("input: totals}", "input: totals, parallelism: 1}"))
    assert project.findings("job.yaml") == []
    project.write("job.yaml", JOB.replace("input: totals}", "input: totals, parallelism: 8}"))
    assert project.codes("job.yaml") == ["PL103"]


def test_a_graph_change_that_is_safe_leaves_only_notes(recorded: Project) -> None:
    recorded.write("job.yaml", JOB.replace("input: orders}", "input: orders, chaining: start_new}"))
    recorded.record("job.yaml")
    recorded.write("job.yaml", JOB)
    (found,) = recorded.findings("job.yaml")
    assert (found.code, found.severity) == ("PL005", "note")
    assert "chains now" in found.message


def test_more_subtasks_are_told_although_a_chain_formed(project: Project) -> None:
    job = JOB.replace(
        "input: valid, key_by: user, uid: totals}", "input: valid, key_by: user, uid: totals, parallelism: 3}"
    )
    project.write("job.yaml", job)
    project.record("job.yaml")
    project.write("job.yaml", JOB)
    found = {finding.code: finding for finding in project.findings("job.yaml")}
    assert {code: finding.severity for code, finding in found.items()} == {"PL005": "note", "PL007": "warning"}
    assert found["PL007"].message == "Keyed Aggregation (totals): parallelism 3 -> 4"


def test_more_slots_by_a_new_group_are_explained_by_the_group(recorded: Project) -> None:
    found = changed(recorded, "input: valid, key_by: user", "input: valid, key_by: user, slot_sharing_group: heavy")
    slots = next(finding for finding in found if finding.code == "PL004")
    assert slots.operator == "totals"
    assert (slots.fix or "").startswith("take totals out of the slot sharing group 'heavy'")
    assert "the group is new and starts at Keyed Aggregation (totals)" in slots.message


def test_too_few_slots_point_at_what_sets_the_parallelism(project: Project) -> None:
    project.write("pyproject.toml", "[tool.plan.cluster]\ntask_managers = 1\nslots = 2\n")
    project.write("job.yaml", JOB)
    (found,) = project.findings("job.yaml")
    assert (found.code, found.location.line) == ("PL106", 1), "the job's own parallelism"
    project.write("job.yaml", JOB.replace("input: parse}", "input: parse, parallelism: 6}"))
    found = next(finding for finding in project.findings("job.yaml") if finding.code == "PL106")
    assert found.location.line == 8


def test_an_operator_after_a_global_exchange_stays_single(project: Project) -> None:
    text = JOB.replace("input: orders}", "input: {from: orders, partition: global}, parallelism: 1}")
    project.write("job.yaml", text)
    (found,) = project.findings("job.yaml")
    assert found.code == "PL103"
    assert found.fix == "set the parallelism of valid to 1", "more subtasks of parse would get no records"


def test_a_fix_that_chains_one_of_two_edges_says_which(project: Project) -> None:
    wide = JOB.replace("uid: orders", "uid: orders, parallelism: 2")
    project.write("job.yaml", wide.replace("input: orders}", "input: orders, parallelism: 3}"))
    (found,) = project.findings("job.yaml")
    assert found.message.count(" (parallelism ") == 2
    assert (
        found.fix == "set the parallelism of parse to 2; that chains only Source: Custom Source (orders) -> Map (parse)"
    )
    project.write("job.yaml", JOB.replace("input: orders}", "input: orders, parallelism: 3}"))
    (found,) = project.findings("job.yaml")
    assert found.fix == "set the parallelism of parse to 4", "which chains both"


def test_both_edges_of_an_inserted_operator_are_one_finding(recorded: Project) -> None:
    text = JOB.replace("input: orders}", "input: orders}\n  - {id: score, type: map, input: parse, parallelism: 2}")
    recorded.write("job.yaml", text.replace("filter, input: parse", "filter, input: score"))
    found = [one for one in recorded.findings("job.yaml") if one.code in ("PL001", "PL103")]
    assert [(one.code, one.fix) for one in found] == [("PL001", "set the parallelism of score to 4")]


def test_edges_that_one_change_chains_are_one_finding_where_the_change_is_made(project: Project) -> None:
    """Also where every operator sets its own parallelism, so that nothing but the fix says which one is odd."""
    own = JOB.replace("input: parse}", "input: parse, parallelism: 4}").replace(
        "uid: orders}", "uid: orders, parallelism: 4}"
    )
    project.write("job.yaml", own.replace("input: orders}", "input: orders, parallelism: 3}"))
    (found,) = project.findings("job.yaml")
    assert (found.operator, found.fix) == ("parse", "set the parallelism of parse to 4")
    assert found.message.count(" (parallelism ") == 2


def test_a_job_wide_parallelism_is_blamed_where_it_is_set(project: Project) -> None:
    """Not on `env.execute()`, and on no operator that only has it from there."""
    lines = (
        "from planner import StreamExecutionEnvironment",
        "env = StreamExecutionEnvironment.get_execution_environment()",
        "env.set_parallelism(8)",
        'env.from_collection([("a", 1)]).uid("a").map(str).print()',
        'env.execute("wide")',
    )
    project.write("pyproject.toml", "[tool.plan.cluster]\ntask_managers = 1\nslots = 2\n")
    project.write("job.py", "\n".join(lines))
    found = next(one for one in project.findings("job.py") if one.code == "PL106")
    assert found.location.line == 3
    assert found.message.endswith("; the job's parallelism is 8")


# What `plan diff` calls another result or another cost is a finding that fails, also where no chain broke.
TOLD = {
    "another kind": ("type: sum, input: valid, key_by: user,", "type: max, input: valid, key_by: user,",
                     "PL007", "Keyed Aggregation (totals): it was a sum -> max"),
    "another partition": ("input: totals}", "input: {from: totals, partition: rebalance}}",
                          "PL001", "were chained and no longer are"),
    "an operator in a chain": ("input: valid, key_by: user", "input: odd, key_by: user",
                               "PL007", "Filter (odd) was added"),
    "an operator is gone": ("  - {id: out, type: print, input: totals}\n", "", "PL003", "is in the baseline"),
    "fewer subtasks of a chain": ("uid: totals}", "uid: totals, parallelism: 2}", "PL001", "parallelism"),
}  # fmt: skip


@pytest.mark.parametrize("what", TOLD)
def test_what_diff_tells_is_a_finding(recorded: Project, what: str) -> None:
    before, after, code, words = TOLD[what]
    odd = "  - {id: odd, type: filter, input: valid}\n  - {id: totals" if "odd" in after else "  - {id: totals"
    recorded.write("job.yaml", JOB.replace(before, after).replace("  - {id: totals", odd))
    compared = [finding for finding in recorded.findings("job.yaml") if finding.code.startswith("PL00")]
    (found,) = [finding for finding in compared if finding.severity != "note"]
    assert found.code == code
    assert words in found.message


def test_a_partition_without_a_chain_is_told_at_its_operator(project: Project) -> None:
    job = JOB.replace("input: totals}", "input: {from: totals, partition: rebalance}}")
    file = project.write("job.yaml", job)
    project.record("job.yaml")
    project.write("job.yaml", job.replace("rebalance", "shuffle"))
    (found,) = project.findings("job.yaml")
    assert (found.code, str(found.location)) == ("PL007", f"{file}:10:5")
    assert found.message == "Keyed Aggregation (totals) -> Sink: Print to Std. Out (out): REBALANCE -> SHUFFLE"


def test_other_parallelism_without_more_slots_is_one_finding(project: Project) -> None:
    job = JOB.replace("uid: totals}", "uid: totals, parallelism: 2}").replace(
        "input: totals}", "input: totals, parallelism: 2}"
    )
    project.write("job.yaml", job)
    project.record("job.yaml")
    project.write("job.yaml", job.replace("parallelism: 2", "parallelism: 3"))
    (found,) = project.findings("job.yaml")
    assert found.code == "PL007"
    assert found.message == "Keyed Aggregation (totals), Sink: Print to Std. Out (out): parallelism 2 -> 3"
