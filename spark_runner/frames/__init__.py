"""Builds DataFrames from the passes of a program, ships the executor's code, and puts Spark's errors into our words.

Door: `frames.Frames`, `shipping` and `blame`.
"""
