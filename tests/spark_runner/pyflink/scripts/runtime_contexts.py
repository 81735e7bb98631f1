from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import MapFunction, ProcessFunction, StreamExecutionEnvironment

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


class M(MapFunction):
    def open(self, rc):
        self.i = (
            rc.get_task_name(),
            rc.get_number_of_parallel_subtasks(),
            rc.get_index_of_this_subtask(),
            rc.get_attempt_number(),
            rc.get_max_number_of_parallel_subtasks(),
            rc.get_task_name_with_subtasks(),
        )
        self.c = rc.get_metrics_group().add_group("g", "v").counter("c")
        self.p = rc.get_job_parameter("k", "dflt")

    def map(self, v):
        self.c.inc()
        return str((v, self.i, self.p))


env.from_collection([1], Types.INT()).map(M(), Types.STRING()).print()


class P(ProcessFunction):
    def process_element(self, v, ctx):
        yield str((v, ctx.timestamp(), ctx.timer_service().current_watermark()))


env.from_collection([1], Types.INT()).process(P(), Types.STRING()).print()
stamped(env.from_collection(DATA, TI)).process(P(), Types.STRING()).print()
env.execute("ctx")
