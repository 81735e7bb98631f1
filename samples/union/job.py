"""Reads two cities' temperatures as one stream."""

from planner import StreamExecutionEnvironment, Types

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(4)
berlin = env.read_text_file("berlin.csv").name("berlin")
lisbon = env.read_text_file("lisbon.csv").name("lisbon")
berlin.union(lisbon).map(lambda line: line.replace(",", ": ") + " °C", output_type=Types.STRING()).print()
env.execute("two cities")
