"""What a command says about asking Flink: which Flink, with what on its class path, for how long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from planner.records import record

__all__ = ["TIME_LIMIT", "FlinkRequest"]

TIME_LIMIT = 120  # seconds that a program may take


@record
class FlinkRequest:
    """How Flink's own compiler is asked."""

    version: str | None = None  # such as 1.20; None: whichever is found first
    homes: tuple[tuple[str, Path], ...] = ()  # where to look first, each with who named it
    class_path: tuple[Path, ...] = ()  # connectors, formats, functions
    python: Path | None = None  # the interpreter for PyFlink scripts
    python_origin: str = "--python"
    main_class: str | None = None  # of a jar
    configuration: Mapping[str, str] = field(default_factory=dict)  # options of Flink, as with `flink run -D`
    time_limit: float = TIME_LIMIT
    fetch: bool = False  # connectors that are missing, from Maven Central
    fresh: bool = False  # compile again, though an answer is kept
    change_catalogs: bool = False  # SQL may change catalogs that are not in Flink's memory
    always: bool = False  # --with-flink: also what our own front end could load
    named: frozenset[str] | None = None  # the files that may be run; None: all, since each was named by the user
