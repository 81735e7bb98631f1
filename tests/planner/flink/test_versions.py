"""Flink's versions: what each profile says, and which options and calls it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner import StreamExecutionEnvironment, load_plan, plan
from planner.errors import JobDefinitionError, OptionError, PlanningError
from planner.flink.differences import DIFFERENCES, flink
from planner.flink.option_spans import option_span
from planner.flink.versions import NEWEST, RELEASES, VERSIONS, read_version
from planner.frontends.yaml.loader import load_job_data

JOIN: dict[str, Any] = {
    "name": "join",
    "parallelism": 3,
    "operators": [
        {"id": "a", "type": "source"},
        {"id": "b", "type": "source"},
        {"id": "j", "type": "co_process", "inputs": ["a", "b"], "key_by": "k"},
        {"id": "out", "type": "sink", "api": "v2", "committer": True, "input": "j"},
    ],
}


def with_options(**options: Any) -> Any:
    return load_job_data({**JOIN, "options": options})


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_and_its_releases_have_a_profile(version: str) -> None:
    assert flink(version) == flink(RELEASES[version]) == flink(flink(version))
    assert flink(version).version == version
    assert [getattr(flink(version), known.field) for known in DIFFERENCES] == [
        known.at(version) for known in DIFFERENCES
    ]


def test_no_version_is_the_newest() -> None:
    assert flink() == flink(NEWEST) == flink("2.3")
    assert plan(load_job_data(JOIN)).flink.version == "2.3"


@pytest.mark.parametrize("written", ["1.17", "3.0", "2", "latest", "", "1.2"])
def test_other_versions_are_refused_with_the_list(written: str) -> None:
    with pytest.raises(OptionError, match="no Flink version") as refusal:
        read_version(written)
    assert "1.18, 1.19, 1.20" in (refusal.value.hint or "")


@pytest.mark.parametrize(
    ("version", "strategy"), [("1.18", "HEAD"), ("1.20", "HEAD"), ("2.0", "ALWAYS"), ("2.3", "ALWAYS")]
)
def test_two_inputs_start_a_chain_before_2_0(version: str, strategy: str) -> None:
    document = plan(load_job_data(JOIN), flink=version).to_dict()
    node = document["stream_graph"]["nodes"][2]
    codes = [edge["obstacles"] for edge in document["stream_graph"]["edges"][:2]]
    assert node["chaining_strategy"] == strategy
    assert codes == [["CH002", *(["CH005"] if strategy == "HEAD" else []), "CH007"]] * 2


@pytest.mark.parametrize(("version", "parallelism"), [("1.18", 3), ("1.19", -1), ("2.3", -1)])
def test_batch_sinks_have_the_jobs_parallelism_in_1_18(version: str, parallelism: int) -> None:
    made = plan(load_job_data({**JOIN, "runtime_mode": "batch"}), flink=version)
    assert made.job_graph is not None
    assert made.job_graph.vertices[-1].name == "Sink: Committer"
    assert made.job_graph.vertices[-1].parallelism == parallelism


@pytest.mark.parametrize(
    ("key", "version", "known", "instead"),
    [
        ("cluster.evenly-spread-out-slots", "2.0", "up to 1.20", "taskmanager.load-balance.mode"),
        ("taskmanager.load-balance.mode", "1.18", "since 1.19", "cluster.evenly-spread-out-slots"),
        ("taskmanager.network.memory.buffers-per-channel", "2.3", "up to 1.20", None),
        (
            "jobmanager.adaptive-batch-scheduler.min-parallelism",
            "2.1",
            "up to 1.20",
            "execution.batch.adaptive.auto-parallelism.min-parallelism",
        ),
        ("execution.checkpointing.dir", "1.19", "since 1.20", "state.checkpoints.dir"),
        ("state.backend.forst.cache.dir", "1.20", "since 2.0", None),
        ("execution.async-state.buffer-size", "2.0", "only Flink 1.20", None),
    ],
)
def test_an_option_that_a_version_lacks_is_refused(key: str, version: str, known: str, instead: str | None) -> None:
    with pytest.raises(PlanningError) as refusal:
        plan(with_options(**{key: "none"}), flink=version)
    assert f"Flink {version} has no option `{key}`" in refusal.value.message
    assert known in refusal.value.message
    assert refusal.value.location is not None
    hint = refusal.value.hint or ""
    assert (f"use `{instead}`" if instead else "remove it") in hint
    assert "--flink" in hint


@pytest.mark.parametrize("key", ["pipeline.jars", "taskmanager.numberOfTaskSlots", "my.own.setting"])
def test_options_of_all_versions_and_of_none_are_left_alone(key: str) -> None:
    assert option_span(key) is None
    for version in VERSIONS:
        plan(with_options(**{key: "1"}), flink=version)


@pytest.mark.parametrize(("mode", "first"), [("SLOTS", "1.19"), ("MIN_RESOURCES", "2.1"), ("TASKS", "2.2")])
def test_load_balance_modes_came_one_by_one(mode: str, first: str) -> None:
    job = with_options(**{"taskmanager.load-balance.mode": mode})
    plan(job, flink=first)
    with pytest.raises(PlanningError, match=r"taskmanager\.load-balance\.mode"):
        plan(job, flink=VERSIONS[VERSIONS.index(first) - 1])


def test_a_call_that_a_version_lacks_is_refused_where_it_is_made() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_data(1, 2, 3).print()
    job = env.build("numbers")
    assert plan(job, flink="1.19").stream_graph.nodes[0].name == "Source: Collection Source"
    with pytest.raises(PlanningError, match=r"Flink 1\.18 has no from_data\(\): Flink has it since 1\.19") as refusal:
        plan(job, flink="1.18")
    assert refusal.value.location == job.calls[0][1]
    assert refusal.value.location.file.endswith("test_versions.py")


@pytest.mark.parametrize("call", ["iterate", "full_window_partition"])
def test_calls_that_are_never_compiled_say_which_versions_have_them(call: str) -> None:
    stream = StreamExecutionEnvironment.get_execution_environment().from_collection([1])
    with pytest.raises(JobDefinitionError, match="not planned here in any version"):
        getattr(stream, call)()


def test_load_plan_takes_a_version(tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(
        "operators:\n  - {id: a, type: source}\n  - {id: m, type: co_map, inputs: [a, a]}\n", encoding="utf-8"
    )
    strategies = {v: load_plan(path, flink=v).stream_graph.nodes[1].chaining_strategy for v in ("1.20", "2.3")}
    assert strategies == {"1.20": "HEAD", "2.3": "ALWAYS"}
    assert load_plan(path).to_dict() == load_plan(path, flink="2.3").to_dict()


def labelled(kind: str, **settings: Any) -> Any:
    source = {"id": "s", "type": "source", **(settings if kind == "source" else {})}
    reader = {"id": "m", "type": kind, "input": "s", **settings}
    return load_job_data(
        {"operators": [source, reader if kind != "source" else {"id": "m", "type": "map", "input": "s"}]}
    )


@pytest.mark.parametrize(("kind", "label"), [("map", "name"), ("map", "uid"), ("sink", "uid"), ("source", "uid")])
def test_empty_labels_are_refused_since_2_0(kind: str, label: str) -> None:
    job = labelled(kind, **{label: ""})
    plan(job, flink="1.20")
    with pytest.raises(
        PlanningError, match=rf"the {label} of [sm] must not be empty: Flink 2\.0 refuses it"
    ) as refusal:
        plan(job, flink="2.0")
    assert refusal.value.location
    assert refusal.value.hint


@pytest.mark.parametrize(
    ("kind", "name"), [("source", "Source:  -> Map"), ("print", "Source: Custom Source -> Sink: ")]
)
def test_sources_and_sinks_may_be_called_nothing(kind: str, name: str) -> None:
    job_graph = plan(labelled(kind, name="")).job_graph
    assert job_graph is not None
    assert [vertex.name for vertex in job_graph.vertices] == [name]


def test_an_empty_group_is_a_group() -> None:
    job_graph = plan(labelled("map", slot_sharing_group="", co_location_group="")).job_graph
    assert job_graph is not None
    assert [vertex.slot_sharing_group for vertex in job_graph.vertices] == ["default", ""]
    assert job_graph.vertices[1].co_location_group == ""


@pytest.mark.parametrize(("version", "kept"), [("1.18", None), ("1.19", "c"), ("2.3", "c")])
def test_1_18_loses_the_co_location_group_of_a_sink(version: str, kept: str | None) -> None:
    nodes = plan(labelled("sink", api="v2", co_location_group="c"), flink=version).stream_graph.nodes
    assert nodes[1].co_location_group == kept
