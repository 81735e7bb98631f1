"""Lowers and runs the jobs of PyFlink scripts.

Door: `lower.lower_pyflink` and `execute.execute_bounded`. What runs on workers is in `spark_runner/executor/formats`.
"""
