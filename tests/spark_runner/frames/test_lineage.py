"""Long rows of SQL operators are computed in parts, with the same results and counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from planner import load_job_data
from planner.errors import ExecutionError
from spark_runner.frames import lineage


def a_long_row(*, pairs: int, then: str = "n + 1") -> dict[str, Any]:
    """Pairs of a filter and a map, over the numbers 0 to 199, with a second reader in the middle."""
    operators: list[dict[str, Any]] = [
        {"id": "numbers", "type": "source", "collection": [[n] for n in range(200)], "schema": "n bigint"}
    ]
    last = "numbers"
    for at in range(pairs):
        operators.append({"id": f"kept{at}", "type": "filter", "input": last, "where": "n % 100 != 0"})
        operators.append({"id": f"next{at}", "type": "map", "input": f"kept{at}", "select": {"n": "n + 1"}})
        last = f"next{at}"
    operators[-1]["select"] = {"n": then}
    operators.append({"id": "middle", "type": "print", "input": f"next{pairs // 2}"})
    operators.append({"id": "out", "type": "print", "input": last})
    return {"name": "long", "parallelism": 2, "operators": operators}


def by_hand(pairs: int) -> tuple[list[int], dict[str, tuple[int, int]]]:
    numbers, counts = list(range(200)), {}
    for at in range(pairs):
        kept = [n for n in numbers if n % 100]
        counts[f"kept{at}"], counts[f"next{at}"] = (len(numbers), len(kept)), (len(kept), len(kept))
        numbers = [n + 1 for n in kept]
    return numbers, counts


def test_a_row_of_many_sql_operators(run: Any) -> None:
    pairs = lineage.LONGEST_PLAN  # two cuts, one of them behind the frame with two readers
    done = run(load_job_data(a_long_row(pairs=pairs)))
    numbers, counts = by_hand(pairs)
    assert done.printed["out"] == Counter(f"+I[{n}]" for n in numbers)
    assert done.printed["middle"] == Counter(f"+I[{n}]" for n in by_hand(pairs // 2 + 1)[0])
    assert {key: found for key, found in done.counts.items() if key in counts} == counts


def test_the_operator_that_fails_is_named_also_where_its_part_is_computed_first(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lineage, "LONGEST_PLAN", 3)
    with pytest.raises(ExecutionError) as raised:
        run(load_job_data(a_long_row(pairs=3, then="n / (n - n)")))
    assert raised.value.operator == "next2"
