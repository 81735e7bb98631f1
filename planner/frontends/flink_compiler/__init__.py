"""Flink's own compiler as a front end: SQL scripts, jars and Table API scripts.

Flink compiles the program in a process of its own; what it would submit is read, and nothing is. The graphs have the
format of `planner.frontends.flink_export`, so everything after it treats them as the exports that they are.

Door: `loading.load_compiled`.
"""
