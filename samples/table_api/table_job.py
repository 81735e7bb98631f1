"""Orders and their total per city, in the Table API: plan asks the PyFlink of your own Python.

plan explain samples/table_api/table_job.py --python PATH/TO/python
"""

from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col

tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
tables.execute_sql("""
    CREATE TABLE orders (id BIGINT, city STRING, price DOUBLE, placed AS PROCTIME())
    WITH ('connector' = 'datagen', 'rows-per-second' = '100')
""")
tables.execute_sql("CREATE TABLE totals (city STRING, orders BIGINT, total DOUBLE) WITH ('connector' = 'print')")

totals = (
    tables.from_path("orders")
    .where(col("price") > 10)
    .group_by(col("city"))
    .select(col("city"), col("id").count.alias("orders"), col("price").sum.alias("total"))
)
totals.execute_insert("totals").wait()
