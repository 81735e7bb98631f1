"""Flink's twelve chaining conditions: one place for jobs that we compile and for jobs that Flink describes.

Door: `evaluation.find_obstacles`, `evaluation.check_conditions`, `facts.Facts` and `registry.RULES`. A rule is one
file in `rules/` and its lines in `registry`.
"""
