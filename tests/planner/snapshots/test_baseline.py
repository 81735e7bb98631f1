"""The baseline: what it holds, how it is updated, and that it speaks on every regression and on nothing else."""

from __future__ import annotations

import copy
import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.diff.comparison import compare
from planner.frontends.yaml.loader import load_job_data
from planner.pipeline import plan
from planner.snapshots.baseline import BaselineJob
from planner.snapshots.baseline_file import dump_baseline, load_baseline, parse_baseline
from planner.snapshots.snapshot import Snapshot, take_snapshot
from tests.support.project import Project
from tests.support.strategies import Job, jobs

JOB = """
name: orders
parallelism: 2
max_parallelism: 128
operators:
  - {id: orders, type: source, name: orders, uid: orders}
  - {id: parse, type: map, name: parse, input: orders}
  - {id: valid, type: filter, name: valid, input: parse}
  - {id: totals, type: sum, name: totals, input: valid, key_by: user}
  - {id: alerts, type: process, name: alerts, input: totals, key_by: country, uid: alerts}
  - {id: out, type: print, input: alerts}
"""
BASELINE_RULES = ["PL0"]


@pytest.fixture
def recorded(project: Project) -> Project:
    project.write("job.yaml", JOB)
    project.record("job.yaml")
    return project


def codes_after(project: Project, before: str, after: str) -> list[str]:
    assert before in JOB
    project.write("job.yaml", JOB.replace(before, after))
    return sorted(set(project.codes("job.yaml", select=BASELINE_RULES)))


def test_nothing_changed(recorded: Project) -> None:
    assert recorded.codes("job.yaml", select=BASELINE_RULES) == []


SAME = {
    "comments and blank lines": lambda text: text.replace("operators:", "\n# much\n\noperators:  # to say\n"),
    "block style": lambda text: yaml.safe_dump(yaml.safe_load(text), sort_keys=True),
    "json": lambda text: json.dumps(yaml.safe_load(text)),
    "renamed ids": lambda text: re.sub(r"\b(id|input): (\w+)", r"\1: x_\2", text),
    "new descriptions": lambda text: text.replace("name: parse", "name: parse, description: parses"),
}


@pytest.mark.parametrize("how", SAME)
def test_no_false_finding(recorded: Project, how: str) -> None:
    recorded.write("job.yaml", SAME[how](JOB))
    assert recorded.codes("job.yaml", select=BASELINE_RULES) == []


def test_reordering_the_operators_of_one_pipeline_is_no_change(recorded: Project) -> None:
    data = yaml.safe_load(JOB)
    data["operators"].reverse()
    recorded.write("job.yaml", yaml.safe_dump(data))
    assert recorded.codes("job.yaml", select=BASELINE_RULES) == []


REGRESSIONS = {
    "a parallelism breaks two chains and orphans the sum": (
        "name: parse, input", "name: parse, parallelism: 4, input", ["PL001", "PL002", "PL004"],
    ),
    "a rebalance": ("input: parse}", "input: {from: parse, partition: rebalance}}", ["PL001", "PL002"]),
    "a slot sharing group": ("name: valid, input", "name: valid, slot_sharing_group: io, input",
                             ["PL001", "PL002", "PL004"]),
    "chaining disabled": ("name: valid, input", "name: valid, chaining: disable, input", ["PL001", "PL002"]),
    "chaining disabled for the job": ("parallelism: 2\n", "parallelism: 2\nchaining: false\n", ["PL001", "PL002"]),
    "a uid is removed": ("key_by: country, uid: alerts", "key_by: country", ["PL002"]),
    "a uid is changed": ("uid: alerts", "uid: alarms", ["PL002"]),
    "a uid is added": ("key_by: user}", "key_by: user, uid: totals}", ["PL002"]),
    "more slots": ("name: alerts, input", "name: alerts, parallelism: 3, input", ["PL001", "PL004"]),
    "another key under the same uid": ("key_by: country", "key_by: city", ["PL006"]),
    "another max parallelism": ("max_parallelism: 128", "max_parallelism: 256", ["PL006"]),
    "another kind under the same uid": (
        "type: process, name: alerts, input: totals", "type: max, name: alerts, input: totals", ["PL006"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REGRESSIONS)
def test_every_regression_is_found_by_its_rule(recorded: Project, what: str) -> None:
    before, after, expected = REGRESSIONS[what]
    assert codes_after(recorded, before, after) == expected


def test_a_lost_operator_with_state_is_an_error_and_one_without_a_warning(recorded: Project) -> None:
    without = JOB.replace(
        "  - {id: alerts, type: process, name: alerts, input: totals, key_by: country, uid: alerts}\n", ""
    )
    recorded.write("job.yaml", without.replace("input: alerts", "input: totals"))
    lost = [finding for finding in recorded.findings("job.yaml") if finding.code == "PL003"]
    assert [finding.severity for finding in lost] == ["error"]
    assert "alerts is in the baseline" in lost[0].message
    assert "PL005" not in recorded.codes("job.yaml"), "one finding per cause"
    recorded.write(
        "job.yaml",
        JOB.replace("  - {id: valid, type: filter, name: valid, input: parse}\n", "").replace("valid", "parse"),
    )
    lost = [finding for finding in recorded.findings("job.yaml") if finding.code == "PL003"]
    assert [finding.severity for finding in lost] == ["warning"], "the job computes something else"


def test_the_message_says_that_a_break_upstream_changed_an_untouched_operator(recorded: Project) -> None:
    recorded.write("job.yaml", JOB.replace("name: parse, input", "name: parse, parallelism: 4, input"))
    found = [finding for finding in recorded.findings("job.yaml") if finding.code == "PL002"]
    assert [finding.operator for finding in found] == ["totals"], "orders and alerts have a uid, the others no state"
    message = found[0].message
    old, new = re.findall(r"\b[0-9a-f]{32}\b", message)
    assert old != new
    for said in (
        "lose its keyed state",
        "upstream no longer chains",
        "itself was not changed",
        "A uid would have kept",
    ):
        assert said in message
    assert found[0].fix is not None
    assert old in found[0].fix


def test_the_reason_stands_on_the_changed_line(recorded: Project) -> None:
    changed = JOB.replace("name: parse, input", "name: parse, parallelism: 4, input")
    recorded.write("job.yaml", changed)
    line = changed.splitlines().index(next(text for text in changed.splitlines() if "parallelism: 4" in text)) + 1
    found = [finding for finding in recorded.findings("job.yaml") if finding.code == "PL001"]
    assert [finding.location.line for finding in found] == [line, line]
    assert all("CH009 different-parallelism: parallelism" in finding.message for finding in found)


def test_an_operator_between_two_chained_ones_that_breaks_them_is_found(recorded: Project) -> None:
    between = "  - {id: wide, type: map, name: wide, input: parse, parallelism: 4}\n  - {id: valid,"
    text = JOB.replace("  - {id: valid,", between).replace("name: valid, input: parse", "name: valid, input: wide")
    recorded.write("job.yaml", text)
    found = [finding for finding in recorded.findings("job.yaml") if finding.code == "PL001"]
    assert len(found) == 1
    assert "since wide is between them now" in found[0].message
    chained = text.replace(", parallelism: 4", "")
    recorded.write("job.yaml", chained)
    assert "PL001" not in recorded.codes("job.yaml")


def test_a_uid_hash_brings_the_old_state_back(recorded: Project) -> None:
    broken = JOB.replace("name: parse, input", "name: parse, parallelism: 4, input")
    recorded.write("job.yaml", broken)
    message = next(finding.message for finding in recorded.findings("job.yaml") if finding.code == "PL002")
    old = re.findall(r"\b[0-9a-f]{32}\b", message)[0]
    recorded.write("job.yaml", broken.replace("key_by: user}", f"key_by: user, uid_hash: '{old}'}}"))
    assert "PL002" not in recorded.codes("job.yaml")


def test_what_got_better_makes_the_baseline_stale(project: Project) -> None:
    project.write("job.yaml", JOB.replace("name: parse, input", "name: parse, parallelism: 4, input"))
    project.record("job.yaml")
    project.write("job.yaml", JOB)
    stale = [finding for finding in project.findings("job.yaml") if finding.code == "PL005"]
    assert len(stale) == 1
    assert "chains now" in stale[0].message
    project.record("job.yaml")
    assert project.codes("job.yaml", select=BASELINE_RULES) == []


def test_exchanged_operators_are_not_taken_for_each_other(project: Project) -> None:
    """Two pipelines that differ only in what they read: exchanged in the file, each would restore the other's state."""
    two = """
name: two
operators:
  - {id: a, type: source, format: json, path: a.json, schema: "k string, n bigint"}
  - {id: b, type: source, format: json, path: b.json, schema: "k string, n bigint"}
  - {id: sum_a, type: sum, input: a, key_by: k, field: n}
  - {id: sum_b, type: sum, input: b, key_by: k, field: n}
  - {id: out_a, type: print, input: sum_a}
  - {id: out_b, type: print, input: sum_b}
"""
    project.write("job.yaml", two)
    project.record("job.yaml")
    project.write("job.yaml", two.replace("a.json", "c.json").replace("b.json", "a.json").replace("c.json", "b.json"))
    found = [finding.operator for finding in project.findings("job.yaml") if finding.code == "PL002"]
    assert sorted(str(key) for key in found) == ["a", "b", "sum_a", "sum_b"]


# --- the file ------------------------------------------------------------------------------------------


def test_the_file_is_sorted_and_names_neither_lines_nor_the_machine(project: Project) -> None:
    project.write("jobs/b.yaml", JOB)
    project.write("jobs/a.yaml", JOB.replace("name: orders\n", "name: another\n", 1))
    text = project.record("jobs/b.yaml", "jobs/a.yaml")
    document = json.loads(text)
    assert list(document["jobs"]) == ["another", "orders"]
    assert document["jobs"]["orders"]["file"] == "jobs/b.yaml"
    operators = [entry["operator"] for entry in document["operators"] if entry["job"] == "orders"]
    assert operators == sorted(operators)
    assert "uid alerts" in operators
    assert "totals after valid" in operators
    assert str(project.folder) not in text
    assert not re.search(r'"(line|column|location)"', text)
    lines = [line.rstrip(",") for line in text.splitlines() if line.startswith("    ")]
    assert len(lines) == len(set(lines)) == 2 * (1 + 6 + 5), (
        "one line a job, an operator and an edge, none like another"
    )


def test_jobs_of_one_name_are_keyed_by_their_file(project: Project) -> None:
    project.write("a.yaml", JOB)
    project.write("b.yaml", JOB)
    assert list(json.loads(project.record("a.yaml", "b.yaml"))["jobs"]) == ["a.yaml", "b.yaml"]
    assert project.codes("a.yaml", "b.yaml", select=BASELINE_RULES) == []
    project.write("b.yaml", JOB.replace("key_by: country, uid: alerts", "key_by: country"))
    found = project.findings("a.yaml", "b.yaml", select=BASELINE_RULES)
    assert [(finding.code, finding.location.file.rpartition("/")[2]) for finding in found] == [("PL002", "b.yaml")]


def of_job(text: str, job: str) -> list[str]:
    return [line.rstrip(",") for line in text.splitlines() if f'"job": "{job}"' in line or f'    "{job}": ' in line]


def test_updating_adds_keeps_and_prunes(project: Project) -> None:
    project.write("a.yaml", JOB.replace("name: orders\n", "name: a\n", 1))
    project.write("b.yaml", JOB.replace("name: orders\n", "name: b\n", 1))
    project.record("a.yaml", "b.yaml")
    kept = of_job(project.lock.read_text(encoding="utf-8"), "b")
    project.write("a.yaml", JOB.replace("name: orders\n", "name: a\n", 1).replace("uid: alerts", "uid: alarms"))
    project.write("c.yaml", JOB.replace("name: orders\n", "name: c\n", 1))
    text = project.record("a.yaml", "c.yaml")
    assert list(json.loads(text)["jobs"]) == ["a", "b", "c"]
    assert of_job(text, "b") == kept
    assert [line for line in of_job(text, "a") if '"operator": "uid alarms"' in line]
    assert not [line for line in of_job(text, "a") if "uid alerts" in line]
    (project.folder / "b.yaml").unlink()
    assert list(json.loads(project.record("a.yaml"))["jobs"]) == ["a", "c"]


def test_other_jobs_entries_are_left_alone_unless_their_file_is_gone(project: Project) -> None:
    project.write("a.yaml", JOB.replace("name: orders\n", "name: a\n", 1))
    project.write("b.yaml", JOB.replace("name: orders\n", "name: b\n", 1))
    project.record("a.yaml", "b.yaml")
    assert project.codes("a.yaml", select=BASELINE_RULES) == []
    (project.folder / "b.yaml").unlink()
    found = project.findings("a.yaml", select=BASELINE_RULES)
    assert [finding.code for finding in found] == ["PL005"]
    assert found[0].location.file == str(project.lock)
    lines = project.lock.read_text(encoding="utf-8").splitlines()
    assert "b.yaml" in lines[found[0].location.line - 1]


def test_a_renamed_and_a_moved_job_keep_their_entry(recorded: Project) -> None:
    recorded.write("job.yaml", JOB.replace("name: orders\n", "name: purchases\n", 1))
    assert recorded.codes("job.yaml", select=BASELINE_RULES) == []
    (recorded.folder / "job.yaml").unlink()
    recorded.write("moved.yaml", JOB.replace("uid: alerts", "uid: alarms"))
    assert recorded.codes("moved.yaml", select=BASELINE_RULES) == ["PL002"]


def test_a_baseline_reads_back_as_it_was(recorded: Project) -> None:
    before = take_snapshot(plan(load_job_data(yaml.safe_load(JOB)), until="execution"))
    compared = compare(load_baseline(recorded.lock).jobs[0].snapshot, before)
    assert not (compared.lost or compared.added or compared.lost_edges or compared.added_edges)


# --- properties ------------------------------------------------------------------------------------------


def snapshot_of(job: Job) -> Snapshot:
    return take_snapshot(plan(load_job_data(job), until="execution"))


def recorded_in_a_baseline(snapshot: Snapshot) -> Snapshot:
    text = dump_baseline([BaselineJob(key="", file="job.yaml", snapshot=snapshot)])
    return parse_baseline(text, Path("plan.lock.json")).jobs[0].snapshot


@settings(max_examples=40)
@given(jobs())
def test_a_job_never_differs_from_its_own_baseline(job: Job) -> None:
    snapshot = snapshot_of(job)
    compared = compare(recorded_in_a_baseline(snapshot), snapshot)
    assert not (compared.lost or compared.added or compared.lost_edges or compared.added_edges)
    assert not compared.orphaned
    assert not compared.broken


@settings(max_examples=40)
@given(jobs(), st.randoms(use_true_random=False))
def test_renamed_ids_are_no_change(job: Job, random: st.RandomType) -> None:
    names = [operator["id"] for operator in job["operators"]]
    order = names[:]
    random.shuffle(order)
    renaming = {name: f"renamed {order[at]}" for at, name in enumerate(names)}
    renamed = json.loads(json.dumps(job), object_hook=lambda item: _rename(item, renaming))
    compared = compare(recorded_in_a_baseline(snapshot_of(job)), snapshot_of(renamed))
    assert not (compared.lost or compared.added or compared.orphaned or compared.broken)


def _rename(item: Job, names: dict[str, str]) -> Job:
    def changed(value: object) -> object:
        if isinstance(value, list):
            return [changed(each) for each in value]
        return names.get(value, value) if isinstance(value, str) else value

    return {key: changed(value) if key in ("id", "input", "inputs", "from") else value for key, value in item.items()}


@settings(max_examples=40)
@given(jobs(), st.data())
def test_with_uids_everywhere_no_change_of_chaining_orphans_state(job: Job, data: st.DataObject) -> None:
    for operator in job["operators"]:
        operator["uid"] = f"uid {operator['id']}"
    changed = copy.deepcopy(job)
    changed["chaining"] = not job["chaining"]
    compared = compare(recorded_in_a_baseline(snapshot_of(job)), snapshot_of(changed))
    assert not compared.orphaned
    assert len(compared.operators) == len(compared.old.operators)


@settings(max_examples=40)
@given(jobs(), st.data())
def test_a_removed_sink_is_the_only_operator_lost(job: Job, data: st.DataObject) -> None:
    for operator in job["operators"]:
        operator["name"] = f"name of {operator['id']}"
    ends = [operator for operator in job["operators"] if operator["id"].startswith("end of")]
    read = json.dumps([operator.get("inputs", operator.get("input")) for operator in job["operators"]])
    gone = data.draw(st.sampled_from(ends))
    assume(read.count(f'"{gone["input"]}"') > 1)
    less = {**job, "operators": [operator for operator in job["operators"] if operator is not gone]}
    compared = compare(recorded_in_a_baseline(snapshot_of(job)), snapshot_of(less))
    assert {compared.old.operators[at].name for at in compared.lost} == {f"Sink: name of {gone['id']}"}
    assert not compared.added


# --- several jobs in one Python file ----------------------------------------------------------------------

TWO = """
from planner import StreamExecutionEnvironment
for name in ("first", "second"):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([("a", 1)]).key_by(lambda pair: pair[0]).sum(1).uid("sum").print()
    env.execute(name)
"""


def test_one_of_several_jobs_of_a_file_leaves_the_others_alone(project: Project) -> None:
    project.write("jobs.py", TWO)
    both = project.record("jobs.py")
    assert project.codes("jobs.py:second", select=BASELINE_RULES) == []
    assert project.codes("jobs.py", select=BASELINE_RULES) == []
    project.write("jobs.py", TWO.replace('("first", "second")', '("second",)'))
    assert project.codes("jobs.py", select=BASELINE_RULES) == ["PL005"]
    assert list(json.loads(both)["jobs"]) == ["first", "second"]
    assert list(json.loads(project.record("jobs.py"))["jobs"]) == ["second"]


@pytest.mark.parametrize(
    ("key", "found"),
    [("lambda each: each[0]", []), ("lambda  pair : (pair[0])", []), ("lambda pair: pair[1]", ["PL006", "PL006"])],
)
def test_a_key_is_known_by_what_it_computes(project: Project, key: str, found: list[str]) -> None:
    project.write("jobs.py", TWO)
    project.record("jobs.py")
    project.write("jobs.py", TWO.replace("lambda pair: pair[0]", key))
    assert project.codes("jobs.py", select=BASELINE_RULES) == found


# --- merging ---------------------------------------------------------------------------------------------------------


def test_changes_of_different_jobs_merge_and_of_the_same_lines_conflict(project: Project) -> None:
    def named(name: str) -> str:
        return JOB.replace("name: orders\n", f"name: {name}\n", 1)

    def record(name: str, **files: str) -> Path:
        for job, text in files.items():
            project.write(f"{job}.yaml", text)
        project.lock.unlink(missing_ok=True)
        path = project.folder / name
        path.write_text(project.record(*(f"{job}.yaml" for job in files)), encoding="utf-8")
        return path

    def merged(theirs: Path) -> subprocess.CompletedProcess[str]:
        merge = ["git", "merge-file", "-p", str(ours), str(base), str(theirs)]
        return subprocess.run(merge, capture_output=True, text=True, check=False)

    changed_a = named("a").replace("uid: orders", "uid: source")
    changed_z = named("z").replace("uid: alerts", "uid: alarms")
    base = record("base", a=named("a"), c=named("c"), z=named("z"))
    ours = record("ours", a=changed_a, b=named("b"), c=named("c"), z=named("z"))
    theirs = record("theirs", a=named("a"), c=named("c"), d=named("d"), z=changed_z)
    wanted = record("wanted", a=changed_a, b=named("b"), c=named("c"), d=named("d"), z=changed_z)
    assert merged(theirs).returncode == 0
    assert merged(theirs).stdout == wanted.read_text(encoding="utf-8")
    other_a = record("theirs", a=named("a").replace("uid: orders", "uid: other"), c=named("c"), z=named("z"))
    assert merged(other_a).returncode > 0


def test_a_baseline_that_lies_elsewhere_names_files_as_the_repository_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = []
    for place in ("one", "deep/er/two"):
        project = Project(tmp_path / place / "repository")
        (project.folder / ".git").mkdir()
        project.write("jobs/job.yaml", JOB)
        project.lock = tmp_path / place / "locks" / "plan.lock.json"
        project.lock.parent.mkdir()
        monkeypatch.chdir(project.folder / "jobs")
        texts.append(project.record("jobs/job.yaml"))
        assert project.codes("jobs/job.yaml", select=BASELINE_RULES) == []
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["jobs"]["orders"]["file"] == "jobs/job.yaml"
