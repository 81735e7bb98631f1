"""Runs a plan on Spark through PySpark. `docs/architecture.md` shows the rooms and the way of a job through them.

Door: `runs`, for the command line. Each room imports only the rooms below it.
"""
