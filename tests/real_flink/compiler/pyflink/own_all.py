from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udf

t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.get_config().set("parallelism.default", "3")
t.execute_sql("CREATE TABLE o (id BIGINT, item STRING) WITH ('connector'='datagen')")
t.execute_sql("CREATE TABLE s (item STRING, n BIGINT) WITH ('connector'='blackhole')")
t.execute_sql("CREATE TABLE s2 (item STRING, n BIGINT) WITH ('connector'='print','sink.parallelism'='1')")


@udf(result_type=DataTypes.STRING())
def shout(x):
    return x.upper()


t.create_temporary_function("shout", shout)
t.from_path("o").select(shout(col("item")), col("id")).execute_insert("s").wait()
t.execute_sql("INSERT INTO s SELECT shout(item), COUNT(*) FROM o GROUP BY shout(item)")
st = t.create_statement_set()
st.add_insert_sql("INSERT INTO s SELECT item, id FROM o")
st.add_insert("s2", t.from_path("o").select(col("item"), col("id")))
st.execute()
t.sql_query("SELECT item, COUNT(*) FROM o GROUP BY item").execute().print()
with t.sql_query("SELECT id FROM o LIMIT 3").execute().collect() as rows:
    for row in rows:
        print(row)
print(t.sql_query("SELECT id FROM o LIMIT 3").to_pandas())
