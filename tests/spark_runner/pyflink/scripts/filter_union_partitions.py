from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
a = env.from_collection([1, 2, 3, 4], Types.INT())
b = env.from_collection([10, 20], Types.INT())
merged = a.filter(lambda x: x % 2 == 0).union(b)
for stream in (merged.rebalance(), merged.rescale(), merged.shuffle(), merged.forward() if False else merged):
    stream.map(lambda x: x + 100, output_type=Types.INT()).print()
env.execute()
