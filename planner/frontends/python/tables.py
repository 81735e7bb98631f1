"""`StreamTableEnvironment`, as far as a DataStream job touches it: a table that is read whole becomes a stream.

Flink has a planner for tables, and this is none. What reads one table as it is, or takes a stream there and back, has
the plan that Flink makes of it; every query is refused with its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NoReturn

from planner.errors import JobDefinitionError
from planner.flink.differences import flink as flink_profile
from planner.frontends.python.environment import StreamExecutionEnvironment
from planner.frontends.python.other_apis import refuse_tables
from planner.frontends.python.table_definitions import (
    Definition,
    Schema,
    TableDescriptor,
    columns_of,
    created_table,
)
from planner.frontends.python.values.configuration import Configuration
from planner.frontends.python.values.types import (
    BasicType,
    BasicTypeInfo,
    ExternalTypeInfo,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)
from planner.frontends.python.versions import version
from planner.frontends.python_files.places import user_location
from planner.job import Helper, PythonFunction

if TYPE_CHECKING:
    from planner.frontends.python.streams import DataStream

__all__ = ["EnvironmentSettings", "StreamTableEnvironment", "Table"]

_WHOLE: Final = re.compile(r"\s*SELECT\s+\*\s+FROM\s+(?P<name>[\w.`]+)\s*;?\s*", re.IGNORECASE)
_DEFINES: Final = ("CREATE", "DROP", "USE", "SET", "RESET", "ALTER", "LOAD", "UNLOAD", "ADD", "REMOVE")
_ELEMENTS: Final = "python-input-format"
_LEGACY: Final = frozenset({"datagen", _ELEMENTS})  # read by a SourceFunction or an InputFormat
_CATALOG: Final = ("default_catalog", "default_database")
_KNOWN: Final = ("datagen", "filesystem", "kafka", _ELEMENTS)


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
        if all(isinstance(given, Schema) for given in fields_or_schema):
            self._environment._ledger.take_unnamed()
        return Table("a stream", None, None if fields_or_schema else data_stream)

    def from_elements(self, elements: Any, schema: Any = None, verify_schema: bool = True) -> Table:
        """A table of a script's own records."""
        records = list(elements)
        columns = columns_of(schema, records[0] if records else ())
        number = self._environment._ledger.take_unnamed()
        made = Definition(columns=columns, options={"connector": _ELEMENTS}, records=tuple(records))
        return Table(f"*anonymous_{_ELEMENTS}${number}*", made)

    def create_temporary_view(self, view_path: str, table_or_data_stream: Any, *fields_or_schema: Any) -> None:
        """A table or a stream by another name."""
        made = table_or_data_stream
        if not isinstance(made, Table):
            made = Table(view_path, None)  # Flink puts an operator of its own after a stream with a name
        self._tables[view_path] = made

    def to_data_stream(self, table: Table) -> DataStream:
        """The rows of a table."""
        if table._plan_stream is not None and isinstance(table._plan_stream.get_type(), RowTypeInfo):
            return table._plan_stream
        return self._rows(table, None)

    def to_changelog_stream(self, table: Table, *target: Any) -> DataStream:
        """The rows of a table with their kinds."""
        if target:
            refuse_tables("to_changelog_stream with a schema")
        return self._rows(table, None)

    def to_append_stream(self, table: Table, type_info: TypeInformation) -> DataStream:
        """The rows of a table, of a type of the script's."""
        return self._rows(table, type_info)

    def to_retract_stream(self, table: Table, type_info: TypeInformation) -> DataStream:
        """The rows of a table, of a type of the script's, each with whether it was added."""
        return self._rows(table, TupleTypeInfo([BasicTypeInfo(BasicType.BOOLEAN), type_info]))

    def _rows(self, table: Table, kind: TypeInformation | None) -> DataStream:
        """A table's source and Flink's operators after it. Those of one table are numbered in a row."""
        definition = self._readable(table)
        made = kind or ExternalTypeInfo(RowTypeInfo([TypeInformation()] * len(definition.names), definition.names))
        steps = ["Calc[{}]"] * definition.calculated + ["WatermarkAssigner[{}]"] * definition.assigned
        calls, ledger = self._environment._translation, self._environment._ledger
        if kind is None:
            ledger.take_unnamed()
        number = ledger.take_table_nodes(2 + len(steps))
        read = calls.operator(
            [], "source", made, name=_source_name(table._plan_name, definition, number),
            legacy=definition.connector in _LEGACY or None, bounded=_ends(definition),
            behaviour=PythonFunction(target=definition), label="table",
            remarks=(f"connector:table {table._plan_name} of {definition.connector}",),
        )  # fmt: skip
        last = number + 1 + len(steps)
        steps = [step.format(number + 1 + at) for at, step in enumerate(steps)]
        if kind is None and definition.without_nulls:
            steps.append(f"ConstraintEnforcer[{last}]")  # a part of what gives the rows
        rows = flink_profile(version()).table_rows_name if kind is None else f"SinkConversion[{last}]"
        for step in [*steps, rows]:
            helper: Helper = "table_rows" if step.startswith(("Table", "Sink")) else "table_step"
            read = calls.operator(
                [read], "map", made, name=step, label=helper, helper=helper, behaviour=PythonFunction(target=definition)
            )
        return self._environment._stream(read)

    def _readable(self, table: Table) -> Definition:
        """The definition of a table that has a plan here."""
        definition = table._plan_definition
        if definition is None:
            refuse_tables("a table of a stream")
        if self._mode != self._environment._settings.get("runtime_mode"):
            raise JobDefinitionError(
                "set_runtime_mode() was called after StreamTableEnvironment.create(): Flink refuses that",
                location=user_location(), hint="call it before",
            )  # fmt: skip
        if definition.connector not in _KNOWN or "scan.parallelism" in definition.options:
            refuse_tables(f"{table._plan_name} of connector {definition.connector!r}")
        if definition.beyond is not None:
            refuse_tables(f"a column of {table._plan_name}: {definition.beyond}")
        if definition.connector == "kafka" and definition.has_key and "-" not in definition.options.get("format", "-"):
            raise JobDefinitionError(
                f"Kafka's table {table._plan_name} has a PRIMARY KEY, which Flink refuses: its records are only added",
                location=user_location(), hint="leave the key out",
            )  # fmt: skip
        return definition

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse_tables(f"StreamTableEnvironment.{name}")


def _source_name(table: str, definition: Definition, number: int) -> str:
    if definition.connector == "kafka" and flink_profile(version()).kafka_connector >= 4:
        return "KafkaSource-" + ".".join([*_CATALOG, *table.split(".")][-3:])
    return f"{table.rpartition('.')[2]}[{number}]"


def _ends(definition: Definition) -> bool:
    options = definition.options
    if definition.connector == "datagen":
        return "number-of-rows" in options
    if definition.connector == "kafka":
        return options.get("scan.bounded.mode", "unbounded") != "unbounded"
    return "source.monitor-interval" not in options
