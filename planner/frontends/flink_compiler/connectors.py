"""Which Maven artifact has a connector, a format or a catalog, for a version of Flink.

Connectors that are released apart from Flink end in the Flink that they were built for: 3.2.0-1.19. One for an older
Flink of the same major version works with a newer one. Formats have Flink's own version.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from planner.records import record
from planner.spelling import did_you_mean

__all__ = ["Artifact", "advice", "artifact_of", "suitable"]

_FLINK = "org.apache.flink"


@record
class Artifact:
    """A jar in a Maven repository, in whichever version suits."""

    group: str
    name: str
    known: tuple[str, ...] = ()  # versions; empty: it has Flink's own
    major: int | None = None  # the only major version of Flink that has it

    def at(self, version: str) -> str:
        """Its coordinates, as Maven writes them."""
        return f"{self.group}:{self.name}:{version}"


def _apart(name: str, *known: str, group: str = _FLINK) -> Artifact:
    return Artifact(group=group, name=name, known=known)


_KAFKA = _apart("flink-sql-connector-kafka", "3.0.1-1.18", "3.2.0-1.19", "4.0.1-2.0", "5.0.0-2.2")
_JDBC = _apart("flink-connector-jdbc", "3.2.0-1.18", "3.2.0-1.19", "3.3.0-1.20")
_JDBC_2 = _apart("flink-connector-jdbc-core", "4.0.0-2.0")
_AVRO_REGISTRY = Artifact(group=_FLINK, name="flink-sql-avro-confluent-registry")
_CDC = "3.5.0"
# By kind and the identifier that SQL uses; of several, the first that has a version for Flink.
_ARTIFACTS: dict[tuple[str, str], tuple[Artifact, ...]] = {
    ("connector", "kafka"): (_KAFKA,),
    ("connector", "upsert-kafka"): (_KAFKA,),
    ("connector", "jdbc"): (_JDBC, _JDBC_2),
    ("catalog", "jdbc"): (_JDBC, _JDBC_2),
    ("connector", "elasticsearch-6"): (_apart("flink-sql-connector-elasticsearch6", "3.0.1-1.17"),),
    ("connector", "elasticsearch-7"): (_apart("flink-sql-connector-elasticsearch7", "3.0.1-1.17"),),
    ("connector", "pulsar"): (_apart("flink-sql-connector-pulsar", "4.0.0-1.17"),),
    ("connector", "kinesis"): (_apart("flink-sql-connector-kinesis", "4.0.0-1.16"),),
    ("connector", "firehose"): (_apart("flink-sql-connector-aws-kinesis-firehose", "4.0.0-1.16"),),
    **{
        ("connector", f"{name}-cdc"): (_apart(f"flink-sql-connector-{name}-cdc", _CDC),)
        for name in ("mysql", "postgres", "mongodb", "oracle", "sqlserver")
    },
    ("catalog", "paimon"): (
        _apart("paimon-flink-1.20", "1.3.1", group="org.apache.paimon"),
        _apart("paimon-flink-2.0", "1.4.2", group="org.apache.paimon"),
    ),
    ("catalog", "iceberg"): (
        _apart("iceberg-flink-runtime-1.20", "1.10.1", group="org.apache.iceberg"),
        _apart("iceberg-flink-runtime-2.0", "1.10.1", group="org.apache.iceberg"),
    ),
    ("catalog", "hive"): (Artifact(group=_FLINK, name="flink-sql-connector-hive-3.1.3_2.12", major=1),),
    **{
        ("format", name): (Artifact(group=_FLINK, name=f"flink-sql-{name}"),)
        for name in ("avro", "parquet", "orc", "protobuf", "csv", "json")
    },
    ("format", "avro-confluent"): (_AVRO_REGISTRY,),
    ("format", "debezium-avro-confluent"): (_AVRO_REGISTRY,),
}
_ARTIFACTS[("module", "hive")] = _ARTIFACTS[("catalog", "hive")]
_ARTIFACTS[("connector", "paimon")] = _ARTIFACTS[("catalog", "paimon")]
_ARTIFACTS[("connector", "iceberg")] = _ARTIFACTS[("catalog", "iceberg")]
_BUILT_FOR = re.compile(r"-(\d+)\.(\d+)$")


def artifact_of(kind: str, name: str, flink: str) -> tuple[Artifact, str] | None:
    """The artifact that has a connector, and the version that suits a release of Flink, as far as is known here."""
    for artifact in _ARTIFACTS.get((kind, name), ()):
        version = suitable(artifact, artifact.known or (flink,), flink)
        if version is not None:
            return artifact, version
    return None


def suitable(artifact: Artifact, versions: Sequence[str], flink: str) -> str | None:
    """The version among several that suits a release of Flink best; None where none does."""
    major, minor = (int(part) for part in flink.split(".")[:2])
    if artifact.major not in (None, major):
        return None
    named = _BUILT_FOR.search(artifact.name)
    if named is not None:  # the artifact itself is for one Flink
        return max(versions, key=_order) if int(named[1]) == major and int(named[2]) <= minor else None
    if not artifact.known:
        own = [one for one in versions if re.fullmatch(rf"{major}\.{minor}\.\d+", one)]
        return flink if flink in own else max(own, key=_order, default=None)
    built = [(one, found) for one in versions if (found := _BUILT_FOR.search(one))]
    if not built:
        return max((one for one in versions if re.fullmatch(r"[\d.]+", one)), key=_order, default=None)
    fitting = [one for one, found in built if int(found[1]) == major and int(found[2]) <= minor]
    return max(fitting, key=lambda one: (_order(one.rpartition("-")[2]), _order(one)), default=None)


def _order(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def advice(kind: str, name: str, flink: str, available: Sequence[str] = ()) -> str:
    """What to do about a connector that is missing; its name may be a misspelling of one that is available."""
    found = artifact_of(kind, name, flink)
    if found is None:
        known = [*available, *(one for of_kind, one in _ARTIFACTS if of_kind == kind)]
        lines = [] if name in known else filter(None, [did_you_mean(name, known)])
        return "\n".join(
            [*lines, f"find the jar with the {kind} {name!r} for Flink {flink}, and add it with --classpath JAR"]
        )
    artifact, version = found
    lines = [
        f"it is in {artifact.at(version)}: add its jar with --classpath JAR, or to lib of FLINK_HOME",
        "--fetch gets it from Maven Central into the cache",
    ]
    return "\n".join(lines)
