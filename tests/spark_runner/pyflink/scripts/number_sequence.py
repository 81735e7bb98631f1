from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 10), WatermarkStrategy.no_watermarks(), "numbers", Types.LONG())
numbers.map(lambda n: n * n, output_type=Types.LONG()).filter(lambda n: n % 3 == 1).print()
env.execute()
