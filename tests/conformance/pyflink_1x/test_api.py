"""Every public name of PyFlink's DataStream API is there in the versions that have it, and not in the others.

`api.json.xz` was made by introspection of PyFlink 1.18.1, 1.19.3, 1.20.5 and 2.3.0.
"""

from __future__ import annotations

import importlib
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planner.frontends.pyflink.api import DECLARED
from planner.frontends.pyflink.stand_in import pyflink_stand_in
from planner.frontends.scripts.handover import LoadOptions, session
from tests.conformance.pyflink_2_3.test_api import MADE_INSIDE, arguments_of

API: dict[str, Any] = json.loads(lzma.decompress((Path(__file__).parent / "api.json.xz").read_bytes()))
VERSIONS = ("1.18", "1.19", "1.20", "2.3")
INTERNAL = ("pyflink.util", "pyflink.fn_execution", "pyflink.java_gateway", "pyflink.metrics")


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> Iterator[str]:
    with session(LoadOptions(flink=request.param)), pyflink_stand_in():
        yield request.param


def test_modules_have_the_names_that_the_version_has(version: str) -> None:
    for module, names in API["exports"].items():
        if module.startswith(INTERNAL):
            continue
        partial = {name: spans for name, spans in names.items() if set(spans) != set(VERSIONS)}
        for name, spans in partial.items():
            if name.startswith("get_"):
                continue  # a function that the module itself imports
            try:
                found = hasattr(importlib.import_module(module), name)
            except ModuleNotFoundError:
                found = False
            assert found == (version in spans), (module, name)


def test_classes_have_the_members_that_the_version_has(version: str) -> None:
    checked = 0
    for path, members in API["classes"].items():
        module, _, name = path.rpartition(".")
        spans = members[""][0]
        if module.removeprefix("pyflink.") not in {*DECLARED, *BY_HAND} or version not in spans:
            continue
        ours = getattr(importlib.import_module(module), name, None)
        if ours is None:
            continue  # internal: nobody imports it
        for member, (versions, _) in members.items():
            if member and set(versions) != set(spans):
                assert hasattr(ours, member) == (version in versions), f"{name}.{member} in {version}"
                checked += 1
    assert checked >= 40


def test_what_only_1x_has_takes_its_arguments() -> None:
    with session(LoadOptions(flink="1.20")), pyflink_stand_in():
        checked = 0
        for path, members in API["classes"].items():
            module, _, name = path.rpartition(".")
            for member, (versions, arguments) in members.items():
                if "1.20" not in versions or "2.3" in versions or arguments is None:
                    continue
                ours = getattr(importlib.import_module(module), name)
                if member == "__init__" and name not in MADE_INSIDE:
                    assert arguments_of(ours) == plain(arguments), path
                elif member:
                    assert arguments_of(getattr(ours, member)) == plain(arguments), f"{path}.{member}"
                checked += 1
    assert checked > 40


def plain(arguments: list[str]) -> list[str]:
    names = [argument.partition("=")[0] for argument in arguments]
    return [name for name in names if name != "self" and not name.startswith("j_")]


BY_HAND = {"common.configuration", "datastream.stream_execution_environment"}
