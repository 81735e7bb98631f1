"""`StreamTableEnvironment`, as far as a DataStream job touches it: a table that is read whole becomes a stream.

Flink has a planner for tables, and this is none. What reads one table as it is, or takes a stream there and back, has
the plan that Flink makes of it; every query is refused with its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NoReturn

from planner.errors import JobDefinitionError
from planner.frontends.pyflink.environment import StreamExecutionEnvironment
from planner.frontends.pyflink.other_apis import refuse_tables
from planner.frontends.pyflink.table_definitions import Definition, TableDescriptor, created_table
from planner.frontends.pyflink.values.configuration import Configuration
from planner.frontends.pyflink.values.types import ExternalTypeInfo, RowTypeInfo, TypeInformation
from planner.frontends.scripts.places import user_location
from planner.job import PythonFunction

if TYPE_CHECKING:
    from planner.frontends.pyflink.streams import DataStream

__all__ = ["EnvironmentSettings", "StreamTableEnvironment", "Table"]

_WHOLE: Final = re.compile(r"\s*SELECT\s+\*\s+FROM\s+(?P<name>[\w.`]+)\s*;?\s*", re.IGNORECASE)
_DEFINES: Final = ("CREATE", "DROP", "USE", "SET", "RESET", "ALTER", "LOAD", "UNLOAD", "ADD", "REMOVE")
_LEGACY: Final = frozenset({"datagen"})  # read by a SourceFunction
_CATALOG: Final = ("default_catalog", "default_database")
_KNOWN: Final = ("datagen", "filesystem", "kafka")


class EnvironmentSettings:
    """The settings of a table environment: nothing in a stream depends on them."""

    class Builder:
        """Settings under construction."""

        def in_batch_mode(self) -> NoReturn:
            """Refused: the streams of a batch table environment run in another mode."""
            refuse_tables("EnvironmentSettings.in_batch_mode")

        def build(self) -> EnvironmentSettings:
            """The settings."""
            return EnvironmentSettings()

        def __getattr__(self, name: str) -> Any:
            if not name.startswith(("in_streaming_mode", "with_", "use_")):
                raise AttributeError(name)
            return lambda *_: self

    @staticmethod
    def new_instance() -> EnvironmentSettings.Builder:
        """Begin settings."""
        return EnvironmentSettings.Builder()

    @staticmethod
    def in_streaming_mode() -> EnvironmentSettings:
        """Settings of a stream."""
        return EnvironmentSettings()

    @staticmethod
    def in_batch_mode() -> NoReturn:
        """Refused: the streams of a batch table environment run in another mode."""
        refuse_tables("EnvironmentSettings.in_batch_mode")


class Table:
    """A table that is read as it is, or a stream that was taken for one."""

    def __init__(self, name: str, definition: Definition | None, stream: DataStream | None = None) -> None:
        self._plan_name = name
        self._plan_definition = definition
        self._plan_stream = stream

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse_tables(f"Table.{name}")


class _Statement:
    """The result of a statement that only defines something."""

    def wait(self, timeout_ms: int | None = None) -> None:
        """Nothing to wait for."""

    def print(self) -> None:
        """Nothing to print."""

    def get_job_client(self) -> None:
        """No job."""


class _TableConfig:
    """The options of tables, recorded with the environment's."""

    def __init__(self, environment: StreamExecutionEnvironment) -> None:
        self._environment = environment

    def set(self, key: str, value: Any) -> _TableConfig:
        """Set an option; Flink's own options are those of the stream environment too."""
        self._environment.configure(Configuration.from_dict({key: value}))
        return self

    set_string = set_boolean = set_integer = set_float = set

    def get_configuration(self) -> _TableConfig:
        """The options."""
        return self

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("set_"):
            raise AttributeError(name)
        return lambda *values: self._environment._record(f"get_config().{name}({', '.join(map(repr, values))})")


class StreamTableEnvironment:
    """Tables beside streams."""

    def __init__(self, environment: StreamExecutionEnvironment) -> None:
        self._environment = environment
        self._mode = environment._settings.get("runtime_mode")
        self._tables: dict[str, Table] = {}

    @staticmethod
    def create(
        stream_execution_environment: StreamExecutionEnvironment | None = None, environment_settings: Any = None
    ) -> StreamTableEnvironment:
        """Tables beside the streams of an environment."""
        return StreamTableEnvironment(stream_execution_environment or StreamExecutionEnvironment())

    def get_config(self) -> _TableConfig:
        """The options of tables."""
        return _TableConfig(self._environment)

    def create_temporary_table(self, path: str, descriptor: TableDescriptor, ignore_if_exists: bool = False) -> None:
        """Define a table."""
        self._tables[path] = Table(path, descriptor.definition)

    create_table = create_temporary_table

    def execute_sql(self, stmt: str) -> _Statement:
        """Take a statement that defines something; refuse one that computes."""
        word = stmt.split(None, 1)[0].upper() if stmt.strip() else ""
        if word not in _DEFINES:
            refuse_tables(f"execute_sql: {word}")
        if (made := created_table(stmt)) is not None:
            self._tables[made[0]] = Table(*made)
        return _Statement()

    def from_path(self, path: str) -> Table:
        """A table by its name."""
        known = self._tables.get(path.replace("`", ""))
        if known is None:
            raise JobDefinitionError(
                f"the script defines no table {path!r}", location=user_location(),
                hint="define it with create_temporary_table() or execute_sql('CREATE TABLE ...')",
            )  # fmt: skip
        return known

    def sql_query(self, query: str) -> Table:
        """A whole table; any other query is refused."""
        whole = _WHOLE.fullmatch(query)
        if whole is None:
            refuse_tables("sql_query")
        return self.from_path(whole["name"])

    def from_data_stream(self, data_stream: DataStream, *fields_or_schema: Any) -> Table:
        """A stream as a table."""
        return Table("a stream", None, None if fields_or_schema else data_stream)

    def create_temporary_view(self, view_path: str, table_or_data_stream: Any, *fields_or_schema: Any) -> None:
        """A table or a stream by another name."""
        made = table_or_data_stream
        if not isinstance(made, Table):
            made = Table(view_path, None)  # Flink puts an operator of its own behind a stream with a name
        self._tables[view_path] = made

    def to_data_stream(self, table: Table) -> DataStream:
        """The rows of a table."""
        if table._plan_stream is not None and isinstance(table._plan_stream.get_type(), RowTypeInfo):
            return table._plan_stream
        return self._rows(table, "TableToDataStream", None)

    def to_changelog_stream(self, table: Table, *target: Any) -> DataStream:
        """The rows of a table with their kinds."""
        if target:
            refuse_tables("to_changelog_stream with a schema")
        return self._rows(table, "TableToDataStream", None)

    def to_append_stream(self, table: Table, type_info: TypeInformation) -> DataStream:
        """The rows of a table, of a type of the script's."""
        return self._rows(table, "SinkConversion[{}]", type_info)

    def _rows(self, table: Table, name: str, kind: TypeInformation | None) -> DataStream:
        definition = table._plan_definition
        if definition is None:
            refuse_tables("a table of a stream")
        beyond = definition.beyond or (None if definition.connector == "kafka" else definition.watermark)
        if beyond is not None:  # Kafka's source takes a watermark over, others get an operator behind them
            refuse_tables(f"{table._plan_name} has more than plain columns: {beyond}")
        if self._mode != self._environment._settings.get("runtime_mode"):
            raise JobDefinitionError(
                "set_runtime_mode() was called after StreamTableEnvironment.create(): Flink refuses that",
                location=user_location(), hint="call it before",
            )  # fmt: skip
        if definition.connector not in _KNOWN or "scan.parallelism" in definition.options:
            refuse_tables(f"{table._plan_name} of connector {definition.connector!r}")
        made = kind or ExternalTypeInfo(RowTypeInfo([TypeInformation()] * len(definition.columns), definition.columns))
        environment = self._environment
        number = environment._ledger.take_table_nodes()
        source = environment._calls.operator(
            [], "source", made, name=_source_name(table._plan_name, definition, number),
            legacy=definition.connector in _LEGACY or None, bounded=_ends(definition),
            behaviour=PythonFunction(target=definition), label="table",
            remarks=(f"connector:table {table._plan_name} of {definition.connector}",),
        )  # fmt: skip
        rows = environment._calls.operator(
            [source], "map", made, name=name.format(number + 1), label="table_rows", helper="table_rows",
            behaviour=PythonFunction(target=definition),
        )  # fmt: skip
        return environment._stream(rows)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse_tables(f"StreamTableEnvironment.{name}")


def _source_name(table: str, definition: Definition, number: int) -> str:
    if definition.connector == "kafka":
        return "KafkaSource-" + ".".join([*_CATALOG, *table.split(".")][-3:])
    return f"{table.rpartition('.')[2]}[{number}]"


def _ends(definition: Definition) -> bool:
    options = definition.options
    if definition.connector == "datagen":
        return "number-of-rows" in options
    if definition.connector == "kafka":
        return options.get("scan.bounded.mode", "unbounded") != "unbounded"
    return "source.monitor-interval" not in options
