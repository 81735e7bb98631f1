"""One module per rule that looks at what PyFlink does to a job.

Door: `planner.lint.registry`, which lists them.
"""
