"""The archive of Flink's classes, with which Flink answers sooner: one for SQL scripts and one for jars.

python -m planner.frontends.flink_compiler.class_archive sql FLINK_HOME      makes the archive now
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from planner.frontends.flink_compiler.installation import FlinkInstallation, find_installation
from planner.frontends.flink_compiler.process import run_beside_flink
from planner.frontends.flink_compiler.request import FlinkRequest
from planner.frontends.flink_compiler.sql_script import read_statements
from planner.machine.class_archive import ClassArchive
from planner.machine.java import JavaRuntime, find_java

__all__ = ["build_archive", "flink_archive"]

_LONGEST_BUILD = 300  # seconds
# A little of what scripts do. The classes that a JVM loads for it are most of those that it loads for any script.
_TRAINING = """
SET 'parallelism.default' = '2';
CREATE TABLE o (id BIGINT, item STRING, price DOUBLE, t TIMESTAMP(3), p AS PROCTIME(),
                WATERMARK FOR t AS t - INTERVAL '5' SECOND) WITH ('connector' = 'datagen');
CREATE TABLE c (id BIGINT, name STRING, t TIMESTAMP(3), WATERMARK FOR t AS t) WITH ('connector' = 'datagen');
CREATE TABLE s (id BIGINT, item STRING, n BIGINT) WITH ('connector' = 'blackhole');
CREATE TABLE r (id BIGINT, item STRING, n BIGINT) WITH ('connector' = 'print');
CREATE VIEW v AS SELECT id, UPPER(item) AS item, COUNT(*) AS n FROM o WHERE price > 1 GROUP BY id, item;
EXECUTE STATEMENT SET BEGIN
INSERT INTO s SELECT id, item, n FROM v;
INSERT INTO r SELECT o.id, c.name, 1 FROM o JOIN c ON o.id = c.id AND o.t BETWEEN c.t - INTERVAL '1' HOUR AND c.t;
END;
INSERT INTO s SELECT id, LAST_VALUE(item), SUM(id)
FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(t), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, id;
INSERT INTO r SELECT id, item, n FROM (
  SELECT *, 2 AS n, ROW_NUMBER() OVER (PARTITION BY id ORDER BY p DESC) AS k FROM o) WHERE k = 1;
INSERT INTO s SELECT o.id, c.name, COUNT(DISTINCT o.item) FROM o LEFT JOIN c ON o.id = c.id GROUP BY o.id, c.name;
SELECT id FROM o UNION ALL SELECT id FROM c;
"""


def flink_archive(java: JavaRuntime, installation: FlinkInstallation, way: str) -> ClassArchive:
    """The archive for a Java and an installation of Flink."""
    stamps = [(jar, jar.stat()) for jar in installation.jars]
    return ClassArchive(
        java=java,
        name=f"flink-{way}-classes",
        depends=(
            importlib.metadata.version("py4j"),
            *(f"{jar} {stamp.st_size} {int(stamp.st_mtime)}" for jar, stamp in stamps),
        ),
        builder=("planner.frontends.flink_compiler.class_archive", way, str(installation.folder)),
    )


def build_archive(java: JavaRuntime, installation: FlinkInstallation, way: str) -> bool:
    """Make the archive: let Flink compile a little of everything in a JVM that notes its classes."""

    def train(options: Sequence[str]) -> int:
        request = {
            "way": "training",
            "java": str(java.executable),
            "java_options": list(options),
            "class_path": [str(jar) for jar in installation.class_path(way)],
            "configuration": {},
            "statements": [one.to_dict() for one in read_statements(_TRAINING)] if way == "sql" else [],
        }
        outcome = run_beside_flink(request, time_limit=_LONGEST_BUILD)
        return 0 if outcome.of("end") else 1

    return flink_archive(java, installation, way).build(train)


if __name__ == "__main__":
    os.nice(19)
    _found = find_installation(FlinkRequest(homes=(("FLINK_HOME", Path(sys.argv[2])),)))
    sys.exit(0 if build_archive(find_java(user="Flink"), _found, sys.argv[1]) else 1)
