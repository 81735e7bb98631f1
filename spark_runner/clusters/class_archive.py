"""The archive of Spark's classes, with which local runs start sooner.

python -m spark_runner.clusters.class_archive      makes the archive now
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Sequence

from planner.machine.class_archive import ClassArchive
from planner.machine.java import JavaRuntime, find_java

__all__ = ["build_archive", "spark_archive"]

_LONGEST_BUILD = 300  # seconds


def spark_archive(java: JavaRuntime) -> ClassArchive:
    """The archive for a Java: one for each PySpark and place that PySpark is installed in."""
    spark = importlib.metadata.distribution("pyspark")
    return ClassArchive(
        java=java,
        name="spark-classes",
        depends=(spark.version, str(spark.locate_file("pyspark"))),
        builder=("spark_runner.clusters.class_archive",),
    )


def build_archive(java: JavaRuntime) -> bool:
    """Make the archive: run what runs usually do in a JVM that notes its classes."""

    def train(options: Sequence[str]) -> int:
        from spark_runner.clusters.class_archive_training import train

        return train(java, tuple(options), timeout=_LONGEST_BUILD)

    return spark_archive(java).build(train)


if __name__ == "__main__":
    os.nice(19)
    sys.exit(0 if build_archive(find_java()) else 1)
