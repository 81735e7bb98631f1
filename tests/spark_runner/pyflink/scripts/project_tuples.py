from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
stream = env.from_collection(
    [("a", 1, True), ("b", 2, False)], Types.TUPLE([Types.STRING(), Types.INT(), Types.BOOLEAN()])
)
stream.project(2, 0).print()
stream.project(1).map(lambda one: one[0] + 1, output_type=Types.INT()).print()
env.execute()
