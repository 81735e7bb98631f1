"""Getting a connector's jar: from Maven's own local repository, else from Maven Central or the mirror of the settings.

What is downloaded is checked against the repository's checksum, and kept in the cache.
"""

from __future__ import annotations

import base64
import hashlib
import re
import urllib.error
import urllib.request
from pathlib import Path
from xml.etree import ElementTree

from planner.durable import write_whole
from planner.errors import OptionError
from planner.frontends.flink_compiler.connectors import Artifact, suitable
from planner.machine.cache import cache_folder
from planner.records import record

__all__ = ["fetch"]

_CENTRAL = "https://repo1.maven.org/maven2"
_SECONDS = 60
_MOST_BYTES = 1 << 30
_CHECKSUMS = (("sha512", ".sha512"), ("sha256", ".sha256"), ("sha1", ".sha1"))


@record
class _Repository:
    """Where artifacts are, and who asks."""

    url: str
    user: str | None = None
    password: str | None = None

    def read(self, path: str) -> bytes | None:
        """A file of the repository; None where it is not there."""
        request = urllib.request.Request(f"{self.url.rstrip('/')}/{path}", headers={"User-Agent": "plan-inspector"})
        if self.user is not None:
            pair = base64.b64encode(f"{self.user}:{self.password or ''}".encode()).decode()
            request.add_header("Authorization", f"Basic {pair}")
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
                return bytes(answer.read(_MOST_BYTES))
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise OptionError(
                f"--fetch: the Maven repository answers {error.code}", hint="see ~/.m2/settings.xml"
            ) from error
        except OSError as error:
            raise OptionError(
                f"--fetch: the Maven repository cannot be reached: {error}",
                hint="download the jar elsewhere, and add it with --classpath",
            ) from error


def fetch(artifact: Artifact, flink: str, version: str) -> Path:
    """The jar of an artifact, in the newest version of the repository that suits Flink, else in the known one."""
    repository = _repository()
    folder = f"{artifact.group.replace('.', '/')}/{artifact.name}"
    listed = repository.read(f"{folder}/maven-metadata.xml")
    versions = re.findall(r"<version>([^<]+)</version>", listed.decode("utf-8", "replace")) if listed else []
    version = suitable(artifact, versions, flink) or version
    name = f"{artifact.name}-{version}.jar"
    path = f"{folder}/{version}/{name}"
    target = cache_folder() / "maven" / path
    if target.is_file():
        return target
    local = Path.home() / ".m2" / "repository" / path
    if local.is_file():
        return local
    content = repository.read(path)
    if content is None:
        raise OptionError(
            f"--fetch: the Maven repository has no {artifact.at(version)}",
            hint="add the jar of another version with --classpath",
        )
    _check(repository, path, content)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, content)
    return target


def _check(repository: _Repository, path: str, content: bytes) -> None:
    """Refuse what differs from the repository's own checksum, or has none."""
    for kind, ending in _CHECKSUMS:
        found = repository.read(path + ending)
        if found is None:
            continue
        wanted = found.decode("ascii", "replace").split()[0].lower() if found.split() else ""
        if hashlib.new(kind, content).hexdigest() == wanted:
            return
        raise OptionError(f"--fetch: {path} does not have the repository's {kind} checksum", hint="try it again")
    raise OptionError(f"--fetch: the repository has no checksum of {path}", hint="add the jar with --classpath")


def _repository() -> _Repository:
    """Maven Central, or its mirror in Maven's settings."""
    file = Path.home() / ".m2" / "settings.xml"
    if not file.is_file():
        return _Repository(url=_CENTRAL)
    try:
        root = ElementTree.fromstring(re.sub(r'\sxmlns="[^"]*"', "", file.read_text(encoding="utf-8"), count=1))
    except (ElementTree.ParseError, OSError) as error:
        raise OptionError(f"{file} cannot be read: {error}", hint="correct it, or move it away") from error
    for mirror in root.iterfind("mirrors/mirror"):
        covers = [one.strip() for one in (mirror.findtext("mirrorOf") or "").split(",")]
        url = (mirror.findtext("url") or "").strip()
        if url and "!central" not in covers and any(one in ("*", "central", "external:*") for one in covers):
            name = mirror.findtext("id")
            server = next((one for one in root.iterfind("servers/server") if one.findtext("id") == name), None)
            user = server.findtext("username") if server is not None else None
            return _Repository(url=url, user=user, password=server.findtext("password") if server is not None else None)
    return _Repository(url=_CENTRAL)
