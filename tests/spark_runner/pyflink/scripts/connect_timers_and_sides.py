from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    CoFlatMapFunction,
    CoMapFunction,
    KeyedCoProcessFunction,
    OutputTag,
    StreamExecutionEnvironment,
    TimeDomain,
)
from pyflink.datastream.functions import ListStateDescriptor

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

a = stamped(env.from_collection(DATA, TI))
b = stamped(env.from_collection([("a", 100), ("c", 4000), ("z", 5000)], TI))
tag = OutputTag("t")


class F(KeyedCoProcessFunction):
    def open(self, rc):
        self.l = rc.get_list_state(ListStateDescriptor("l", Types.LONG()))

    def process_element1(self, value, ctx):
        self.l.add(value[1])
        ctx.timer_service().register_event_time_timer(20000)
        yield tag, (1, value)

    def process_element2(self, value, ctx):
        self.l.add(-value[1])
        yield tag, (2, ctx.get_current_key())

    def on_timer(self, ts, ctx):
        yield str((ctx.get_current_key(), ts, sorted(self.l.get()), ctx.time_domain() == TimeDomain.EVENT_TIME))


o = a.connect(b).key_by(lambda v: v[0], lambda v: v[0], Types.STRING()).process(F(), Types.STRING())
o.print()
o.get_side_output(tag).print()


class FM(CoFlatMapFunction):
    def flat_map1(self, v):
        yield v[0]
        yield v[0] * 2

    def flat_map2(self, v):
        return [v[0] + "2"]


a.connect(b).flat_map(FM(), Types.STRING()).print()


class CM(CoMapFunction):
    def map1(self, v):
        return v[1]

    def map2(self, v):
        return None


a.key_by(lambda v: v[0]).connect(b.key_by(lambda v: v[0])).map(CM(), Types.LONG()).print()
env.execute()
