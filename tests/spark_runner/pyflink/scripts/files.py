import glob
import os

from pyflink.common import Types, WatermarkStrategy
from pyflink.common.serialization import Encoder
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
folder = os.path.dirname(os.path.abspath(__file__))
source = os.path.join(folder, "input.txt")
with open(source, "w") as file:
    file.write("to be or not\nto be\n")
lines = env.from_source(
    FileSource.for_record_stream_format(StreamFormat.text_line_format(), source).process_static_file_set().build(),
    WatermarkStrategy.no_watermarks(),
    "lines",
)
words = lines.flat_map(lambda line: line.split(), output_type=Types.STRING())
words.sink_to(FileSink.for_row_format(os.path.join(folder, "words"), Encoder.simple_string_encoder()).build())
words.map(lambda w: (w, len(w)), output_type=Types.TUPLE([Types.STRING(), Types.INT()])).sink_to(
    FileSink.for_row_format(os.path.join(folder, "pairs"), Encoder.simple_string_encoder("UTF-8")).build()
)
env.execute()
found = []
for name in ("words", "pairs"):
    for path in sorted(glob.glob(os.path.join(folder, name, "**", "*"), recursive=True)):
        if os.path.isfile(path) and not path.endswith(".crc") and not os.path.basename(path).startswith("_"):
            with open(path) as file:
                found += [f"{name} {line.strip()}" for line in file]
for line in sorted(found):
    print(line)
