"""The word count of the samples as a PyFlink script: what start-up is measured with."""

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
(
    env.from_collection(["flink,hadoop,hive", "flink,spark,hive", "flink,hadoop"], type_info=Types.STRING())
    .flat_map(lambda line: line.split(","), output_type=Types.STRING())
    .map(lambda word: (word, 1), output_type=Types.TUPLE([Types.STRING(), Types.LONG()]))
    .key_by(lambda pair: pair[0], key_type=Types.STRING())
    .sum(1)
    .print()
)
env.execute("word count stream")
