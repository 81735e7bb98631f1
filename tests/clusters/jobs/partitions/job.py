"""Every way records move between subtasks, in one job whose result does not depend on where they ran."""

from branches import ByLastDigit, Tagged, together

from planner import StreamExecutionEnvironment, Types

BRANCH = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_sequence(1, 60).name("numbers").map(lambda number: number * 3, output_type=Types.LONG())

moved = {
    "forward": numbers.forward(),
    "rebalance": numbers.rebalance(),
    "rescale": numbers.rescale(),
    "shuffle": numbers.shuffle(),
    "broadcast": numbers.broadcast(),
    "global": numbers.global_(),
    "custom": numbers.partition_custom(ByLastDigit(), lambda number: number),
}
subtasks = {"rebalance": 3, "rescale": 4, "broadcast": 3, "custom": 3}
branches = [
    stream.map(Tagged(name), output_type=BRANCH).name(name).set_parallelism(subtasks.get(name, 2))
    for name, stream in moved.items()
]
branches[0].union(*branches[1:]).key_by(lambda branch: branch[0], key_type=Types.STRING()).reduce(together).print()
env.execute("every partitioning")
