from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
nested = Types.ROW(
    [Types.STRING(), Types.TUPLE([Types.INT(), Types.LIST(Types.STRING())]), Types.MAP(Types.STRING(), Types.DOUBLE())]
)
stream = env.from_collection([Row("a", (1, ["x", "y"]), {"k": 1.5}), Row("b", (2, []), {})], nested)
stream.rebalance().map(
    lambda row: (type(row).__name__, type(row[1]).__name__, type(row[1][1]).__name__, row[2])
).print()
stream.print()
env.from_collection([1, None, 2]).filter(lambda x: x is not None).map(lambda x: x, output_type=Types.INT()).print()
env.execute()
