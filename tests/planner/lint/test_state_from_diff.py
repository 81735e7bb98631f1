"""Whatever `plan diff` calls state-breaking is a finding of `plan lint`, from the same comparison."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from planner.diff.changes import find_changes
from planner.diff.comparison import compare
from planner.frontends.yaml.loader import load_job_data
from planner.job import JobDefinition
from planner.lint.registry import RULES
from planner.lint.rule import Subject
from planner.pipeline import plan
from planner.settings.pyproject import Config
from planner.snapshots.snapshot import take_snapshot
from tests.planner.diff.test_changes import CASES, JOB
from tests.support.project import Project
from tests.support.strategies import Job, jobs

STATE_RULES = {"PL002", "PL003", "PL006"}


def errors(before: JobDefinition, after: JobDefinition) -> tuple[bool, set[str]]:
    """Whether the change breaks state by `diff`, and the errors on state by `lint`."""
    compiled = plan(after, until="execution")
    compared = compare(take_snapshot(plan(before, until="execution")), take_snapshot(compiled))
    subject = Subject(plan=compiled, config=Config(), comparison=compared, codes=frozenset(STATE_RULES))
    rules = [rule for rule in RULES if rule.code in STATE_RULES and rule.find is not None]
    found = [finding for rule in rules for finding in (rule.find(rule, subject) if rule.find else ())]
    breaks = any(change.level == "state-breaking" for change in find_changes(compared))
    return breaks, {finding.code for finding in found if finding.severity == "error"}


@settings(max_examples=60, deadline=None)
@given(jobs(), jobs())
def test_lint_speaks_exactly_where_diff_does(before: Job, after: Job) -> None:
    breaking, found = errors(load_job_data(before), load_job_data(after))
    assert bool(found) is breaking


@pytest.mark.parametrize(
    "what", [name for name, (_, _, change) in CASES.items() if change and change[0] == "state-breaking"]
)
def test_every_known_change_that_breaks_state_is_an_error(project: Project, what: str) -> None:
    before, after, _ = CASES[what]
    project.write("job.yaml", JOB)
    project.record("job.yaml")
    project.write("job.yaml", JOB.replace(before, after))
    found = project.findings("job.yaml")
    assert STATE_RULES & {finding.code for finding in found if finding.severity == "error"}


WINDOWED = """\
from planner import KeyedProcessFunction, StreamExecutionEnvironment, Time, TumblingEventTimeWindows, WatermarkStrategy

class {name}(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value

env = StreamExecutionEnvironment.get_execution_environment()
env.set_max_parallelism(128)
timed = env.from_collection([1]).uid("s").assign_timestamps_and_watermarks(
    WatermarkStrategy.for_monotonous_timestamps()).uid("t")
keyed = timed.key_by(lambda v: v).window(TumblingEventTimeWindows.of(Time.minutes({minutes}))).reduce(max).uid("w")
keyed.key_by(lambda v: -v).process({name}()).uid("p").print().uid("out")
env.execute("windows")
"""


@pytest.mark.parametrize(
    ("change", "words"),
    [({"minutes": 10}, "window.size 5min -> 10min"), ({"name": "Renamed"}, "function Original -> Renamed")],
)
def test_a_windows_size_and_a_renamed_class_are_found(project: Project, change: dict[str, object], words: str) -> None:
    project.write("job.py", WINDOWED.format(name="Original", minutes=5))
    project.record("job.py")
    assert project.findings("job.py") == []
    project.write("job.py", WINDOWED.format(**{"name": "Original", "minutes": 5, **change}))
    (found,) = project.findings("job.py")
    assert (found.code, found.severity) == ("PL007", "warning"), "Flink restores it: another result"
    assert words in found.message and "--update-baseline" in (found.fix or "")


def test_the_way_out_of_an_unset_max_parallelism_ends(project: Project) -> None:
    """PL107 names the value that keeps the state; taking it leaves nothing to say; another one says how to go back."""
    unset = JOB.replace("max_parallelism: 128\n", "")
    project.write("job.yaml", unset)
    project.record("job.yaml")
    (found,) = project.findings("job.yaml")
    assert found.code == "PL107"
    assert "set max_parallelism on the job to 128" in (found.fix or "")
    project.write("job.yaml", JOB)
    assert project.findings("job.yaml") == []
    project.write("job.yaml", JOB.replace("max_parallelism: 128", "max_parallelism: 720"))
    (found,) = project.findings("job.yaml")
    assert found.code == "PL006", "one cause, one finding, for all operators"
    assert "set the max parallelism to 128" in (found.fix or "")


def test_only_a_uid_that_was_added_is_named_as_the_cause(project: Project) -> None:
    text = """
name: joined
operators:
  - {id: a, type: source, uid: a}
  - {id: b, type: source}
  - {id: m, type: map, input: b}
  - {id: j, type: co_map, inputs: [a, m]}
  - {id: n, type: map, input: m}
  - {id: k, type: sum, input: n, key_by: x}
  - {id: out, type: print, input: k}
  - {id: out2, type: print, input: j}
"""
    project.write("job.yaml", text)
    project.record("job.yaml")
    project.write("job.yaml", text.replace("inputs: [a, m]", "inputs: [a, m], uid: j"))
    messages = [finding.message for finding in project.findings("job.yaml") if finding.code == "PL002"]
    for message in messages:
        assert "were added" not in message and "reordered" not in message
        assert "The uid of Co-Map (j) changed" in message
