"""A table that a DataStream script reads whole becomes a stream; every query is refused. Plans are real PyFlink's."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.python_files.handover import LoadOptions
from planner.lint.engine import lint
from tests.support.pyflink_scripts import names, plan_of, plans_of, write_script

TABLES = """\
from pyflink.table import DataTypes, EnvironmentSettings, Schema, StreamTableEnvironment, TableDescriptor
t_env = StreamTableEnvironment.create(stream_execution_environment=env)
def table(name, connector, *options):
    columns = Schema.new_builder().column("id", DataTypes.INT()).column("name", DataTypes.STRING()).build()
    made = TableDescriptor.for_connector(connector).schema(columns)
    for key, value in options:
        made = made.option(key, value)
    t_env.create_temporary_table(name, made.build())
"""
TWO = LoadOptions(parallelism=2)


def test_a_table_is_a_source_and_an_operator_that_gives_its_rows(tmp_path: Path) -> None:
    body = TABLES + "table('gen', 'datagen')\nt_env.to_data_stream(t_env.from_path('gen')).print()"
    found = plan_of(tmp_path, body, TWO)
    # the collection of the head, which nobody reads, has taken id 1
    assert [(n.id, n.name, n.parallelism, n.chaining_strategy) for n in found.stream_graph.nodes] == [
        (2, "Source: gen[1]", 2, "HEAD"),
        (3, "TableToDataStream", 2, "ALWAYS"),
        (4, "Map", 2, "ALWAYS"),
        (5, "Sink: Print to Std. Out", 2, "ALWAYS"),
    ]
    assert [vertex.name for vertex in found.job_graph.vertices] == [
        "Source: gen[1] -> TableToDataStream -> Map -> Sink: Print to Std. Out"
    ]


def test_flink_counts_the_tables_of_a_script(tmp_path: Path) -> None:
    body = TABLES + (
        "table('gen', 'datagen', ('number-of-rows', '5'))\n"
        "one = t_env.from_path('gen')\n"
        "t_env.to_data_stream(one).map(str).print()\n"
        "t_env.to_append_stream(one, Types.ROW([Types.INT(), Types.STRING()])).print()"
    )
    found = names(plan_of(tmp_path, body))
    assert "Source: gen[1]" in found
    assert "Source: gen[3]" in found
    assert "SinkConversion[4]" in found


@pytest.mark.parametrize(
    ("statement", "source", "strategy"),
    [
        ("CREATE TABLE t (id INT, m MAP<STRING, INT>) WITH ('connector' = 'datagen')", "Source: t[1]", "HEAD"),
        ("CREATE TEMPORARY TABLE `t` (id INT, -- it's the id\n PRIMARY KEY (id) NOT ENFORCED) WITH "
         "('connector' = 'filesystem', 'path' = '/in', 'format' = 'csv')", "Source: t[1]", "ALWAYS"),
        ("create table if not exists t (id INT, at TIMESTAMP(3), WATERMARK FOR at AS at - INTERVAL '5' SECOND) WITH "
         "('connector' = 'kafka', 'topic' = 'a')", "Source: KafkaSource-default_catalog.default_database.t", "ALWAYS"),
    ],
)  # fmt: skip
def test_tables_in_sql(statement: str, source: str, strategy: str, tmp_path: Path) -> None:
    body = (
        TABLES + f"t_env.execute_sql({statement!r})\nt_env.to_data_stream(t_env.sql_query('select * from t')).print()"
    )
    node = plan_of(tmp_path, body).stream_graph.nodes[0]
    assert (node.name, node.chaining_strategy) == (source, strategy)


KAFKA = "('connector' = 'kafka', 'topic' = 'a', 'format' = 'json')"
GENERATED = "('connector' = 'datagen')"
FILES = "('connector' = 'filesystem', 'path' = '/in', 'format' = 'csv')"
LATE = "WATERMARK FOR at AS at - INTERVAL '5' SECOND"


@pytest.mark.parametrize(
    ("columns", "connector", "steps"),
    [
        ("id INT COMMENT 'a, b', r ROW<a INT NOT NULL>", GENERATED, []),
        ("id INT, two AS id * 2", GENERATED, ["Calc[2]"]),
        (f"id INT, at TIMESTAMP(3), {LATE}", GENERATED, ["WatermarkAssigner[2]"]),
        (f"s STRING, at AS TO_TIMESTAMP(s), {LATE}", FILES, ["Calc[2]", "WatermarkAssigner[3]"]),
        (f"s STRING, at AS TO_TIMESTAMP(s), {LATE}", KAFKA, ["Calc[2]"]),
        ("id INT NOT NULL", GENERATED, ["ConstraintEnforcer[2]"]),
        ("id INT, PRIMARY KEY (id) NOT ENFORCED", FILES, ["ConstraintEnforcer[2]"]),
        ("id INT, now AS PROCTIME()", KAFKA, ["Calc[2]", "ConstraintEnforcer[3]"]),
        ("id INT, `offset` BIGINT METADATA VIRTUAL", KAFKA, ["Calc[2]"]),
        ("id INT, at BIGINT NOT NULL METADATA FROM 'offset'", KAFKA, ["ConstraintEnforcer[2]"]),
        ("`offset` BIGINT NOT NULL METADATA, id INT", KAFKA, ["Calc[2]", "ConstraintEnforcer[3]"]),
        ("id INT, `leader-epoch` INT METADATA", KAFKA, []),
    ],
)
def test_flinks_operators_upstream_the_source_of_a_table(
    columns: str, connector: str, steps: list[str], tmp_path: Path
) -> None:
    statement = f"CREATE TABLE t ({columns}) WITH {connector}"
    body = TABLES + f"t_env.execute_sql({statement!r})\nt_env.to_data_stream(t_env.from_path('t')).print()"
    assert names(plan_of(tmp_path, body))[1:] == [*steps, "TableToDataStream", "Map", "Sink: Print to Std. Out"]


@pytest.mark.parametrize(
    ("flink", "connector", "expected"),
    [
        ("1.18", GENERATED, ["Source: t[1]", "TableToDataSteam"]),
        ("1.19", FILES, ["Source: t[1]", "TableToDataSteam"]),
        ("1.20", KAFKA, ["Source: t[1]", "TableToDataSteam"]),
        ("2.3", KAFKA, ["Source: KafkaSource-default_catalog.default_database.t", "TableToDataStream"]),
    ],
)
def test_names_of_tables_by_version(flink: str, connector: str, expected: list[str], tmp_path: Path) -> None:
    """Real 1.18.1, 1.19.3 and 1.20.5 write "Steam", and name Kafka's source as any other table's."""
    statement = f"CREATE TABLE t (id INT) WITH {connector}"
    body = TABLES + f"t_env.execute_sql({statement!r})\nt_env.to_data_stream(t_env.from_path('t')).print()"
    assert names(plan_of(tmp_path, body, LoadOptions(flink=flink)))[:2] == expected


def test_nobody_is_asked_for_a_uid_on_the_source_of_a_table(tmp_path: Path) -> None:
    body = f"t_env.execute_sql({f'CREATE TABLE t (id INT) WITH {GENERATED}'!r})\n"
    script = write_script(tmp_path, TABLES + body + "t_env.to_data_stream(t_env.from_path('t')).print()")
    assert lint([str(script)], select=["PL101"]).findings == ()


def test_older_conversions_look_for_no_nulls(tmp_path: Path) -> None:
    body = TABLES + (
        f"t_env.execute_sql({f'CREATE TABLE t (id INT NOT NULL, two AS id * 2) WITH {GENERATED}'!r})\n"
        "t_env.to_retract_stream(t_env.from_path('t'), Types.ROW([Types.INT(), Types.INT()])).print()"
    )
    assert names(plan_of(tmp_path, body))[1:] == ["Calc[2]", "SinkConversion[3]", "Sink: Print to Std. Out"]


def test_records_of_the_script_as_a_table(tmp_path: Path) -> None:
    body = TABLES + (
        "t_env.to_data_stream(t_env.from_elements([(1, 'a')], ['id', 's'])).print()\n"
        "again = t_env.from_elements([(1,)], DataTypes.ROW([DataTypes.FIELD('id', DataTypes.BIGINT(False))]))\n"
        "t_env.to_data_stream(again).print()"
    )
    found = names(plan_of(tmp_path, body))
    assert "Source: *anonymous_python-input-format$1*[1]" in found
    assert "Source: *anonymous_python-input-format$3*[3]" in found
    assert "ConstraintEnforcer[4]" in found


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            f"t_env.execute_sql({f'CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH {KAFKA}'!r})\n"
            "t_env.to_data_stream(t_env.from_path('t'))",
            "has a PRIMARY KEY, which Flink refuses",
        ),
        ("Schema.new_builder().column('id', DataTypes.BIGINT()).primary_key('id').build()", "Column 'id' is nullable"),
    ],
)
def test_keys_that_flink_refuses(body: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(JobDefinitionError, match=message):
        plan_of(tmp_path, TABLES + body)


def test_what_only_touches_tables_changes_no_plan(tmp_path: Path) -> None:
    body = (
        "from pyflink.table import EnvironmentSettings, StreamTableEnvironment\n"
        "settings = EnvironmentSettings.new_instance().in_streaming_mode().build()\n"
        "t_env = StreamTableEnvironment.create(env, environment_settings=settings)\n"
        "t_env.get_config().get_configuration().set_string('parallelism.default', '3')\n"
        "t_env.get_config().set_local_timezone('UTC')\n"
        "rows = lines.map(lambda v: (v,), Types.ROW([Types.STRING()]))\n"
        "t_env.create_temporary_view('view', rows)\n"
        "t_env.to_data_stream(t_env.from_data_stream(rows)).print()"
    )
    found = plan_of(tmp_path, body)
    assert names(found) == ["Source: Collection Source", "Sink: Print to Std. Out", "Map, Map"]
    assert found.job.recorded == ("get_config().set_local_timezone('UTC')",)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("t_env.execute_sql('INSERT INTO a SELECT * FROM b')", "execute_sql: INSERT"),
        ("t_env.sql_query('SELECT id FROM t')", "sql_query"),
        ("table('t', 'datagen')\nt_env.from_path('t').select('id')", "Table.select"),
        ("t_env.from_pandas(None)", "StreamTableEnvironment.from_pandas"),
        ("table('t', 'jdbc')\nt_env.to_data_stream(t_env.from_path('t'))", "'jdbc'"),
        ("t_env.execute_sql(\"CREATE TABLE t (id INT, two AS COALESCE(id, 2)) WITH ('connector' = 'datagen')\")\n"
         "t_env.to_data_stream(t_env.from_path('t'))", "two AS COALESCE(id, 2)"),
        ("t_env.execute_sql(\"CREATE TABLE t (id INT METADATA) WITH ('connector' = 'datagen')\")\n"
         "t_env.to_data_stream(t_env.from_path('t'))", "id INT METADATA"),
        ("from pyflink.table import *\nTableEnvironment.create(None)", "pyflink.table.TableEnvironment"),
        ("t_env.create_temporary_view('v', lines)\nt_env.to_data_stream(t_env.from_path('v'))", "a table of a stream"),
    ],
)  # fmt: skip
def test_queries_are_refused_with_their_place(body: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(JobDefinitionError, match="the script uses the Table API") as refused:
        plans_of(write_script(tmp_path, TABLES + body))
    assert said in refused.value.message
    assert refused.value.location is not None
    assert refused.value.location.line == 6 + len((TABLES + body).splitlines())
