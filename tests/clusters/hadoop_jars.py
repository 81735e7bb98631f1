"""Hadoop's resource manager and node manager: jars of PySpark's own version."""

from __future__ import annotations

from pathlib import Path

from tests.clusters.servers import SPARK_HOME
from tests.support.maven_jars import maven_jars

__all__ = ["hadoop_jars"]


def hadoop_jars() -> Path:
    """The folder with the jars; `NoJars` says why there is none."""
    client = next((SPARK_HOME / "jars").glob("hadoop-client-api-*.jar"))
    version = client.stem.removeprefix("hadoop-client-api-")
    # The minicluster leaves out what only its servers need: a certificate library and the old logging classes.
    artifacts = (
        ("org.apache.hadoop", "hadoop-client-minicluster", version),
        ("org.bouncycastle", "bcpkix-jdk18on", "1.82"),
        ("org.slf4j", "slf4j-reload4j", "1.7.36"),
    )
    return maven_jars(f"hadoop-{version}", artifacts)
