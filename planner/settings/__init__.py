"""What can be set, how it is checked, and its JSON Schema: one table for YAML, Python, Flink's options and `--set`.

Door: `job_format` (the keys), `values` (the checks), `pyproject.load_config` (`[tool.plan]`), `durations` and
`quantities` (written values), `restart` and `boundedness`.
"""
