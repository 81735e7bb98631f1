"""The shape of the code itself: complete registries, frozen graphs, telling names, nothing of one machine."""

from __future__ import annotations

import dataclasses
import importlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.sources import PRODUCT, ROOT, relative, sources

PACKAGES = (*PRODUCT, "benchmarks", "samples", "tests")
VAGUE = {"utils", "util", "manager", "managers", "helper", "helpers", "context", "misc", "common"}
# Written in pieces, so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:ro" + r"ot|wo" + r"rk|fa" + r"rm|ho" + r"me/[a-z]+)/")


def module_of(path: Path) -> ModuleType:
    name = relative(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return importlib.import_module(name)


def _rule_modules(package: str) -> set[str]:
    return {path.name for path in (ROOT / package / "rules").rglob("*.py") if path.name != "__init__.py"}


@pytest.mark.parametrize("package", ["planner/chaining", "planner/lint", "planner/merging"])
def test_every_rule_stands_in_its_registry(package: str) -> None:
    registry = importlib.import_module(f"{package.replace('/', '.')}.registry")
    rules = registry.RULES
    assert len({rule.code for rule in rules}) == len(rules)
    assert len({rule.slug for rule in rules}) == len(rules)
    assert [rule.code for rule in rules] == sorted(rule.code for rule in rules)
    files = {f"{rule.code.lower()}_{rule.slug.replace('-', '_')}.py" for rule in rules}
    assert files == _rule_modules(package), "a rule's file is its code and slug"


def test_there_are_twelve_chaining_conditions() -> None:
    from planner.chaining.registry import RULES

    assert [rule.code for rule in RULES] == [f"CH{number:03}" for number in range(1, 13)]


def test_all_names_what_is_there() -> None:
    for path in sources(*PRODUCT):
        if "__all__" not in path.read_text(encoding="utf-8"):
            continue
        module = module_of(path)
        exported = list(module.__all__)
        assert len(exported) == len(set(exported)), relative(path)
        assert not [name for name in exported if not hasattr(module, name)], relative(path)


def test_the_public_interface_is_what_the_documentation_names() -> None:
    import planner

    documented = set(re.findall(r"^#+ `(\w+)", (ROOT / "docs/python-api.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert documented
    assert documented <= set(planner.__all__)


def _graph_types() -> Iterator[type]:
    graphs = [f"graphs.{name}" for name in ("stream_graph", "job_graph", "execution_graph", "physical")]
    for name in ("job", "pipeline", "rules", *graphs):
        module = importlib.import_module(f"planner.{name}")
        for value in vars(module).values():
            if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == module.__name__:
                yield value


def test_graph_types_are_frozen() -> None:
    found = list(_graph_types())
    assert found
    assert [one.__name__ for one in found if not one.__dataclass_params__.frozen] == []  # type: ignore[attr-defined]


def test_modules_are_named_after_what_they_do() -> None:
    assert [relative(path) for path in sources(*PACKAGES) if path.stem in VAGUE] == []


def test_nothing_names_a_path_of_one_machine() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    found = []
    for name in listed.split("\0"):
        path = ROOT / name
        if name and path.is_file():
            text = path.read_bytes().decode("utf-8", errors="ignore")
            found += [f"{name}: {match.group()}" for match in MACHINE_PATH.finditer(text)]
    assert not found


def test_every_room_says_what_it_is_for() -> None:
    rooms = [path for path in sources(*PRODUCT) if path.name == "__init__.py"]
    silent = [relative(path) for path in rooms if not path.read_text(encoding="utf-8").startswith('"""')]
    assert silent == [], "name the room's purpose, and its door"


def test_only_one_module_suggests_spellings() -> None:
    users = [relative(path) for path in sources(*PRODUCT) if "difflib" in path.read_text(encoding="utf-8")]
    assert users == ["planner/spelling.py"]
