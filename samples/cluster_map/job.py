"""Makes a cluster visible: which subtask ran on which machine, and how much of the work each process did."""

from places import Stamp

from planner import StreamExecutionEnvironment, Types

PLACE = Types.TUPLE([Types.STRING(), Types.LONG()])

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(4)
(
    env.from_sequence(1, 400)
    .name("numbers")
    .rebalance()
    .map(Stamp(), output_type=PLACE)
    .name("work")
    .key_by(lambda place: place[0], key_type=Types.STRING())
    .sum(1)
    .name("records a process")
    .set_parallelism(2)
    .print()
    .set_parallelism(2)
)
env.execute("cluster map")
