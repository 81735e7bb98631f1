from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = env.from_collection([1, 2, 3])
# the next function runs in the same process: it gets the tuple, not the row
source.map(lambda x: (x, str(x)), output_type=Types.ROW([Types.INT(), Types.STRING()])).map(
    lambda pair: type(pair).__name__
).print()
# behind an exchange it is a row with names
source.map(
    lambda x: Row(x, str(x)), output_type=Types.ROW_NAMED(["n", "s"], [Types.INT(), Types.STRING()])
).rebalance().map(lambda row: type(row).__name__ + str(row.n) + row.s).print()
env.execute()
