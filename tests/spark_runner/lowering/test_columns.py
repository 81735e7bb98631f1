"""Unknown columns are found in the plan, and nothing that Spark would take is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.loading import load_job
from planner.pipeline import plan
from spark_runner.lowering.columns import check_columns
from spark_runner.lowering.sql_names import columns_read

SOURCE = '{id: in, type: source, format: json, path: events.json, schema: "k string, at bigint, `odd name` int"}'


def check(folder: Path, operator: str) -> None:
    (folder / "job.yaml").write_text(
        f"operators:\n  - {SOURCE}\n  - {operator}\n  - {{id: out, type: print, input: x}}\n"
    )
    check_columns(plan(load_job(folder / "job.yaml")))


@pytest.mark.parametrize(
    ("operator", "said"),
    [
        ("{id: x, type: sum, input: in, key_by: q, field: at}", "its key 'q'"),
        ("{id: x, type: sum, input: in, key_by: k, field: v}", "its field 'v'"),
        ("{id: x, type: watermarks, input: in, time: when_}", "its time 'when_'"),
        ("{id: x, type: filter, input: in, where: nope > 1 and k = 'nope'}", "its column 'nope'"),
        ("{id: x, type: map, input: in, select: {a: k, b: upper(kk)}}", "its column 'kk'"),
        ("{id: x, type: flat_map, input: in, explode: \"split(value, ' ')\", as: word}", "its column 'value'"),
    ],
)
def test_an_unknown_column_is_named_with_those_there_are(tmp_path: Path, operator: str, said: str) -> None:
    with pytest.raises(JobDefinitionError, match=said) as caught:
        check(tmp_path, operator)
    assert caught.value.hint == "the columns are k, at, odd name"
    assert caught.value.location is not None and caught.value.location.line == 3


@pytest.mark.parametrize(
    "operator",
    [
        "{id: x, type: sum, input: in, key_by: K, field: AT}",
        "{id: x, type: filter, input: in, where: \"`odd name` > 1 and k like 'a%' and current_date > '2026-01-01'\"}",
        "{id: x, type: map, input: in, select: {a: cast(at as timestamp), b: at + interval 1 day}}",
        "{id: x, type: map, input: in, select: {a: 'transform(array(at), y -> y + 1)', b: in.k}}",
    ],
)
def test_what_only_spark_can_tell_is_left_to_it(tmp_path: Path, operator: str) -> None:
    check(tmp_path, operator)


def test_columns_are_followed_through_sql_and_unions(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(f"""
operators:
  - {SOURCE}
  - {{id: a, type: map, input: in, select: {{word: k, n: at}}}}
  - {{id: b, type: filter, input: a, where: n > 1}}
  - {{id: c, type: sum, input: b, key_by: word, field: at}}
  - {{id: out, type: print, input: c}}
""")
    with pytest.raises(JobDefinitionError, match="its field 'at'") as caught:
        check_columns(plan(load_job(tmp_path / "job.yaml")))
    assert caught.value.hint == "the columns are word, n"


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("a + b * 2", {"a", "b"}),
        ("concat(a, 'b', \"c\")", {"a"}),
        ("`a b` is not null", {"a b"}),
        ("not x in (1, 2L, 3.5)", {"x"}),
        ("date '2026-01-01'", None),
        ("case when a then b end", None),
        ("a[0]", None),
        ("s.field", None),
        ("cast(a as int)", None),
    ],
)
def test_names_in_sql(sql: str, names: set[str] | None) -> None:
    assert columns_read(sql) == names
