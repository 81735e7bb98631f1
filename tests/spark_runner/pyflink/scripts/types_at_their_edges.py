import datetime
import enum
from decimal import Decimal

from pyflink.common import Duration, Row, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import AggregateFunction, KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor
from pyflink.datastream.window import TumblingEventTimeWindows

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)


class Colour(str, enum.Enum):  # noqa: UP042
    RED = "red"


class Number(int):
    pass


ZONE = datetime.timezone(datetime.timedelta(hours=2))
AWARE = datetime.datetime(2020, 1, 1, 1, 0, 0, 123456, tzinfo=ZONE)
VALUES = {
    "fractions are cut off": (1.7, Types.INT()),
    "negative fractions too": (-1.7, Types.LONG()),
    "a decimal as a number": (Decimal("2.9"), Types.SHORT()),
    "true as a number": (True, Types.INT()),
    "an int as a boolean": (2, Types.BOOLEAN()),
    "half as a boolean": (0.5, Types.BOOLEAN()),
    "an int as a decimal": (3, Types.BIG_DEC()),
    "an int as a double": (3, Types.DOUBLE()),
    "a decimal as a double": (Decimal("0.1"), Types.DOUBLE()),
    "a float": (0.1, Types.FLOAT()),
    "an enum as a string": (Colour.RED, Types.STRING()),
    "an int's child": (Number(4), Types.INT()),
    "a time with its zone": (AWARE, Types.SQL_TIMESTAMP()),
    "a time as a date": (AWARE, Types.SQL_DATE()),
    "microseconds of a day": (datetime.time(1, 2, 3, 456789), Types.SQL_TIME()),
    "a tuple that is too long": ((1, "a", 3), Types.TUPLE([Types.INT(), Types.STRING()])),
    "a row that is too long": (Row(1, "a", 3), Types.ROW([Types.INT(), Types.STRING()])),
    "nulls in a row": (Row(None, None), Types.ROW([Types.INT(), Types.STRING()])),
    "a pickled null in a tuple": ((None, 1), Types.TUPLE([Types.PICKLED_BYTE_ARRAY(), Types.INT()])),
    "a null in an array": ([None, "a"], Types.BASIC_ARRAY(Types.STRING())),
    "a null in a map": ({"a": None}, Types.MAP(Types.STRING(), Types.INT())),
    "bytes that can change": (bytearray(b"ab"), Types.PRIMITIVE_ARRAY(Types.BYTE())),
}
one = env.from_collection([1], Types.INT())
for name, (value, kind) in VALUES.items():
    made = one.map(lambda _: value, kind).rebalance()
    made.map(lambda found: f"{name}: {type(found).__name__} {found!r}", Types.STRING()).print()


class Looks(KeyedProcessFunction):
    def open(self, context):
        self.seen = context.get_list_state(ListStateDescriptor("seen", Types.INT()))

    def process_element(self, value, ctx):
        before = self.seen.get()
        self.seen.add(value)
        yield f"list state: {list(before)} {list(before)} {ctx.get_current_key()}"


numbers = env.from_collection([1, 2, 3], Types.INT())
numbers.key_by(lambda n: None, Types.STRING()).process(Looks(), Types.STRING()).print()


class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class Large(AggregateFunction):
    def create_accumulator(self):
        return None

    def add(self, value, accumulator):
        return value + (accumulator or 0)

    def get_result(self, accumulator):
        return accumulator if accumulator > 4 else None

    def merge(self, a, b):
        return a + b


stamped = env.from_collection([1, 2, 3, 11, 21, 22], Types.LONG()).assign_timestamps_and_watermarks(
    WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(0)).with_timestamp_assigner(Stamp())
)
windows = stamped.key_by(lambda n: n % 2).window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
windows.aggregate(Large()).map(lambda total: f"windows without a result: {total}", Types.STRING()).print()

env.execute()
