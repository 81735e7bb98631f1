"""The ids of runs, completed in the shell."""

from __future__ import annotations

from pathlib import Path


def complete_run(incomplete: str) -> list[str]:
    """The ids of this folder's runs that begin so, the newest first."""
    from spark_runner.runs.store import RunStore

    records = RunStore.under(Path.cwd()).runs()
    return [record.id for record in reversed(records) if record.id.startswith(incomplete)]
