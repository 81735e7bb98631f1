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

rows = [Row("a", 3, "z"), Row("a", 1, "y"), Row("b", 5, "x"), Row("a", 1, "w"), Row("b", 7, "v")]
RT = Types.ROW_NAMED(["k", "n", "s"], [Types.STRING(), Types.INT(), Types.STRING()])
ds = env.from_collection(rows, RT)
for f in ("min", "max", "min_by", "max_by", "sum"):
    getattr(ds.key_by(lambda r: r[0]), f)("n").print()
    getattr(ds.key_by(lambda r: r.k), f)(1).print()
t = env.from_collection([("a", 3), ("a", 1), ("b", 2)], Types.TUPLE([Types.STRING(), Types.INT()]))
t.key_by(lambda v: v[0]).max_by(1).print()
t.key_by(lambda v: v[1] % 2).sum(1).print()
i = env.from_collection([1, 2, 3, 4], Types.INT())
i.key_by(lambda v: v % 2).sum().print()
i.key_by(lambda v: v % 2).max().print()
p = env.from_collection([("a", 3), ("a", 1)])
p.key_by(lambda v: v[0]).sum(1).print()
p.key_by(lambda v: v[0]).min_by(1).print()
p.key_by(lambda v: v[0]).reduce(lambda a, b: (a[0], a[1] * b[1])).print()
lists = env.from_collection([["a", 3], ["a", 1]])
lists.key_by(lambda v: v[0]).sum(1).print()
env.execute()
