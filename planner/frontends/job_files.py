"""How a job's file is named, and which files of a folder are jobs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

SUFFIXES = (".py", ".yaml", ".yml", ".sql", ".jar")
COMPILED = (".sql", ".jar")  # by Flink itself
_NAMED = re.compile(r"(.+\.(?:py|sql|jar)):(.*)", re.IGNORECASE | re.DOTALL)
_SKIPPED = frozenset({"__pycache__", "node_modules", "venv", "site-packages", "build", "dist"})
_YAML = re.compile(r"^operators\s*:", re.MULTILINE)
_IMPORTS_PYFLINK = re.compile(r"^\s*(?:from|import)\s+pyflink\b", re.MULTILINE)
_IMPORTS_AN_API = re.compile(r"^\s*(?:from|import)\s+(?:planner|pyflink)\b", re.MULTILINE)
_IMPORTS = re.compile(r"^\s*(?:from\s+(\.*)([\w.]*)\s+import\s+(\w+)|import\s+([\w.]+))", re.MULTILINE)
_ABOVE = 3  # folders that modules are looked for in: the file's own, and those above it
_APIS = ("planner", "pyflink")  # what these import themselves says nothing of a job
_GIVES_JOB = re.compile(r"\.execute(?:_async|_and_collect)?\s*\(|^job\s*=|^def\s+build\s*\(", re.MULTILINE)


def split_name(spec: str) -> tuple[str, str | None]:
    """The file and the job's name of `FILE` or `FILE:NAME`, by their spelling alone."""
    found = _NAMED.fullmatch(spec)
    return (found[1], found[2]) if found is not None else (spec, None)


def names_job_file(spec: str) -> bool:
    """Whether an argument is spelled like a job's file."""
    return split_name(spec)[0].lower().endswith(SUFFIXES)


def find_job_files(folder: Path) -> list[str]:
    """The job files under a folder, sorted; hidden folders and environments are passed over."""
    return sorted(str(path) for path in _candidates(folder) if is_job_file(path))


def is_job_file(path: Path) -> bool:
    """Whether a file looks like a job: YAML with top-level operators, Python that gives a job to the planner."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    if path.suffix == ".py":
        return bool(_GIVES_JOB.search(text)) and _imports(_IMPORTS_AN_API, path, text)
    return bool(_YAML.search(text))


def uses_pyflink(path: Path) -> bool:
    """Whether a Python file imports PyFlink, itself or through modules that lie near. Nothing is run."""
    return _imports(_IMPORTS_PYFLINK, path, path.read_text(encoding="utf-8", errors="replace"))


def _imports(api: re.Pattern[str], path: Path, text: str) -> bool:
    known = {path}
    waiting = [(path, text)]
    while waiting:
        path, text = waiting.pop()
        if api.search(text):
            return True
        for dots, module, name, plain in _IMPORTS.findall(text):
            parts = [part for part in (module or plain).split(".") if part]
            if not dots and parts[0] in _APIS:
                continue
            for folder in list(path.parents)[len(dots) - 1 : len(dots)] if dots else list(path.parents)[:_ABOVE]:
                for stem in (folder.joinpath(*parts), folder.joinpath(*parts, name)):
                    for found in (stem.parent / f"{stem.name}.py", stem / "__init__.py"):
                        if found not in known and found.is_file():
                            known.add(found)
                            waiting.append((found, found.read_text(encoding="utf-8", errors="replace")))
    return False


def _candidates(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        yield from (Path(root) / name for name in files if name.endswith((".py", ".yaml", ".yml")))
