"""What every random script begins with: its imports, and functions of all kinds."""

from __future__ import annotations

HEAD = """\
from pyflink.common import Configuration, Duration, Encoder, Row, SimpleStringSchema, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import *
from pyflink.datastream import AsyncDataStream, SlotSharingGroup
from pyflink.datastream.connectors.base import DeliveryGuarantee
from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSink, KafkaSource
from pyflink.datastream.connectors.kafka import KafkaRecordSerializationSchema
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.functions import AllWindowFunction, AsyncRetryStrategy, ProcessAllWindowFunction
from pyflink.datastream.formats.csv import CsvBulkWriters, CsvSchema
from pyflink.datastream.formats.json import JsonRowDeserializationSchema
from pyflink.datastream.state import MapStateDescriptor
from pyflink.datastream.window import *


class Timed(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return 1


class Count(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value


class Both(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    def process_element2(self, value, ctx):
        yield value


class KeyedBoth(KeyedCoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    def process_element2(self, value, ctx):
        yield value


class Maps(CoMapFunction):
    def map1(self, value):
        return value

    def map2(self, value):
        return value


class Flats(CoFlatMapFunction):
    def flat_map1(self, value):
        yield value

    def flat_map2(self, value):
        yield value


class Rules(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        pass


class KeyedRules(KeyedBroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        pass


class Whole(ProcessWindowFunction):
    def process(self, key, context, elements):
        return []


class Applied(WindowFunction):
    def apply(self, key, window, inputs):
        return []


class All(ProcessAllWindowFunction):
    def process(self, context, elements):
        return []


class Each(ProcessFunction):
    def process_element(self, value, ctx):
        yield value


class Sum(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a


class Ask(AsyncFunction):
    async def async_invoke(self, value):
        return [value]


class Gap(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return 10


class Mine(TumblingEventTimeWindows):
    pass


def kafka(schema=None):
    made = KafkaSource.builder().set_bootstrap_servers("h:1").set_topics("t")
    return made.set_value_only_deserializer(schema or SimpleStringSchema())


def kafka_sink(guarantee="AT_LEAST_ONCE", selector=None):
    serializer = KafkaRecordSerializationSchema.builder().set_value_serialization_schema(SimpleStringSchema())
    serializer = serializer.set_topic("t") if selector is None else serializer.set_topic_selector(selector)
    made = KafkaSink.builder().set_bootstrap_servers("h:1").set_record_serializer(serializer.build())
    return made.set_delivery_guarantee(DeliveryGuarantee[guarantee]).set_transactional_id_prefix("p").build()


tag = OutputTag("late", Types.STRING())
plain_tag = OutputTag("other")
rules = MapStateDescriptor("rules", Types.STRING(), Types.STRING())
"""

_ASYNC = """class Ask(AsyncFunction):
    async def async_invoke(self, value):
        return [value]


"""
_CONSUMER = """
PROPERTIES = {"bootstrap.servers": "h:1", "group.id": "g"}
JSON = JsonRowDeserializationSchema.builder().type_info(Types.ROW([Types.INT()])).build()


def consumer(schema=None):
    return FlinkKafkaConsumer("t", schema or SimpleStringSchema(), PROPERTIES)


def producer():
    return FlinkKafkaProducer("t", SimpleStringSchema(), PROPERTIES)
"""
HEAD_1X = (
    HEAD.replace(_ASYNC, "")
    .replace("import AsyncDataStream, SlotSharingGroup", "import SlotSharingGroup, TimeCharacteristic")
    .replace("AllWindowFunction, AsyncRetryStrategy,", "AllWindowFunction,")
    .replace(
        "from pyflink.common.watermark_strategy",
        "from pyflink.common import ExecutionMode, RestartStrategies\nfrom pyflink.common.watermark_strategy",
        1,
    )
    .replace(
        "import FileSink, FileSource, StreamFormat", "import FileSink, FileSource, StreamFormat, StreamingFileSink"
    )
    .replace(
        "import KafkaOffsetsInitializer,",
        "import FlinkKafkaConsumer, FlinkKafkaProducer, KafkaOffsetsInitializer,",
    )
    + _CONSUMER
)
