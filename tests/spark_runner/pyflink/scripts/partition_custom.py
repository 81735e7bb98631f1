from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import (
    ProcessFunction,
)


class Where(ProcessFunction):
    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()

    def process_element(self, value, ctx):
        yield f"{value} on {self.subtask}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
env.from_collection(list(range(8)), Types.INT()).partition_custom(
    lambda key, count: key % count, lambda x: x // 2
).process(Where(), output_type=Types.STRING()).print()
env.execute()
