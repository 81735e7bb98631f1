"""The JSON Schema accepts what the loader accepts and refuses what it refuses."""

from __future__ import annotations

import jsonschema
import pytest

from planner import job_schema

GOOD = {
    "name": "n",
    "restart_strategy": {"type": "none"},
    "operators": [
        {"id": "s", "type": "source", "collection": [1], "schema": "value int"},
        {"id": "w", "type": "window_reduce", "input": ["s", {"from": "s", "partition": "shuffle"}], "key_by": "k",
         "window": {"sliding": "10s", "every": "5s"}},
    ],
}  # fmt: skip


def test_the_schema_is_valid_and_takes_a_job() -> None:
    jsonschema.Draft202012Validator.check_schema(job_schema())
    jsonschema.validate(GOOD, job_schema())


@pytest.mark.parametrize(
    "operator", [{"id": "s", "type": "mapp"}, {"id": "s", "type": "map"}, {"id": "s", "type": "source", "x": 1}]
)
def test_the_schema_refuses(operator: dict[str, object]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"operators": [operator]}, job_schema())
