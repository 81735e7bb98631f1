from pyflink.common import Types
from pyflink.datastream import OutputTag, StreamExecutionEnvironment
from pyflink.datastream.functions import (
    ProcessFunction,
)


class Sorted(ProcessFunction):
    def process_element(self, value, ctx):
        if value % 2:
            yield OutputTag("odd", Types.INT()), value
        else:
            yield value
        yield OutputTag("loud"), ("seen", value)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tag = OutputTag("odd", Types.INT())
loud = OutputTag("loud")
main = env.from_collection([1, 2, 3, 4], Types.INT()).process(Sorted(), output_type=Types.INT())
main.print()
main.get_side_output(tag).map(lambda x: -x, output_type=Types.INT()).print()
main.get_side_output(loud).print()
env.execute()
