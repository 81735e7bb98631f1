"""Keeps the readings of hot places."""

from planner import StreamExecutionEnvironment, Types


def parse(line):
    sensor, celsius = line.split(",")
    return sensor, float(celsius)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(4)
(
    env.read_text_file("readings.csv")
    .map(parse, output_type=Types.TUPLE([Types.STRING(), Types.DOUBLE()]))
    .filter(lambda reading: reading[1] > 30)
    .print()
)
env.execute("hot places")
