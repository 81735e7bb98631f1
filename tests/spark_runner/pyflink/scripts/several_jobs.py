from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2, 3], Types.INT())
numbers.map(lambda x: x + 1, output_type=Types.INT()).print()
env.execute("first")
numbers.map(lambda x: x * 100, output_type=Types.INT()).print()
env.execute("second")
