"""Who may import whom: the table in rooms.py, checked against every import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.architecture.rooms import MAY_IMPORT_SPARK_RUNNER, PYSPARK_ROOMS, ROOMS
from tests.support.sources import PRODUCT, ROOT, imported_modules, imported_packages, relative, room_of, sources


def room_of_module(name: str) -> str | None:
    """The room that a dotted name lies in, if it is one of ours."""
    parts = name.split(".")
    while parts and ".".join(parts) not in ROOMS:
        parts.pop()
    return ".".join(parts) or None


def rooms_entered(path: Path) -> set[str]:
    """The other rooms a file imports from."""
    own = room_of(path)
    modules = {name for name in imported_modules(path) if name.split(".")[0] in PRODUCT}
    return {room for name in modules if (room := room_of_module(name)) and room != own}


def test_every_package_is_a_room() -> None:
    assert {room_of(path) for path in sources(*PRODUCT)} == set(ROOMS)


def test_a_module_imports_only_from_rooms_open_to_its_own() -> None:
    found = []
    for path in sources(*PRODUCT):
        parents = {room_of(path).rsplit(".", count)[0] for count in range(1, room_of(path).count(".") + 1)}
        packages = {room for room in parents if not imports_modules_of(path, room)}
        found += [f"{relative(path)}: {room}" for room in rooms_entered(path) - packages - ROOMS[room_of(path)]]
    assert found == []


def imports_modules_of(path: Path, room: str) -> bool:
    """Whether a file imports a module of a room, not only a package inside it."""
    return any(name != room and room_of_module(name) == room for name in imported_modules(path))


def test_the_planner_knows_neither_terminal_nor_spark() -> None:
    for path in sources("planner"):
        assert not imported_packages(path) & {"cli", "rich", "typer", "pyspark", "spark_runner"}, relative(path)


def test_the_command_line_starts_without_spark() -> None:
    for path in sources("cli"):
        assert "pyspark" not in imported_packages(path), relative(path)
        runs = relative(path) in MAY_IMPORT_SPARK_RUNNER
        assert runs or "spark_runner" not in imported_packages(path), relative(path)
        if path.parent.name == "commands":
            assert "spark_runner" not in imported_packages(path, top_level=True), relative(path)


def test_pyspark_is_confined() -> None:
    for path in sources("spark_runner"):
        assert "cli" not in imported_packages(path), relative(path)
        if "pyspark" in imported_packages(path):
            assert room_of(path) in PYSPARK_ROOMS, relative(path)


def loaded_by(statements: str) -> set[str]:
    """The top packages that a process has loaded after these statements."""
    script = f"import sys\n{statements}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(finished.stdout.split())


def test_planning_loads_nothing_heavy() -> None:
    loaded = loaded_by("import planner; planner.load_plan('samples/word_count/job.yaml')")
    assert not loaded & {"cli", "rich", "typer", "pyspark", "spark_runner", "graphviz", "pandas", "pyarrow"}


def test_lowering_and_the_record_of_runs_need_no_spark() -> None:
    loaded = loaded_by("import spark_runner.runs.preparation, spark_runner.runs.store")
    assert not loaded & {"pyspark", "pandas", "pyarrow"}
