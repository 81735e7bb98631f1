"""The YAML front end: ids in Flink's order, and every mistake refused with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.yaml.loader import load_job_data, load_yaml
from planner.job import Join, Operator, Partition, Reader, SideOutput, Union, Window


def job(tmp_path: Path, text: str | bytes):
    path = tmp_path / "job.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_yaml(path, "job.yaml")


def refused(tmp_path: Path, text: str | bytes) -> str:
    with pytest.raises(JobDefinitionError) as caught:
        job(tmp_path, text)
    assert caught.value.location is not None
    return str(caught.value)


def test_virtual_transformations_take_ids_before_their_operator() -> None:
    loaded = load_job_data(
        {
            "operators": [
                {"id": "a", "type": "source"},
                {"id": "b", "type": "process", "input": "a"},
                {
                    "id": "c",
                    "type": "co_process",
                    "key_by": ["x", "y"],
                    "inputs": [["a", {"from": "b", "side_output": "late", "partition": "rescale"}], "b"],
                },
                {"id": "d", "type": "print", "input": ["c"]},
            ]
        }
    )
    forms = [(t.id, type(t)) for t in loaded.transformations]
    assert forms == [
        (1, Operator), (2, Operator), (3, SideOutput), (4, Partition), (5, Union), (6, Partition), (7, Partition),
        (8, Operator), (9, Operator),
    ]  # fmt: skip
    assert loaded.by_id[8].inputs == (6, 7)
    assert (loaded.by_id[6].key_columns, loaded.by_id[7].key_columns) == (("x",), ("y",))


def test_multi_input_takes_its_id_before_its_inputs() -> None:
    loaded = load_job_data(
        {
            "operators": [
                {"id": "a", "type": "source"},
                {"id": "m", "type": "multi_input", "inputs": [{"from": "a", "partition": "shuffle"}, "a"]},
            ]
        }
    )
    assert [(t.id, type(t)) for t in loaded.transformations] == [(1, Operator), (2, Operator), (3, Partition)]
    assert loaded.by_id[2].inputs == (3, 1)


def test_a_later_operator_may_be_named_and_the_rest_keeps_document_order() -> None:
    operators = [
        {"id": "out", "type": "print", "input": "m"},
        {"id": "s", "type": "source"},
        {"id": "t", "type": "source"},
        {"id": "m", "type": "map", "input": "s"},
    ]
    assert [o.key for o in load_job_data({"operators": operators}).operators] == ["s", "t", "m", "out"]


def test_run_time_keys_become_behaviours(tmp_path: Path) -> None:
    loaded = job(
        tmp_path,
        """
name: orders
restart_strategy: {type: fixed-delay, attempts: 3, delay: 10s}
operators:
  - {id: o, type: source, format: kafka, schema: "id bigint, at timestamp", options: {startingOffsets: earliest}}
  - {id: w, type: window_reduce, input: o, key_by: id, window: {sliding: 10s, every: 5s}, time: at, watermark: 1 min,
     function: "./f.py:add", ignore: {PL101: no state worth keeping}}
  - {id: j, type: co_process, inputs: [w, o], key_by: id, join: left, select: {id: id, n: 1}}
  - {id: k, type: sink, input: j, format: noop}
""",
    )
    source, window, join, _ = loaded.operators
    assert isinstance(source.behaviour, Reader) and not source.bounded and source.output == "id bigint, at timestamp"
    assert isinstance(window.behaviour, Window)
    assert (window.behaviour.size, window.behaviour.slide, window.behaviour.watermark) == (10_000, 5_000, 60_000)
    assert window.ignores == (("PL101", "no state worth keeping"),)
    assert join.behaviour == Join(how="left", select=(("id", "id"), ("n", "1")))
    assert loaded.restart_strategy is not None and loaded.restart_strategy.delay == 10_000
    assert str(join.location) == "job.yaml:8:5"


def test_scalars_follow_yaml_1_2(tmp_path: Path) -> None:
    loaded = job(tmp_path, "operators:\n- {id: no, type: source, collection: [no, on, 1:30, 012, 2024-01-01]}\n")
    assert loaded.operators[0].key == "no"
    assert loaded.operators[0].behaviour.records == ("no", "on", "1:30", 12, "2024-01-01")


S = "operators:\n- {id: s, type: source}\n"


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("", "1:1", "empty"),
        ("- a", "1:1", "a list"),
        ("operators: []", "1:12", "nothing to execute"),
        ("paralelism: 1\n" + S, "1:1", "`parallelism`"),
        ("name: a\nname: b\n" + S, "2:1", "written twice"),
        ('parallelism: "4"\n' + S, "1:14", "remove the quotes"),
        ("parallelism: true\n" + S, "1:14", "whole number"),
        ("parallelism: 0\n" + S, "1:14", "at least 1"),
        ("max_parallelism: 32769\n" + S, "1:18", "at most 32768"),
        ("runtime_mode: bacth\n" + S, "1:15", "`batch`"),
        (S + "- {id: s, type: source}", "3:8", "taken"),
        (S + "- {id: m, type: mapp, input: s}", "3:17", "`map`"),
        (S + "- {id: m, type: map, input: z}", "3:29", "unknown input"),
        (S + "- {id: m, type: map}", "3:17", "`input`"),
        (S + "- {id: m, type: map, input: s, where: x}", "3:32", "filter"),
        (S + "- {id: m, type: sum, input: s}", "3:17", "key_by"),
        (S + "- {id: m, type: map, input: {from: s, exchange: batch}}", "3:49", "without `partition`"),
        (S + "- {id: m, type: map, input: {from: [s, s], side_output: x}}", "3:57", "side outputs"),
        (S + "- {id: c, type: co_map, inputs: [s]}", "3:33", "two inputs"),
        (S + "- {id: m, type: map, input: s, uid_hash: xyz}", "3:42", "32 hexadecimal"),
        (S + "- {id: k, type: sink, api: v2, input: s, uid_hash: 0123456789abcdef0123456789abcdef}", "3:52", "v2 sink"),
        (S + "- {id: k, type: print, input: s, chaining: start_new}", "3:44", "new chain"),
        (S + "- {id: t, type: source, input: s}", "3:25", "`input`"),
        (S + "- {id: t, type: source, legacy: true, parallel: false, parallelism: 3}", "3:69", "one subtask"),
        (S + "- {id: k, type: print, input: s}\n- {id: m, type: map, input: k}", "4:29", "sink"),
        (S + "- {id: a, type: map, input: c}\n- {id: b, type: map, input: a}\n- {id: c, type: map, input: b}", "3:29",
         "a -> b -> c -> a"),
        ("a: !!python/object:os.system x", "1:4", "only ever loaded as data"),
        ("name: [", "2:1", "not valid YAML"),
    ],
)  # fmt: skip
def test_a_mistake_has_its_place_and_the_next_step(tmp_path: Path, text: str, place: str, says: str) -> None:
    message = refused(tmp_path, text)
    assert message.startswith(f"job.yaml:{place}: ")
    assert says in message


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 200_000,
        b"{a: " * 200_000,
        b"- " * 200_000,
        b"a: \0",
        b"name: \xff\n",
        b"name: " + b"x" * 2_000_000,
        b"a: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (98 + i, 98 + i, b",".join([b"*%c" % (97 + i)] * 9)) for i in range(9)),
        b"a: &a [*a]",
    ],
)
def test_hostile_files_end_in_one_message(tmp_path: Path, text: bytes) -> None:
    assert refused(tmp_path, text).startswith("job.yaml:")


def test_twenty_thousand_operators_backwards() -> None:
    chain = [{"id": f"m{i}", "type": "map", "input": f"m{i - 1}"} for i in range(20_000, 0, -1)]
    loaded = load_job_data({"operators": [*chain, {"id": "m0", "type": "source"}]})
    assert [o.id for o in loaded.operators] == list(range(1, 20_002))


ROOT = Path(__file__).parents[4]
WINDOWED = """operators:
  - {id: o, type: source}
  - {id: w, type: window_reduce, input: o, key_by: id, %s}
  - {id: p, type: print, input: w}
"""


def test_the_windows_of_the_documents_are_read(tmp_path: Path) -> None:
    page = (ROOT / "docs/job-format.md").read_text(encoding="utf-8")
    shapes = [line for line in page.splitlines() if line.startswith("window: {")]
    assert {job(tmp_path, WINDOWED % shape).operators[1].behaviour.assigner for shape in shapes} == {
        "tumbling",
        "sliding",
        "session",
    }
    (example,) = [block for block in page.split("```yaml\n") if block.startswith("- {id: hourly")]
    example = "\n".join(f"  {line}" for line in example.partition("```")[0].splitlines())
    loaded = job(tmp_path, f"operators:\n  - {{id: orders, type: source}}\n{example}\n")
    assert loaded.operators[1].behaviour.offset == 900_000


@pytest.mark.parametrize(
    "window",
    ["tumbling", "{type: tumbling, size: 5s}", "{tumblin: 5s}", "{sliding: 5s}", "{tumbling: 5s, session: 5s}"],
)
def test_every_mistake_in_a_window_shows_its_shapes(tmp_path: Path, window: str) -> None:
    shapes = "write {tumbling: 5s}, {sliding: 10s, every: 5s} or {session: 30s}"
    assert shapes in refused(tmp_path, WINDOWED % f"window: {window}")
