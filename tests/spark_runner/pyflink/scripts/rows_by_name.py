from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
rows = env.from_collection(
    [("a", 1), ("b", 2), ("a", 3)], Types.ROW_NAMED(["name", "count"], [Types.STRING(), Types.INT()])
)
rows.map(lambda row: row.name + str(row["count"]) + str(row[1]), output_type=Types.STRING()).print()
rows.key_by(lambda row: row.name).sum("count").print()
made = rows.map(
    lambda row: Row(who=row.name, twice=row[1] * 2),
    output_type=Types.ROW_NAMED(["who", "twice"], [Types.STRING(), Types.LONG()]),
)
made.filter(lambda row: row.twice > 2).print()
env.execute()
