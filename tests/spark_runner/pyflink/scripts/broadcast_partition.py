from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
env.from_collection([1, 2], Types.INT()).broadcast().map(lambda x: x * 2, output_type=Types.INT()).map(
    lambda x: f"got {x}"
).print()
env.execute()
