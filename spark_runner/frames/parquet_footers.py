"""What footers of Parquet files on this machine tell without a Spark job: columns, and how many rows there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from planner.job import Reader
from spark_runner.clusters.connect import is_connect

_WRITTEN_BY_SPARK = b"org.apache.spark.sql.parquet.row.metadata"
_GENERAL = ("_metadata", "_common_metadata")  # Spark takes the columns from one of these where there is one


class ParquetFooters:
    """Reads footers where Spark would read the same files: nowhere else is an answer given."""

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self._here: bool | None = None

    def columns(self, reader: Reader, path: str | None) -> str | None:
        """The columns as Spark wrote them down (JSON), which are what it would find by itself with a job."""
        files = self._files(reader, path)
        if not files or self._merges() or any((files[0].parent / name).exists() for name in _GENERAL):
            return None
        footer = _metadata(files[0])
        written = (footer.metadata or {}).get(_WRITTEN_BY_SPARK) if footer is not None else None
        return None if written is None else written.decode()

    def rows(self, reader: Reader, path: str | None) -> int | None:
        """How many rows there are."""
        footers = [_metadata(file) for file in self._files(reader, path) or ()]
        return sum(one.num_rows for one in footers) if footers and None not in footers else None

    def _files(self, reader: Reader, path: str | None) -> list[Path] | None:
        """The files Spark would read, in its order; None where that is not so plain."""
        if path is None or reader.format.lower() != "parquet" or reader.options or not self._are_here():
            return None
        place = Path(path)
        if place.is_file():
            return [place]
        if not place.is_dir():
            return None
        found = [entry for entry in place.iterdir() if not entry.name.startswith(("_", "."))]
        return sorted(found, key=str) if found and all(entry.is_file() for entry in found) else None

    def _are_here(self) -> bool:
        if self._here is None:
            # a path without a scheme lies in the cluster's file system, where there is one
            self._here = not is_connect(self._spark) and str(
                self._spark.sparkContext._jsc.hadoopConfiguration().get("fs.defaultFS", "")
            ).startswith("file:")
        return self._here

    def _merges(self) -> bool:
        return str(self._spark.conf.get("spark.sql.parquet.mergeSchema", "false")) != "false"


def _metadata(file: Path) -> Any:
    from pyarrow.parquet import read_metadata  # costs more to import than most jobs need

    try:
        return read_metadata(file)
    except (OSError, pa.ArrowException):
        return None  # Spark will say what is wrong with it
