"""The paths and the columns of a streaming job, wherever its batches are written: here, or on a Connect server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql.types import StructType

from spark_runner.program.chunks import ChunkPlan

__all__ = ["Shapes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """What writers need to know of a job. `folder` is that of the job's file."""

    job: ChunkPlan
    folder: Path
    schemas: dict[int, StructType] = field(default_factory=dict)  # of sources that Spark reads, by their number
    package: str | None = None  # a zip of our code, where workers do not have it from the session

    def path(self, path: str) -> str:
        """A path of the job, relative to its file unless it says otherwise."""
        return path if "://" in path or Path(path).is_absolute() else str(self.folder / path)

    def schema(self, columns: str | int) -> StructType:
        """Declared columns, or those of a source."""
        if isinstance(columns, int):
            return self.schemas[columns]
        declared = StructType.fromDDL(columns)
        assert isinstance(declared, StructType)
        return declared
