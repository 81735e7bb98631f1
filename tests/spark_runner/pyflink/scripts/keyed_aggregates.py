from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
rows = [("a", 3, "x"), ("a", 1, "y"), ("b", 5, "z"), ("a", 1, "w"), ("b", 7, "v")]
keyed = env.from_collection(rows, Types.TUPLE([Types.STRING(), Types.INT(), Types.STRING()])).key_by(lambda r: r[0])
keyed.min(1).map(lambda r: "min " + str(r)).print()
keyed.max(1).map(lambda r: "max " + str(r)).print()
keyed.min_by(1).map(lambda r: "min_by " + str(r)).print()
keyed.max_by(1).map(lambda r: "max_by " + str(r)).print()
env.from_collection([3, 1, 2], Types.INT()).key_by(lambda x: 0).sum().print()
env.execute()
