"""Which artifact has a connector, and fetching it: from a repository on this machine."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from planner.errors import OptionError
from planner.frontends.flink_compiler.connectors import advice, artifact_of
from planner.frontends.flink_compiler.maven import fetch


@pytest.mark.parametrize(
    ("kind", "name", "flink", "wanted"),
    [
        ("connector", "kafka", "2.3.0", "org.apache.flink:flink-sql-connector-kafka:5.0.0-2.2"),
        ("connector", "upsert-kafka", "1.20.5", "org.apache.flink:flink-sql-connector-kafka:3.2.0-1.19"),
        ("connector", "jdbc", "1.20.5", "org.apache.flink:flink-connector-jdbc:3.3.0-1.20"),
        ("connector", "jdbc", "2.3.0", "org.apache.flink:flink-connector-jdbc-core:4.0.0-2.0"),
        ("format", "avro", "1.20.5", "org.apache.flink:flink-sql-avro:1.20.5"),
        ("catalog", "paimon", "2.3.0", "org.apache.paimon:paimon-flink-2.0:1.4.2"),
        ("catalog", "paimon", "1.20.5", "org.apache.paimon:paimon-flink-1.20:1.3.1"),
        ("module", "hive", "1.20.5", "org.apache.flink:flink-sql-connector-hive-3.1.3_2.12:1.20.5"),
        ("connector", "mysql-cdc", "1.20.5", "org.apache.flink:flink-sql-connector-mysql-cdc:3.5.0"),
    ],
)
def test_artifacts_suit_the_version_of_flink(kind: str, name: str, flink: str, wanted: str) -> None:
    found = artifact_of(kind, name, flink)
    assert found is not None
    assert found[0].at(found[1]) == wanted
    assert wanted in advice(kind, name, flink)


def test_an_unknown_connector_still_has_a_next_step() -> None:
    assert "--classpath" in advice("connector", "my-own", "2.3.0")


@pytest.mark.parametrize(("name", "meant"), [("kfka", "kafka"), ("datgen", "datagen")])
def test_a_misspelled_connector_is_told(name: str, meant: str) -> None:
    assert f"did you mean `{meant}`?" in advice("connector", name, "2.3.0", ["datagen", "print"])


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A Maven repository that the settings of this home name as the mirror of all others."""
    folder = tmp_path / "repository"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = tmp_path / ".m2" / "settings.xml"
    settings.parent.mkdir()
    settings.write_text(
        '<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0"><mirrors><mirror><id>m</id><mirrorOf>*</mirrorOf>'
        f"<url>http://127.0.0.1:{server.server_port}</url></mirror></mirrors></settings>"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield folder
    server.shutdown()


def _publish(repository: Path, content: bytes, checksum: str) -> None:
    folder = repository / "org/apache/flink/flink-sql-avro"
    (folder / "1.20.0").mkdir(parents=True)
    (folder / "maven-metadata.xml").write_text("<version>1.19.0</version><version>1.20.0</version>")
    (folder / "1.20.0/flink-sql-avro-1.20.0.jar").write_bytes(content)
    (folder / "1.20.0/flink-sql-avro-1.20.0.jar.sha1").write_text(checksum)


def test_a_jar_is_fetched_in_the_version_that_the_repository_has(repository: Path) -> None:
    _publish(repository, b"a jar", hashlib.sha1(b"a jar").hexdigest())
    found = artifact_of("format", "avro", "1.20.5")
    assert found is not None
    jar = fetch(found[0], "1.20.5", found[1])
    assert jar.name == "flink-sql-avro-1.20.0.jar"
    assert jar.read_bytes() == b"a jar"


def test_a_jar_with_another_checksum_is_refused_and_not_kept(repository: Path, tmp_path: Path) -> None:
    _publish(repository, b"a jar", hashlib.sha1(b"another").hexdigest())
    found = artifact_of("format", "avro", "1.20.5")
    assert found is not None
    with pytest.raises(OptionError, match="checksum"):
        fetch(found[0], "1.20.5", found[1])
    assert not list((tmp_path / "cache").rglob("*.jar"))
