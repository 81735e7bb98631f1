"""Flink's four graphs, from the job to its subtasks.

Door: the types `StreamGraph`, `JobGraph`, `ExecutionGraph` and `Physical`, each in its module; `state` (which operators
keep state), `state_lookup` (under which id it is found) and `obstacle` (why an edge is not chained). The `build_...`
functions are called by `planner.pipeline` alone.
"""
