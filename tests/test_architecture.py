"""The shape of the code itself: who imports whom, complete registries, sizes, nothing of one machine."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("planner", "cli", "spark_runner", "benchmarks", "samples", "tests")
PRODUCT = ("planner", "cli", "spark_runner")

# Everything here runs where a Spark session is, or is shipped to one; the rest of spark_runner is plain data.
MAY_IMPORT_PYSPARK = {
    f"spark_runner/{name}.py"
    for name in (
        "blame",
        "chain",
        "chain_maker",
        "cluster_driver",
        "collection_source",
        "exchange",
        "execute",
        "figures",
        "frames",
        "native",
        "records",
        "session",
        "shipping",
        "sinks",
        "training",
    )
}
# Commands that exist to run jobs, or to read the runs that were.
MAY_IMPORT_SPARK_RUNNER = {f"cli/commands/{name}.py" for name in ("run", "runs", "cancel")}

TOO_LONG = 450
VAGUE = {"utils", "util", "manager", "managers", "helper", "helpers", "context", "misc", "common"}
# Written in pieces, so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:ro" + r"ot|wo" + r"rk|fa" + r"rm|ho" + r"me/[a-z]+)/")


def sources(*packages: str) -> list[Path]:
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> ModuleType:
    name = relative(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return importlib.import_module(name)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module]
    return []


def _typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(path: Path, *, top_level: bool = False) -> set[str]:
    """The top packages that a file imports, anywhere or when it is itself imported; never those for types alone."""
    found: set[str] = set()
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if _typing_only(node) or (top_level and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)):
            continue
        found.update(name.split(".")[0] for name in _imported(node))
        pending.extend(ast.iter_child_nodes(node))
    return found


@pytest.mark.parametrize("path", sources("planner"), ids=relative)
def test_the_planner_knows_neither_terminal_nor_spark(path: Path) -> None:
    assert not imports(path) & {"cli", "rich", "typer", "pyspark"}
    assert "spark_runner" not in imports(path, top_level=True), "only env.execute() reaches for it, when it is called"


@pytest.mark.parametrize("path", sources("cli"), ids=relative)
def test_the_command_line_starts_without_spark(path: Path) -> None:
    assert "pyspark" not in imports(path)
    assert "spark_runner" not in imports(path, top_level=True)
    if "spark_runner" in imports(path):
        assert relative(path) in MAY_IMPORT_SPARK_RUNNER


@pytest.mark.parametrize("path", sources("spark_runner"), ids=relative)
def test_pyspark_is_confined(path: Path) -> None:
    assert "cli" not in imports(path)
    if "pyspark" in imports(path):
        assert relative(path) in MAY_IMPORT_PYSPARK


def test_the_lists_of_exceptions_are_not_longer_than_needed() -> None:
    assert {relative(p) for p in sources("spark_runner") if "pyspark" in imports(p)} == MAY_IMPORT_PYSPARK
    assert {relative(p) for p in sources("cli") if "spark_runner" in imports(p)} == MAY_IMPORT_SPARK_RUNNER


def loaded_by(statements: str) -> set[str]:
    """The top packages that a process has loaded after these statements."""
    script = f"import sys\n{statements}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(finished.stdout.split())


def test_planning_loads_nothing_heavy() -> None:
    loaded = loaded_by("import planner; planner.load_plan('samples/word_count/job.yaml')")
    assert not loaded & {"cli", "rich", "typer", "pyspark", "spark_runner", "graphviz", "pandas", "pyarrow"}


def test_lowering_and_the_record_of_runs_need_no_spark() -> None:
    assert not loaded_by("import spark_runner.lowering, spark_runner.runs") & {"pyspark", "pandas", "pyarrow"}


def _rule_modules(package: str) -> set[str]:
    return {relative(path) for path in (ROOT / package / "rules").glob("*.py") if path.name != "__init__.py"}


@pytest.mark.parametrize("package", ["planner/chaining", "planner/lint"])
def test_every_rule_stands_in_its_registry(package: str) -> None:
    registry = importlib.import_module(f"{package.replace('/', '.')}.registry")
    rules = registry.RULES
    assert len({rule.code for rule in rules}) == len(rules)
    assert len({rule.slug for rule in rules}) == len(rules)
    assert [rule.code for rule in rules] == sorted(rule.code for rule in rules)
    files = {f"{package}/rules/{rule.code.lower()}_{rule.slug.replace('-', '_')}.py" for rule in rules}
    assert files == _rule_modules(package), "a rule's file is its code and slug"


def test_there_are_twelve_chaining_conditions() -> None:
    from planner.chaining.registry import RULES

    assert [rule.code for rule in RULES] == [f"CH{number:03}" for number in range(1, 13)]


@pytest.mark.parametrize("path", sources(*PRODUCT), ids=relative)
def test_all_names_what_is_there(path: Path) -> None:
    if "__all__" not in path.read_text(encoding="utf-8"):
        return
    module = module_of(path)
    exported = list(module.__all__)
    assert len(exported) == len(set(exported))
    assert not [name for name in exported if not hasattr(module, name)]


def test_the_public_interface_is_what_the_documentation_names() -> None:
    import planner

    documented = set(re.findall(r"^#+ `(\w+)", (ROOT / "docs/python-api.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert documented
    assert documented <= set(planner.__all__)


def _graph_types() -> Iterator[type]:
    for name in ("job", "stream_graph", "job_graph", "execution_graph", "physical", "pipeline"):
        module = importlib.import_module(f"planner.{name}")
        for value in vars(module).values():
            if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == module.__name__:
                yield value


@pytest.mark.parametrize("graph_type", list(_graph_types()), ids=lambda value: value.__name__)
def test_graph_types_are_frozen(graph_type: type) -> None:
    assert graph_type.__dataclass_params__.frozen  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", sources(*PACKAGES), ids=relative)
def test_a_module_is_short_and_named_after_what_it_does(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= TOO_LONG
    assert path.stem not in VAGUE


def test_nothing_names_a_path_of_one_machine() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    found = []
    for name in listed.split("\0"):
        path = ROOT / name
        if name and path.is_file():
            text = path.read_bytes().decode("utf-8", errors="ignore")
            found += [f"{name}: {match.group()}" for match in MACHINE_PATH.finditer(text)]
    assert not found
