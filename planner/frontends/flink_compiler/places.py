"""Where in a SQL script a node of Flink's graph comes from: a table's definition, else the statement of its job."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from planner.frontends.flink_compiler.sql_script import Statement, table_definitions
from planner.job import Location

__all__ = ["places_in_sql"]

_TABLE = re.compile(r"table=\[\[?([^\]]+?)\]")
_NAMED = re.compile(r"^(?:Source: |Sink: )?(?:\w+-)?(.+?)(?:\[\d+\])?(?:: \w+)?$")


def places_in_sql(
    document: Mapping[str, Any], file: str, statements: Sequence[Statement], number: int
) -> tuple[Location, dict[int, Location]]:
    """The place of a job, and of those of its nodes that read or write a table."""
    tables = table_definitions(list(statements[: number + 1]))
    places = {}
    for node in document["nodes"]:
        table = _table(node, tables)
        if table is not None:
            places[node["id"]] = tables[table].place(file)
    return _first(statements, number).place(file), places


def _first(statements: Sequence[Statement], number: int) -> Statement:
    """The statement of a job; of a statement set that BEGIN opened, its first one."""
    if statements[number].kind != "end":
        return statements[number]
    begin = max((at for at in range(number) if statements[at].kind == "begin"), default=number)
    return statements[min(begin + 1, number)]


def _table(node: Mapping[str, Any], tables: Mapping[str, Statement]) -> str | None:
    """The table that a node names: in its description as `[[catalog, database, name]]`, or in its own name."""
    for written in _TABLE.findall(node.get("description") or ""):
        parts = [part.strip() for part in written.split(",")]
        name: str = (parts[2:3] or parts[:1])[0].split(".")[-1]
        if name in tables:
            return name
    named = _NAMED.match(str(node["name"]))
    last = str(named[1]).split(".")[-1] if named else ""
    return last if last in tables else None
