from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2, 3], Types.INT())
numbers.print("left")
numbers.map(lambda x: x * 10, output_type=Types.INT()).print("right")
env.execute()
