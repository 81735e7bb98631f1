"""Functions whose answers come later: how many wait at once, how long, and in which order they leave."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from planner import AsyncDataStream, AsyncFunction, Time, Types
from planner.errors import ExecutionError, JobDefinitionError
from planner.frontends.loading import load_job
from tests.support.spark_jobs import environment


class Busy(AsyncFunction):
    """Answers with how many records were waiting when each of them was."""

    def open(self, runtime_context: Any) -> None:
        self.waiting = 0
        self.clients: set[Any] = set()

    async def async_invoke(self, value: int) -> list[int]:
        self.waiting += 1
        self.clients.add(asyncio.get_running_loop())
        await asyncio.sleep(0.001 * (20 - value % 20))
        seen, self.waiting = self.waiting, self.waiting - 1
        assert len(self.clients) == 1, "one loop for the whole subtask"
        return [value, seen]


class Slow(AsyncFunction):
    async def async_invoke(self, value: int) -> list[int]:
        await asyncio.sleep(0 if value != 2 else 60)
        return [value]


class SlowWithAnswer(Slow):
    def timeout(self, value: int) -> list[int]:
        return [-value]


class OwnTimeout(AsyncFunction):
    async def async_invoke(self, value: int) -> list[int]:
        raise TimeoutError("the service's own")


@pytest.mark.parametrize("wait", ["ordered_wait", "unordered_wait"])
def test_no_more_than_the_capacity_wait_at_once_and_order_is_kept(run: Any, wait: str) -> None:
    env = environment(1)
    answers = getattr(AsyncDataStream, wait)(env.from_sequence(1, 50), Busy(), Time.seconds(60), 3, Types.LONG())
    answers.print()
    done = run(env.build("busy"))
    printed = [int(text) for text in done.order["print-1"]]
    assert printed[::2] == list(range(1, 51))
    assert max(printed[1::2]) == 3
    assert done.counts["async_map-1"] == (50, 100)


def test_a_late_answer_is_the_functions_own_or_a_failure(run: Any) -> None:
    env = environment(1)
    numbers = env.from_sequence(1, 3)
    numbers.async_map(SlowWithAnswer(), Types.LONG(), timeout=Time.milliseconds(200)).print()
    assert run(env.build("late")).order["print-1"] == ["1", "-2", "3"]


@pytest.mark.parametrize(
    ("function", "said"),
    [(Slow(), r"TimeoutError: no answer within 0.2 s\n  record: 2"), (OwnTimeout(), "the service's own")],
)
def test_timeouts_are_told_with_their_record(run: Any, function: Any, said: str) -> None:
    env = environment(1)
    env.from_sequence(1, 3).async_map(function, Types.LONG(), timeout=Time.milliseconds(200)).uid("culprit").print()
    with pytest.raises(ExecutionError, match=said) as caught:
        run(env.build("late"))
    assert caught.value.operator == "culprit"


def test_yaml_says_both(run: Any, tmp_path: Path) -> None:
    (tmp_path / "slow_async.py").write_text("import asyncio\nasync def slow(n):\n    await asyncio.sleep(60)\n")
    text = """
operators:
  - {id: in, type: source, collection: [1], schema: "value bigint"}
  - {id: late, type: async_map, input: in, function: "./slow_async.py:slow", capacity: 2, timeout: 100ms}
  - {id: out, type: print, input: late}
"""
    (tmp_path / "job.yaml").write_text(text)
    with pytest.raises(ExecutionError, match=r"'late' .*no answer within 0.1 s"):
        run(load_job(tmp_path / "job.yaml"))
    (tmp_path / "job.yaml").write_text(text.replace("capacity: 2", "capacity: 0"))
    with pytest.raises(JobDefinitionError, match="capacity"):
        load_job(tmp_path / "job.yaml")


@pytest.mark.parametrize("wrong", [{"capacity": 0}, {"capacity": "many"}, {"timeout": 0}, {"timeout": "5s"}])
def test_wrong_limits_are_refused_where_they_are_written(wrong: dict[str, Any]) -> None:
    env = environment(1)
    with pytest.raises(JobDefinitionError) as caught:
        env.from_sequence(1, 3).async_map(Slow(), Types.LONG(), **wrong)
    assert caught.value.location is not None
