"""One module per difference between versions of Flink.

Door: `planner.flink.registry` and `planner.flink.profile`, which put them together.
"""
