"""What all queries share: the three tables, where they are read from, and where results go.

| environment variable | |
| --- | --- |
| NEXMARK_DATA | the folder of the tables; `data` beside this file unless set |
| NEXMARK_FORMAT | how they are stored: csv unless set |
| NEXMARK_UNBOUNDED | set: wait for new files for ever |
| NEXMARK_RESULTS | how results are written: json unless set; `noop` writes none |
"""

import os
from pathlib import Path

from planner import ReaderSource, StreamExecutionEnvironment, Types, WatermarkStrategy, WriterSink

TEXT, WHOLE = Types.STRING(), Types.LONG()
# Times are milliseconds since 1970, prices are cents.
PERSON = Types.ROW_NAMED(
    ["id", "name", "email_address", "credit_card", "city", "state", "date_time", "extra"],
    [WHOLE, TEXT, TEXT, TEXT, TEXT, TEXT, WHOLE, TEXT],
)
AUCTION = Types.ROW_NAMED(
    ["id", "item_name", "description", "initial_bid", "reserve", "date_time", "expires", "seller", "category", "extra"],
    [WHOLE, TEXT, TEXT, WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, TEXT],
)
BID = Types.ROW_NAMED(
    ["auction", "bidder", "price", "channel", "url", "date_time", "extra"],
    [WHOLE, WHOLE, WHOLE, TEXT, TEXT, WHOLE, TEXT],
)

DATA = Path(os.environ.get("NEXMARK_DATA") or Path(__file__).with_name("data")).absolute()
FORMAT = os.environ.get("NEXMARK_FORMAT") or "csv"
UNBOUNDED = bool(os.environ.get("NEXMARK_UNBOUNDED"))
RESULTS = os.environ.get("NEXMARK_RESULTS") or "json"


def environment():
    """Two subtasks of everything, and room to have more of them later."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    env.set_max_parallelism(128)
    return env


def people(env):
    """New people."""
    return _table(env, "people", PERSON)


def auctions(env):
    """New auctions."""
    return _table(env, "auctions", AUCTION)


def bids(env):
    """Bids."""
    return _table(env, "bids", BID)


def _table(env, name, type_info):
    source = ReaderSource(FORMAT, str(DATA / name), {"maxFilesPerTrigger": 1}, bounded=not UNBOUNDED)
    # Events are written in the order of their times.
    in_order = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner("date_time")
    table = env.from_source(source, in_order, name, type_info).uid(name)
    # Files that come one by one need one reader: a second one, without a file, would hold back event time.
    return table.set_parallelism(1) if UNBOUNDED else table


def write(stream):
    """Results go to the folder `output` beside the query."""
    path = "output" if RESULTS != "noop" else None
    return stream.sink_to(WriterSink(RESULTS, path, mode="overwrite")).name("results")
