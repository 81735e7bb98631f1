from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import AggregateFunction, KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.functions import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)

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


class F(KeyedProcessFunction):
    def open(self, rc):
        self.v = rc.get_state(ValueStateDescriptor("v", Types.INT()))
        self.l = rc.get_list_state(ListStateDescriptor("l", Types.INT()))
        self.m = rc.get_map_state(MapStateDescriptor("m", Types.STRING(), Types.INT()))
        self.r = rc.get_reducing_state(ReducingStateDescriptor("r", lambda a, b: a + b, Types.INT()))

        class A(AggregateFunction):
            def create_accumulator(self):
                return (0, 0)

            def add(self, value, acc):
                return (acc[0] + value, acc[1] + 1)

            def get_result(self, acc):
                return acc[0] / acc[1] if acc[1] else -1

            def merge(self, a, b):
                return (a[0] + b[0], a[1] + b[1])

        self.a = rc.get_aggregating_state(AggregatingStateDescriptor("a", A(), Types.TUPLE([Types.INT(), Types.INT()])))
        self.rc = rc

    def process_element(self, value, ctx):
        out = [
            self.v.value(),
            list(self.l),
            list(self.l.get()),
            self.r.get(),
            self.a.get(),
            self.m.is_empty(),
            self.m.get("x") if self.m.contains("x") else "no",
            "x" in self.m,
        ]
        try:
            out.append(self.m.get("zz"))
        except Exception as e:
            out.append(type(e).__name__)
        try:
            out.append(self.m["zz"])
        except Exception as e:
            out.append(type(e).__name__)
        yield str((ctx.get_current_key(), value, out))
        self.v.update(value[1] // 1000)
        self.l.add(value[1] // 1000)
        self.l.add_all([7, 8])
        self.r.add(value[1] // 1000)
        self.a.add(value[1] // 1000)
        self.m.put("x", value[1] // 1000)
        self.m["y"] = 2
        self.m.put_all([("p", 1), ("q", 2)]) if value[1] > 5000 else None
        yield str(
            (
                sorted(self.m.items()),
                sorted(self.m.keys()),
                sorted(self.m.values()),
                sorted(iter(self.m)),
                list(self.l),
                self.r.get(),
                self.a.get(),
                self.v.value(),
            )
        )
        self.m.remove("y")
        (self.m.remove("p") if "p" in self.m else None)
        self.l.update([1])
        if value[1] == 9000:
            self.v.clear()
            self.l.clear()
            self.r.clear()
            self.a.clear()
            self.m.clear()


env.from_collection(DATA, TI).key_by(lambda v: v[0], Types.STRING()).process(F(), Types.STRING()).print()
env.execute()
