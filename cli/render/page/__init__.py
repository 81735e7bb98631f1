"""Self-contained HTML pages: the plan with all its stages, and the report of a run.

Door: `plan` and `run_report`.
"""
