"""The other side of the Spark figures: the same pipelines, written by hand in PySpark."""
