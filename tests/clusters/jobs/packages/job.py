"""Which packages a worker was given: the jars that Spark laid where it lays an application's files."""

from pathlib import Path

from planner import StreamExecutionEnvironment, Types


def jars(_):
    from pyspark import SparkFiles

    return [file.name for file in Path(SparkFiles.getRootDirectory()).glob("*.jar")]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1], type_info=Types.LONG()).flat_map(jars, output_type=Types.STRING()).print()
env.execute("packages")
