"""Where a job's paths lead."""

from __future__ import annotations

from pathlib import Path

__all__ = ["resolved_path"]


def resolved_path(path: str, job_file: str) -> str:
    """A path of the job, relative to its file unless it is absolute or a URL."""
    return path if "://" in path or Path(path).is_absolute() else str(Path(job_file).resolve().parent / path)
