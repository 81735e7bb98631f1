"""Where YARN's resource manager is: read from the cluster's configuration, as Hadoop's own client does."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path

from planner.errors import ExecutionError

__all__ = ["resource_managers"]

_PREFIX = "yarn.resourcemanager"
_PORT = 8032
_HINT = "set HADOOP_CONF_DIR to the folder with the cluster's yarn-site.xml"


def resource_managers(environment: Mapping[str, str] = os.environ) -> tuple[tuple[str, int], ...]:
    """The addresses that applications are submitted to, several where there are standbys, none where unclear."""
    properties = _properties(environment)
    members = [name.strip() for name in properties.get(f"{_PREFIX}.ha.rm-ids", "").split(",") if name.strip()]
    suffixes = [f".{name}" for name in members] if properties.get(f"{_PREFIX}.ha.enabled") == "true" else [""]
    found = [_address(properties, suffix) for suffix in suffixes]
    return tuple(address for address in found if address is not None)


def _properties(environment: Mapping[str, str]) -> dict[str, str]:
    folder = environment.get("HADOOP_CONF_DIR") or environment.get("YARN_CONF_DIR")
    if not folder:
        raise ExecutionError("yarn needs the cluster's configuration, and HADOOP_CONF_DIR is not set", hint=_HINT)
    file = Path(folder) / "yarn-site.xml"
    try:
        root = ElementTree.fromstring(file.read_bytes())
    except OSError as error:
        raise ExecutionError(f"{file}: {(error.strerror or str(error)).lower()}", hint=_HINT) from error
    except ElementTree.ParseError as error:
        raise ExecutionError(f"{file} is not well-formed XML: {error}", hint=_HINT) from error
    return {one.findtext("name", "").strip(): one.findtext("value", "").strip() for one in root.iter("property")}


def _address(properties: Mapping[str, str], suffix: str) -> tuple[str, int] | None:
    written = properties.get(f"{_PREFIX}.address{suffix}") or properties.get(f"{_PREFIX}.hostname{suffix}") or ""
    found = re.fullmatch(r"([A-Za-z0-9_.-]+)(?::(\d{1,5}))?", written)
    # A variable of Hadoop's own (${...}), or nothing at all: Hadoop knows better then.
    return (found[1], int(found[2] or _PORT)) if found else None
