import datetime
import decimal

from pyflink.common import Duration, Row, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)


class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def stamped(ds, delay=0):
    return ds.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(delay)).with_timestamp_assigner(Stamp())
    )


DATA = [("a", 1000), ("b", 1500), ("a", 2000), ("a", 9000), ("b", 3000), ("c", 12000), ("a", 15000)]
TI = Types.TUPLE([Types.STRING(), Types.LONG()])


vals = [
    (Types.STRING(), ["a", "ü"]),
    (Types.BYTE(), [1, -2]),
    (Types.SHORT(), [300]),
    (Types.INT(), [1]),
    (Types.LONG(), [2**40]),
    (Types.FLOAT(), [1.5, 0.1, 1e20, 3.4e-5]),
    (Types.DOUBLE(), [0.1, 1e10, 123456789.0]),
    (Types.BOOLEAN(), [True, False]),
    (Types.BIG_DEC(), [decimal.Decimal("1.50")]),
    (Types.SQL_DATE(), [datetime.date(2020, 2, 29)]),
    (Types.SQL_TIME(), [datetime.time(23, 59, 58)]),
    (Types.SQL_TIMESTAMP(), [datetime.datetime(2020, 1, 2, 3, 4, 5, 123000), datetime.datetime(2020, 1, 2)]),
    (Types.MAP(Types.STRING(), Types.INT()), [{"a": 1}]),
    (Types.ROW([Types.INT(), Types.STRING()]), [Row(1, "x"), Row(None, None)]),
    (Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.ROW([Types.STRING()])]), [Row(1, Row("n"))]),
    (None, [None, {"a": {1}}, Row(a=1), (1, "x"), [1.5]]),
]
for t, c in vals:
    ds = env.from_collection(c, t) if t is not None else env.from_collection(c)
    ds.print()
env.execute()
