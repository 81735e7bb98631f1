"""Splitting SQL scripts into statements, and finding a node's place in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.frontends.flink_compiler.places import places_in_sql
from planner.frontends.flink_compiler.sql_script import find_unclosed, read_statements, table_definitions
from planner.job import Location


def kinds(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in read_statements(text)]


def test_semicolons_in_strings_names_and_comments_end_nothing() -> None:
    text = "SELECT 'a;b', `c;d` -- e;f\n /* g;h */ FROM t; INSERT INTO x SELECT 1"
    assert [kind for kind, _ in kinds(text)] == ["job", "job"]
    assert kinds(text)[0][1].startswith("SELECT 'a;b', `c;d`")
    assert "e;f" not in kinds(text)[0][1]


def test_hints_stay() -> None:
    assert "/*+ OPTIONS('a'='b') */" in kinds("SELECT * FROM t /*+ OPTIONS('a'='b') */;")[0][1]


def test_a_statement_set_is_one_statement_in_one_spelling_and_four_in_the_other() -> None:
    inside = "INSERT INTO a SELECT CASE WHEN x THEN 1 ELSE 2 END; INSERT INTO b SELECT 2;"
    assert [kind for kind, _ in kinds(f"EXECUTE STATEMENT SET BEGIN {inside} END; SELECT 1")] == ["job", "job"]
    assert [kind for kind, _ in kinds(f"BEGIN STATEMENT SET; {inside} END;")] == ["begin", "job", "job", "end"]


@pytest.mark.parametrize(
    ("written", "kind", "more"),
    [
        ("SET 'a.b' = 'it''s'", "set", {"key": "a.b", "value": "it's"}),
        ("SET a.b=5 s", "set", {"key": "a.b", "value": "5 s"}),
        ("set", "skip", {}),
        ("RESET", "reset", {}),
        ("RESET 'a.b'", "reset", {"key": "a.b"}),
        ("COMPILE PLAN 'x.json' FOR INSERT INTO a SELECT 1", "compile", {"file": "x.json"}),
        ("EXECUTE PLAN 'x.json'", "execute_plan", {"file": "x.json"}),
        ("CREATE TABLE a AS SELECT 1", "definition", {}),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "job", {}),
        ("(SELECT 1) UNION ALL (SELECT 2)", "job", {}),
        ("SHOW TABLES", "definition", {}),
        ("SHOW JOBS", "skip", {}),
        ("EXPLAIN SELECT 1", "definition", {}),
    ],
)
def test_kinds_and_what_they_carry(written: str, kind: str, more: dict[str, str]) -> None:
    (statement,) = read_statements(written)
    document = statement.to_dict()
    assert document["kind"] == kind
    assert more.items() <= document.items()


def test_what_stands_behind_quit_is_not_run() -> None:
    assert kinds("SELECT 1; QUIT; SELECT 2") == [("job", "SELECT 1")]


def test_places_lead_back_into_the_file() -> None:
    text = "-- first\n  SELECT a,\n    b\n  FROM t; SELECT 2"
    first, second = read_statements(text)
    assert first.place("x.sql", 1, 8) == Location("x.sql", 2, 10)
    assert first.place("x.sql", 2, 5) == Location("x.sql", 3, 5)
    assert second.place("x.sql") == Location("x.sql", 4, 11)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT 'it''s', `a'b` -- don't\n;", None),
        ("SELECT 1;\n SELECT 'a;", ("quote", Location("x.sql", 2, 9))),
        ("SELECT 1 /* a", ("comment", Location("x.sql", 1, 10))),
    ],
)
def test_what_is_never_closed_is_found(text: str, found: object) -> None:
    assert find_unclosed(text, "x.sql") == found


def test_a_table_is_found_by_the_last_part_of_its_name() -> None:
    text = "CREATE TABLE IF NOT EXISTS c.d.`my t` (a INT) WITH ();\nCREATE TEMPORARY VIEW v AS SELECT 1;"
    found = table_definitions(read_statements(text))
    assert {name: one.line for name, one in found.items()} == {"my t": 1, "v": 2}


def test_sources_and_sinks_lead_to_their_tables_and_the_rest_to_the_statement() -> None:
    folder = Path(__file__).parents[3] / "real_flink/compiler"
    statements = read_statements((folder / "sql/own01_statement_set.sql").read_text())
    document = json.loads((Path(__file__).parent / "recorded/own01_statement_set.json").read_text())[0]["job"]
    number = next(number for number, one in enumerate(statements) if one.kind == "job")
    location, places = places_in_sql(document, "x.sql", statements, number)
    names = {node["id"]: node["name"] for node in document["nodes"]}
    assert location == Location("x.sql", 6, 1)
    assert {names[node]: place.line for node, place in places.items()} == {
        "Source: o[1]": 2,
        "Sink: b[9]": 5,
        "a[7]: Writer": 4,
    }
