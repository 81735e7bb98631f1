"""Runs an unbounded job on Structured Streaming, as one query of layers.

Door: `opening` (what is known before a session starts) and `running` (the run that supervision follows). What runs on
workers is in `spark_runner/executor`.
"""
