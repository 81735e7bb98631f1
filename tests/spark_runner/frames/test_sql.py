"""SQL operators, joins, readers and writers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planner.errors import ExecutionError, PlanError
from planner.frontends.loading import load_job


def job_of(folder: Path, text: str) -> Any:
    path = folder / "job.yaml"
    path.write_text(text, encoding="utf-8")
    return load_job(path)


EVENTS = [("a", 1, 5), ("b", 2, None), ("a", 3, 7), ("ü", 4, 1), (None, 5, 2), ("a", 6, 0)]


@pytest.fixture
def events(tmp_path: Path) -> Path:
    rows = [{"k": k, "at": at * 1000, "v": v} for k, at, v in EVENTS]
    (tmp_path / "events.json").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("chaining", ["true", "false"])
@pytest.mark.parametrize("parallelism", [1, 2, 7])
def test_sql_operators(run: Any, events: Path, parallelism: int, chaining: str) -> None:
    job = job_of(
        events,
        f"""
parallelism: {parallelism}
chaining: {chaining}
operators:
  - {{id: in, type: source, format: json, path: events.json, schema: "k string, at bigint, v int"}}
  - {{id: some, type: filter, input: in, where: "v is not null"}}
  - {{id: doubled, type: map, input: some, select: {{k: k, v: "v * 2", s: "concat(k, '!')"}}}}
  - {{id: letters, type: flat_map, input: doubled, explode: "split(s, '')", as: letter}}
  - {{id: p1, type: print, input: letters}}
  - {{id: total, type: sum, input: doubled, key_by: k, field: v}}
  - {{id: p2, type: print, input: total}}
  - {{id: least, type: min, input: some, key_by: k, field: v, parallelism: 3}}
  - {{id: p3, type: print, input: least, parallelism: 3}}
  - {{id: most, type: max, input: {{from: in, partition: rebalance}}, key_by: [k], field: at}}
  - {{id: p4, type: print, input: most}}
""",
    )
    done = run(job)
    some = [(k, v) for k, _, v in EVENTS if v is not None]
    letters = [c for k, _ in some if k is not None for c in k + "!"]
    assert done.printed["p1"] == Counter(f"+I[{c}]" for c in letters)
    totals: Counter[Any] = Counter()
    for k, v in some:
        totals[k] += v * 2
    text = {k: f"+I[{k or 'null'}, {v}, {k + '!' if k else 'null'}]" for k, v in totals.items()}
    assert done.printed["p2"] == Counter(text.values())
    assert {line.split(", ")[0] + line.split(", ")[2] for line in done.printed["p3"]} == {
        "+I[a0]",
        "+I[ü1]",
        "+I[null2]",
    }
    assert {tuple(line[3:-1].split(", ")[:2]) for line in done.printed["p4"]} == {
        ("a", "6000"), ("b", "2000"), ("ü", "4000"), ("null", "5000"),
    }  # fmt: skip
    assert done.counts == {
        "in": (0, 6), "some": (6, 5), "doubled": (5, 5), "letters": (5, len(letters)), "p1": (len(letters), 0),
        "total": (5, 3), "p2": (3, 0), "least": (5, 3), "p3": (3, 0), "most": (6, 4), "p4": (4, 0),
    }  # fmt: skip


@pytest.mark.parametrize("how", ["inner", "left", "right", "full"])
def test_joins(run: Any, tmp_path: Path, how: str) -> None:
    left = [("a", 1), ("a", 2), ("b", 3), ("c", 4)]
    right = [("a", "x"), ("b", "y"), ("d", "z")]
    job = job_of(
        tmp_path,
        f"""
parallelism: 2
operators:
  - {{id: l, type: source, collection: {json.dumps(left)}, schema: "k string, n int"}}
  - {{id: r, type: source, collection: {json.dumps(right)}, schema: "id string, t string"}}
  - {{id: j, type: co_process, inputs: [l, r], key_by: [k, id], join: {how}, select: {{n: n, t: "right.t"}}}}
  - {{id: out, type: print, input: j}}
""",
    )
    pairs = [(n, t) for k, n in left for i, t in right if k == i]
    if how in ("left", "full"):
        pairs += [(n, None) for k, n in left if k not in dict(right)]
    if how in ("right", "full"):
        pairs += [(None, t) for i, t in right if i not in dict(left)]
    done = run(job)
    assert done.printed["out"] == Counter(f"+I[{n or 'null'}, {t or 'null'}]" for n, t in pairs)
    assert done.counts["j"] == (7, len(pairs))


def test_time_column_and_python_functions_of_a_module_beside_the_job(run: Any, events: Path) -> None:
    (events / "beside_sql_test.py").write_text("def plus(a, b):\n    return (a.k, a['at'], (a.v or 0) + (b[2] or 0))\n")
    job = job_of(
        events,
        """
parallelism: 2
operators:
  - {id: in, type: source, format: json, path: events.json, schema: "k string, at bigint, v int"}
  - {id: ms, type: map, input: in, select: {k: k, at: "timestamp_millis(at)", v: v}}
  - id: w
    type: window_reduce
    input: ms
    key_by: k
    window: {tumbling: 4s}
    time: at
    function: "./beside_sql_test.py:plus"
  - {id: n, type: map, input: w, select: {k: k, v: v}}
  - {id: out, type: print, input: n}
""",
    )
    done = run(job)
    assert done.printed["out"] == Counter(["+I[a, 12]", "+I[a, 0]", "+I[b, null]", "+I[ü, 1]", "+I[null, 2]"])


def test_writers_are_all_or_nothing(run: Any, spark: Any, events: Path) -> None:
    text = """
operators:
  - {id: in, type: source, format: json, path: events.json, schema: "k string, at bigint, v int"}
  - {id: good, type: sink, input: in, format: parquet, path: good, mode: MODE}
  - {id: bad, type: map, input: in, select: {x: "10 div v"}}
  - {id: out, type: sink, input: bad, format: json, path: out, mode: MODE}
"""
    with pytest.raises(ExecutionError) as caught:
        run(job_of(events, text.replace("MODE", "error")))
    assert caught.value.operator == "bad"
    assert sorted(p.name for p in events.iterdir()) == ["events.json", "job.yaml"]
    fine = text.replace("10 div v", "v")
    run(job_of(events, fine.replace("MODE", "error")))
    assert spark.read.parquet(str(events / "good")).count() == 6
    with pytest.raises(ExecutionError, match="exists already"):
        run(job_of(events, fine.replace("MODE", "error")))
    run(job_of(events, fine.replace("MODE", "append")))
    assert spark.read.parquet(str(events / "good")).count() == 12
    done = run(job_of(events, fine.replace("MODE", "overwrite")))
    assert spark.read.parquet(str(events / "good")).count() == 6
    assert sorted(p.name for p in events.iterdir()) == ["events.json", "good", "job.yaml", "out"]
    assert {s.operator: s.records for s in done.result.sinks} == {"good": 6, "out": 6}


MISTAKES = {
    "s": ("{id: s, type: source, format: csv, path: none.csv}", "does not exist"),
    "f": ("{id: f, type: filter, input: in, where: nope > 1}", "nope"),
    "g": ("{id: g, type: filter, input: in, where: 'v >'}", "yntax"),
    "t": ("{id: t, type: sum, input: in, key_by: k, field: x}", "'x'"),
    "u": ("{id: u, type: sum, input: in, key_by: q, field: v}", "q"),
    "n": ("{id: n, type: sum, input: in, key_by: v, field: k}", "added up"),
    "c": ("{id: c, type: source, collection: [[1, 2]], schema: 'a int, b string'}", "(a=1, b=2)"),
    "m": ("{id: m, type: map, input: in, select: {x: '10 div v'}}", "zero"),
    "j": ("{id: j, type: source, format: json, path: events.json, schema: 'k int'}", "does not fit its schema"),
    "x": ("{id: x, type: source, format: csv, path: events.json, schema: 'k int'}", "events.json"),
    "p": ("{id: p, type: source, format: parquet, path: events.json, schema: 'k int'}", "is not a Parquet file"),
    "y": ("{id: y, type: source, format: jsn, path: events.json}", "jsn"),
    "d": ("{id: d, type: map, input: in, function: 'builtins:str', output: 'value strin'}", "STRIN"),
    "w": (
        "{id: w, type: window_reduce, input: in, key_by: k, window: {tumbling: 1s}, time: k, function: 'builtins:max'}",
        "'a'",
    ),
}


def test_two_sinks_of_one_folder_must_both_append(run: Any, events: Path, spark: Any) -> None:
    text = """
operators:
  - {id: in, type: source, format: json, path: events.json, schema: "k string, at bigint, v int"}
  - {id: one, type: sink, input: in, format: parquet, path: both, mode: MODE}
  - {id: two, type: sink, input: in, format: parquet, path: ./both/, mode: MODE}
"""
    with pytest.raises(ExecutionError, match="'one' and 'two' both write to"):
        run(job_of(events, text.replace("MODE", "overwrite").replace("./both/", "both/")))
    assert not (events / "both").exists()
    run(job_of(events, text.replace("MODE", "append")))
    assert spark.read.parquet(str(events / "both")).count() == 2 * len(EVENTS)


def test_records_that_do_not_fit_are_nulls_only_where_that_is_asked_for(run: Any, events: Path) -> None:
    source = "{id: in, type: source, format: json, path: events.json, schema: 'k int, v int', options: {mode: MODE}}"
    text = f"operators:\n  - {source}\n  - {{id: o, type: print, input: in}}\n"
    permissive = run(job_of(events, text.replace("MODE", "PERMISSIVE")))
    assert permissive.counts["in"] == (0, len(EVENTS))
    assert permissive.printed["o"]["+I[null, 5]"] == 1
    dropping = run(job_of(events, text.replace("MODE", "DROPMALFORMED")))
    assert dropping.printed["o"] == Counter(["+I[null, 2]"]), "only the record whose k is null fits"


@pytest.mark.parametrize("operator", list(MISTAKES))
def test_mistakes_name_the_operator(run: Any, events: Path, operator: str) -> None:
    mistake, words = MISTAKES[operator]
    source = "{id: in, type: source, format: json, path: events.json, schema: 'k string, at bigint, v int'}"
    lines = (source, mistake, f"{{id: o, type: print, input: {operator}}}")
    job = job_of(events, "operators:\n" + "".join(f"  - {line}\n" for line in lines))
    with pytest.raises(PlanError) as caught:
        run(job)
    assert getattr(caught.value, "operator", None) == operator
    assert words in str(caught.value)
    assert "org.apache" not in str(caught.value) and "Job aborted" not in str(caught.value)


def test_results_are_put_in_place_together_or_not_at_all(run: Any, tmp_path: Path) -> None:
    second = tmp_path / "second"
    (tmp_path / "meddling.py").write_text(
        f"import pathlib\n\n\ndef meddle(x):\n    pathlib.Path({str(second)!r}).mkdir(exist_ok=True)\n    return x\n"
    )
    for name in ("first", "more"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old.txt").write_text("old\n")
    text = """
operators:
  - {id: in, type: source, collection: [a, b], schema: value string}
  - {id: same, type: map, input: in, function: ./meddling.py:meddle, output: value string}
  - {id: one, type: sink, input: same, format: text, path: first, mode: overwrite}
  - {id: more, type: sink, input: same, format: text, path: more, mode: append}
  - {id: two, type: sink, input: same, format: text, path: second}
"""
    with pytest.raises(PlanError, match="was created by someone else while the job ran"):
        run(job_of(tmp_path, text))
    assert not list(tmp_path.glob("_*.plan-*"))
    assert [path.name for path in (tmp_path / "first").iterdir() if path.suffix == ".txt"] == ["old.txt"]
    assert [path.name for path in (tmp_path / "more").iterdir() if path.suffix == ".txt"] == ["old.txt"]
