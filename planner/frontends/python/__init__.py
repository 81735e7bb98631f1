"""The Python API: PyFlink's classes, for files that import `planner` and for files that import `pyflink`.

Door: the names in `planner/__init__.pyi`, and `stand_in.pyflink_stand_in`, which lets `import pyflink` find them.
A call on a stream (`streams`, `keyed`, `windowed`, `connected`) is checked by `checks` and becomes drafts by `calls`
(as in Java) or `pyflink_calls` (as in PyFlink); `environment` freezes them to a job. `extensions` has what only ours
has.
"""
