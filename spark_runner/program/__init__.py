"""What will run on Spark, as plain data without PySpark: passes, exchanges, sinks, and who counts what.

Door: `program.SparkProgram`; `stage_shapes` and `counts` for the figures of a run.
"""
