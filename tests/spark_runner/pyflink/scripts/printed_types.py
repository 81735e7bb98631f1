from decimal import Decimal

from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["text", "ümlaut"], Types.STRING()).print()
env.from_collection([1, -2], Types.INT()).print()
env.from_collection([1.5, 2.0, 1e20, 1e-5, 0.1], Types.DOUBLE()).print()
env.from_collection([1.1, 16777217.0], Types.FLOAT()).print()
env.from_collection([True, False], Types.BOOLEAN()).print()
env.from_collection([("a", 1.0, True)], Types.TUPLE([Types.STRING(), Types.DOUBLE(), Types.BOOLEAN()])).print()
env.from_collection([("a", 1)], Types.ROW([Types.STRING(), Types.INT()])).print()
env.from_collection([Row("a", 1)], Types.ROW_NAMED(["name", "count"], [Types.STRING(), Types.INT()])).print()
env.from_collection([1], Types.INT()).map(lambda x: ["a", "b"], output_type=Types.LIST(Types.STRING())).print()
env.from_collection([1], Types.INT()).map(
    lambda x: {"a": x}, output_type=Types.MAP(Types.STRING(), Types.INT())
).print()
env.from_collection([(1, "x"), [1, 2], {"k": None}, None, "s", 2.5]).print()
env.from_collection([Decimal("1.50")], Types.BIG_DEC()).print()
env.from_collection([("n", ("m", 2))], Types.TUPLE([Types.STRING(), Types.ROW([Types.STRING(), Types.INT()])])).print()
env.execute()
