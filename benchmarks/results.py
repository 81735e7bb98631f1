"""The file of results: what was measured when and where, and what became worse since."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure
from benchmarks.measure import CACHE, ROOT

__all__ = ["LATEST", "QUICK", "Measured", "Results", "load", "save"]

LATEST = ROOT / "benchmarks" / "results" / "latest.json"
QUICK = CACHE / "bench-quick.json"  # other sizes, so never mixed with the others


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One group of figures."""

    group: str
    date: str
    figures: tuple[Figure, ...]
    lacking: str = ""  # why not everything could be measured

    def to_dict(self) -> dict[str, Any]:
        """As it stands in the file."""
        figures = [figure.to_dict() for figure in self.figures]
        return {"group": self.group, "date": self.date, "lacking": self.lacking, "figures": figures}


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Everything that was measured on one machine."""

    machine: str
    groups: tuple[Measured, ...]

    def before(self, group: str, figure: Figure) -> Figure | None:
        """The same figure in these results."""
        figures = [one for measured in self.groups if measured.group == group for one in measured.figures]
        return next((one for one in figures if one.key == figure.key), None)

    def with_groups(self, new: Sequence[Measured], order: Sequence[str]) -> Results:
        """These results with some groups measured again, in the order that readers expect."""
        found = {measured.group: measured for measured in (*self.groups, *new)}
        return replace(self, groups=tuple(found[name] for name in order if name in found))

    def to_dict(self) -> dict[str, Any]:
        """As it stands in the file."""
        return {"machine": self.machine, "groups": [measured.to_dict() for measured in self.groups]}


def load(path: Path) -> Results | None:
    """The results of a file; None where there are none yet."""
    if not path.exists():
        return None
    read = json.loads(path.read_text(encoding="utf-8"))
    groups = [{**one, "figures": tuple(Figure(**figure) for figure in one["figures"])} for one in read["groups"]]
    return Results(machine=read["machine"], groups=tuple(Measured(**one) for one in groups))


def save(results: Results, path: Path) -> Results:
    """Write the file whole, or not at all. Returns what it says: figures are rounded there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(results.to_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)
    kept = load(path)
    assert kept is not None
    return kept
