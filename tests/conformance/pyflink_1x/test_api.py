"""Every public name of PyFlink's DataStream API is there in the versions that have it, and not in the others.

`api.json.xz` was made by introspection of PyFlink 1.18.1, 1.19.3, 1.20.5 and 2.3.0; `stars.json` says what
`from MODULE import *` takes in 1.20.5 and 2.3.0.
"""

from __future__ import annotations

import importlib
import json
import lzma
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planner.frontends.python import versions
from planner.frontends.python.api import DECLARED, handed_on
from planner.frontends.python.stand_in import pyflink_stand_in
from planner.frontends.python_files.handover import LoadOptions, session
from tests.conformance.pyflink_2_3.test_api import MADE_INSIDE, arguments_of

API: dict[str, Any] = json.loads(lzma.decompress((Path(__file__).parent / "api.json.xz").read_bytes()))
STARS: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "stars.json").read_text())
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


@pytest.mark.parametrize("flink", STARS)
def test_star_imports_take_what_they_take_in_pyflink(flink: str) -> None:
    """Modules without `__all__` hand on what they import themselves too: of that, PyFlink's own names are here."""
    with session(LoadOptions(flink=flink)), pyflink_stand_in():
        for module, names in STARS[flink].items():
            taken: dict[str, Any] = {}
            exec(f"from {module} import *", taken)  # the statement itself is what is tested
            mine, real = set(taken) - {"__builtins__"}, set(names.split())
            part = module.removeprefix("pyflink").lstrip(".")
            assert mine <= real, (module, mine - real)
            assert not (real - mine) & {*DECLARED.get(part, ("", ""))[1].split(), *handed_on(part)}, module


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
        for member, (known, _) in members.items():
            if member and set(known) != set(spans):
                assert hasattr(ours, member) == (version in known), f"{name}.{member} in {version}"
                checked += 1
    assert checked >= 40


def test_what_only_1x_has_takes_its_arguments() -> None:
    with session(LoadOptions(flink="1.20")), pyflink_stand_in():
        checked = 0
        for path, members in API["classes"].items():
            module, _, name = path.rpartition(".")
            for member, (spans, arguments) in members.items():
                if "1.20" not in spans or "2.3" in spans or arguments is None:
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


# --- hints


def known_names(version: str) -> set[str]:
    """Every class, member and exported name of a version."""
    found = {name for names in API["exports"].values() for name, spans in names.items() if version in spans}
    for path, members in API["classes"].items():
        if version in members[""][0]:
            found |= {path.rpartition(".")[2], *(name for name, (spans, _) in members.items() if version in spans)}
    return found


def every_name() -> set[str]:
    return set().union(*map(known_names, VERSIONS))


def named_in(hint: str) -> set[str]:
    """What a hint tells to call or to use: names with brackets behind them, and names of classes."""
    calls = set(re.findall(r"\b([a-z]\w+)\(", hint))
    return calls | {word for word in re.findall(r"\b[A-Z]\w+[a-z]\w*\b", hint) if word in every_name()}


def test_every_name_that_a_version_lacks_has_a_hint_and_every_hint_is_true(version: str) -> None:
    """In both directions: the version that is named has the name, and what is to be used instead is there."""
    mine, checked = known_names(version), 0
    for name in sorted({*versions.NAMES, *(one for members in versions.MEMBERS.values() for one in members)}):
        hint = versions.hint_for(name)
        if hint is None:
            assert name in mine, f"{name} is not in {version}, and nothing is said about it"
            continue
        told = re.search(r"--flink (\S+)", hint)
        assert told is not None and name in known_names(told[1]), hint
        assert not named_in(hint) - mine - {name}, f"{version}: {hint}"
        checked += 1
    assert checked >= 8


def test_no_version_has_what_hints_say_none_has() -> None:
    for name, instead in versions._NEVER.items():
        if name in ("split", "from_elements"):  # names of other classes too
            continue
        assert name not in every_name(), name
        for version in VERSIONS:
            assert not named_in(instead) - known_names(version), (name, instead, version)


def test_every_difference_of_the_versions_is_in_the_table() -> None:
    """The names that scripts meet and that not all four versions have."""
    table = {*versions.NAMES, *(one for members in versions.MEMBERS.values() for one in members)}
    unsaid = set()
    for module, names in API["exports"].items():
        if module.startswith(INTERNAL) or module.removeprefix("pyflink.") in versions.MODULES:
            continue
        unsaid |= {name for name, spans in names.items() if set(spans) != set(VERSIONS) and not name.startswith("get_")}
    for path, members in API["classes"].items():
        module = path.rpartition(".")[0]
        if module.startswith(INTERNAL) or set(members[""][0]) != set(VERSIONS):
            continue
        unsaid |= {name for name, (spans, _) in members.items() if name and set(spans) != set(VERSIONS)}
    assert not {name for name in unsaid if not name.startswith("_")} - table
