"""`plan schema`: the JSON Schema of the YAML format."""

from __future__ import annotations

from cli import console


def schema() -> None:
    """Print the JSON Schema of the YAML job format, for editors.

    Examples:
      plan schema > job.schema.json
    """
    from planner.frontends.yaml.schema import job_schema

    console.write_json(job_schema())
