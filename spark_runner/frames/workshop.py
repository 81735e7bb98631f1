"""What every pass needs while frames are built: the session, schemas, paths, and frames stored for several readers."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from spark_runner.frames.blame import blamed
from spark_runner.frames.parquet_footers import ParquetFooters
from spark_runner.frames.reports import Reports
from spark_runner.frames.tally import Tally
from spark_runner.program.job_paths import resolved_path
from spark_runner.program.program import SparkProgram

__all__ = ["Workshop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """One program on one session."""

    program: SparkProgram
    spark: SparkSession
    reports: Reports
    tally: Tally
    parquet: ParquetFooters
    kept: list[DataFrame] = field(default_factory=list)
    schemas: dict[str, StructType] = field(default_factory=dict)

    def keep(self, frame: DataFrame) -> DataFrame:
        """Store a frame that several readers need, so that it is computed once."""
        kept = frame.persist(StorageLevel.MEMORY_AND_DISK)
        self.kept.append(kept)
        return kept

    def release(self) -> None:
        """Drop every stored frame."""
        for frame in self.kept:
            frame.unpersist()

    def schema(self, ddl: str) -> StructType:
        """Declared columns as Spark reads them; what is wrong with them is the fault of the operator that declares."""
        if ddl not in self.schemas:
            operations = (operation for one in self.program.passes for operation in one.operations)
            owner = next((o for o in operations if o.operator.output == ddl), None)
            with blamed(owner.operator, owner.name, "declares columns") if owner else nullcontext():
                parsed = StructType.fromDDL(ddl)
                assert isinstance(parsed, StructType)
                self.schemas[ddl] = parsed
        return self.schemas[ddl]

    def path(self, path: str) -> str:
        """A path of the job, relative to its file unless it is absolute or a URL."""
        return resolved_path(path, self.program.file)
