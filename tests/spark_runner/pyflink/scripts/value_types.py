import datetime
from decimal import Decimal

from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
one = env.from_collection([1], Types.INT())


def through(value, kind):
    one.map(lambda _: value, output_type=kind).rebalance().map(lambda v: f"{type(v).__name__} {v!r}").print()


through(3, Types.LONG())
through(7, Types.BYTE())
through(300, Types.SHORT())
through(True, Types.BOOLEAN())
through(1.1, Types.FLOAT())
through(2, Types.DOUBLE())
through(Decimal("12.340"), Types.BIG_DEC())
through([1, 2], Types.PRIMITIVE_ARRAY(Types.INT()))
through(b"ab", Types.PRIMITIVE_ARRAY(Types.BYTE()))
through(["a", "b"], Types.BASIC_ARRAY(Types.STRING()))
through([(1, "a")], Types.LIST(Types.TUPLE([Types.INT(), Types.STRING()])))
through({"a": [1.5]}, Types.MAP(Types.STRING(), Types.LIST(Types.DOUBLE())))
through(datetime.date(2026, 1, 2), Types.SQL_DATE())
through(datetime.time(1, 2, 3), Types.SQL_TIME())
through(datetime.datetime(2026, 1, 2, 3, 4, 5, 678000), Types.SQL_TIMESTAMP())
through(Row(1, None), Types.ROW([Types.INT(), Types.STRING()]))
through(Row(b=2, a="x"), Types.ROW_NAMED(["a", "b"], [Types.STRING(), Types.INT()]))
through((1, Row("n")), Types.TUPLE([Types.INT(), Types.ROW([Types.STRING()])]))
through({"any": {1, 2}}, Types.PICKLED_BYTE_ARRAY())
env.execute()
