"""Eight small PyFlink jobs, for real PyFlink and for `plan run` alike: what people write most, one kind of work each.

    python eight_jobs.py JOB --records N --data FOLDER --out FOLDER [--execution-mode thread] [--runtime-mode batch]

JOB: `stateless`, `words`, `counts`, `tumbling`, `sliding`, `sessions`, `joined` or `sides`. The files that some of them
read are written by `side_by_side.write_data`.
"""

import argparse

from pyflink.common import Configuration, Duration, Encoder, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import OutputTag, RuntimeExecutionMode, StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import (
    AggregateFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ProcessFunction,
    ProcessWindowFunction,
)
from pyflink.datastream.state import ListStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows

PAIR = Types.TUPLE([Types.LONG(), Types.LONG()])
READING = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])
ORDER = Types.TUPLE([Types.LONG(), Types.STRING(), Types.LONG()])
ODD = OutputTag("odd", Types.STRING())


class Counting(KeyedProcessFunction):
    """How often each key came so far."""

    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield f"{ctx.get_current_key()} {count}"


class Stamped(TimestampAssigner):
    """The third field is the event time."""

    def extract_timestamp(self, value, record_timestamp):
        return value[2]


class CountAndSum(AggregateFunction):
    """How many, and their sum."""

    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + 1, accumulator[1] + value[1]

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


class Written(ProcessWindowFunction):
    """A line for each window."""

    def process(self, key, context, elements):
        for count, total in elements:
            yield f"{key} {context.window().start} {context.window().end} {count} {total}"


class WithCity(KeyedCoProcessFunction):
    """Orders wait until the city of their customer is known."""

    def open(self, context):
        self.city = context.get_state(ValueStateDescriptor("city", Types.STRING()))
        # a type of its own: PyFlink pickles this class with its globals, and a type that was used holds on to the JVM
        order = Types.TUPLE([Types.LONG(), Types.STRING(), Types.LONG()])
        self.waiting = context.get_list_state(ListStateDescriptor("waiting", order))

    def process_element1(self, value, ctx):
        city = self.city.value()
        if city is None:
            self.waiting.add(value)
        else:
            yield f"{value[0]} {value[2]} {city}"

    def process_element2(self, value, ctx):
        self.city.update(value[1])
        for order in self.waiting.get() or ():
            yield f"{order[0]} {order[2]} {value[1]}"
        self.waiting.clear()


class ByParity(ProcessFunction):
    """Odd numbers go aside."""

    def process_element(self, value, ctx):
        if value % 2:
            yield ODD, f"odd {value}"
        else:
            yield f"even {value}"


def reading(line):
    sensor, value, time = line.split(",")
    return sensor, int(value), int(time)


def order(line):
    number, customer, amount = line.split(",")
    return int(number), customer, int(amount)


class Jobs:
    """The eight jobs on one environment."""

    def __init__(self, env, options):
        self.env, self.options = env, options

    def lines(self, name):
        files = f"{self.options.data}/{name}"
        source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), files).build()
        return self.env.from_source(source, WatermarkStrategy.no_watermarks(), name)

    def numbers(self, first, last):
        return self.env.from_source(NumberSequenceSource(first, last), WatermarkStrategy.no_watermarks(), "numbers")

    def write(self, stream, name="out"):
        folder = f"{self.options.out}/{name}"
        stream.sink_to(FileSink.for_row_format(folder, Encoder.simple_string_encoder()).build())

    def stateless(self):
        numbers = self.numbers(1, self.options.records)
        doubled = numbers.map(lambda n: 2 * n + 5, Types.LONG()).filter(lambda n: n % 3 != 0)
        pairs = doubled.map(lambda n: (n % 500, n), PAIR).filter(lambda pair: pair[0] > 9)
        self.write(pairs.map(lambda pair: f"{pair[0]} {pair[1]}", Types.STRING()))

    def words(self):
        words = self.lines("words").flat_map(lambda line: line.split(), Types.STRING())
        ones = words.map(lambda word: (word, 1), Types.TUPLE([Types.STRING(), Types.LONG()]))
        counts = ones.key_by(lambda pair: pair[0], Types.STRING()).reduce(lambda a, b: (a[0], a[1] + b[1]))
        self.write(counts.map(lambda pair: f"{pair[0]} {pair[1]}", Types.STRING()))

    def counts(self):
        keyed = self.numbers(1, self.options.records).map(lambda n: (n % 9_973, n), PAIR)
        self.write(keyed.key_by(lambda pair: pair[0], Types.LONG()).process(Counting(), Types.STRING()))

    def windowed(self, assigner):
        strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
        readings = self.lines("readings").map(reading, READING)
        timed = readings.assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(Stamped()))
        windows = timed.key_by(lambda one: one[0], Types.STRING()).window(assigner)
        self.write(windows.aggregate(CountAndSum(), Written(), PAIR, Types.STRING()))

    def tumbling(self):
        self.windowed(TumblingEventTimeWindows.of(Time.seconds(10)))

    def sliding(self):
        self.windowed(SlidingEventTimeWindows.of(Time.seconds(10), Time.seconds(1)))

    def sessions(self):
        self.windowed(EventTimeSessionWindows.with_gap(Time.milliseconds(300)))

    def joined(self):
        orders = self.lines("orders").map(order, ORDER).key_by(lambda one: one[1], Types.STRING())
        cities = self.lines("customers").map(lambda line: tuple(line.split(",")), Types.TUPLE([Types.STRING()] * 2))
        known = cities.key_by(lambda one: one[0], Types.STRING())
        self.write(orders.connect(known).process(WithCity(), Types.STRING()))

    def sides(self):
        half = self.options.records // 2
        first = self.numbers(1, half).map(lambda n: n * 3, Types.LONG())
        second = self.numbers(half + 1, self.options.records).map(lambda n: n * 11, Types.LONG())
        parted = first.union(second).process(ByParity(), Types.STRING())
        self.write(parted, "even")
        self.write(parted.get_side_output(ODD), "odd")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("job")
    parser.add_argument("--records", type=int, required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--execution-mode", default="thread")
    parser.add_argument("--runtime-mode", default="streaming")
    options = parser.parse_args()
    config = Configuration()
    config.set_string("python.execution-mode", options.execution_mode)
    env = StreamExecutionEnvironment.get_execution_environment(config)
    env.set_runtime_mode(RuntimeExecutionMode[options.runtime_mode.upper()])
    env.set_parallelism(2)
    getattr(Jobs(env, options), options.job)()
    env.execute(options.job)


main()
