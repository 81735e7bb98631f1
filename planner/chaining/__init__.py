"""Flink's twelve chaining conditions, evaluated on every edge.

Door: `evaluation.find_obstacles`, `conditions.check_conditions` and `registry.RULES`. A rule is one file in
`rules/` and its lines in `registry`.
"""
