"""Three vertices that take their time, leave marks for the test that watches them, and may be made to fail.

The folder for the marks is PLAN_TEST_MARKS; PLAN_TEST_MISFORTUNES lists what is to go wrong: `exit-once`, `fail-twice`;
PLAN_TEST_RESTARTS is how often the job starts again.
"""

import os
import time
from pathlib import Path

from planner import MapFunction, RestartStrategies, StreamExecutionEnvironment, Types

MARKS = os.environ.get("PLAN_TEST_MARKS", "")
MISFORTUNES = os.environ.get("PLAN_TEST_MISFORTUNES", "").split()
RESTARTS = int(os.environ.get("PLAN_TEST_RESTARTS", "0"))
PAUSE = float(os.environ.get("PLAN_TEST_PAUSE", "0"))
PAIR = Types.TUPLE([Types.LONG(), Types.LONG()])


class Slow(MapFunction):
    """Hands records on after a pause. Its first record leaves a mark: the folder that the subtask works in."""

    def __init__(self, vertex, misfortune=""):
        self.vertex, self.seen = vertex, 0
        self.misfortune = misfortune if misfortune in MISFORTUNES else ""

    def map(self, value):
        self.seen += 1
        if self.seen == 1 and MARKS:
            self.mark(self.vertex, str(Path.cwd()))
        if self.seen == 5 and self.misfortune:
            self.fail()
        time.sleep(PAUSE)
        return value

    def fail(self):
        before = len(list(Path(MARKS).glob(f"{self.misfortune}.*")))
        if self.misfortune == "exit-once" and before < 1:
            self.mark(self.misfortune)
            os._exit(17)
        if self.misfortune == "fail-twice" and before < 2:
            self.mark(self.misfortune)
            raise ValueError("not yet")

    def mark(self, name, text=""):
        aside = Path(MARKS) / f"aside.{os.getpid()}"
        aside.write_text(text)
        aside.rename(Path(MARKS) / f"{name}.{time.time_ns()}")


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
if RESTARTS:
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(RESTARTS, 100))
(
    env.from_sequence(1, 80)
    .map(Slow("first", "exit-once"), output_type=Types.LONG())
    .rebalance()
    .map(lambda number: (number % 40, number), output_type=PAIR)
    .filter(lambda pair: pair[1] != 41)  # how many it keeps is known from a counter inside Spark alone
    .filter(lambda pair: pair[1] != 42)
    .map(Slow("second", "fail-twice"), output_type=PAIR)
    .key_by(lambda pair: pair[0], key_type=Types.LONG())
    .reduce(lambda left, right: (left[0], left[1] + right[1]))
    .map(Slow("third"), output_type=PAIR)
    .print()
)
env.execute("three vertices")
