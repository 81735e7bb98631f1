from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
words = env.from_collection(["b", "a", "b"], Types.STRING())
pairs = words.map(lambda w: (w, 1), output_type=Types.TUPLE([Types.STRING(), Types.INT()]))
with pairs.key_by(lambda p: p[0]).sum(1).execute_and_collect("sums") as results:
    found = list(results)
print(sorted(found), found[0].__class__.__name__)
print(words.map(lambda w: {"word": w}).execute_and_collect(limit=2))
rows = words.map(lambda w: Row(w, 1.5), output_type=Types.ROW([Types.STRING(), Types.FLOAT()]))
for row in rows.execute_and_collect():
    print(row, type(row).__name__, row[1])
