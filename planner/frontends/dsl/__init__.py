"""The Python front end: PyFlink's DataStream names, building the frozen job definition.

Door: the names in `planner/__init__.pyi`. `functions` and `types` are also shipped to Spark's workers.
"""
