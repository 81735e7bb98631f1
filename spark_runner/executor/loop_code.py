"""The code of one loop over several operators. Runs on executors.

For `flat_map`, `map` and `filter` in front of an outlet of two columns it is, in essence:

    for v0 in values:
        for v1 in call0(v0):
            v2 = call1(v1)
            if not call2(v2):
                count2 += 1
                continue
            a0, a1 = v2
            c0.append(a0)
            c1.append(a1)

Nothing is caught a record at a time: when a call fails, the line it failed on tells whose call it was, and the variable
of that line the record.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FILE = str(Path(__file__).with_name("<fused>"))  # among our own files: users are not shown its lines
FIT, KEY_BY = -1, -2  # owners of lines that are no operator's call


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the loop collects: whole records, or the columns of an outlet, and with them keys and event times."""

    width: int | None = None  # None: whole records
    rows: bool = False  # records are named rows or tuples, not tuples alone
    keyed: bool = False
    stamped: bool = False  # records come with event times
    chunk: int = 40_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopCode:
    """The code, and which operator and variable each of its lines belongs to."""

    code: Any
    owners: dict[int, tuple[int, str]]


@functools.lru_cache(maxsize=64)
def loop_code(kinds: tuple[str, ...], shape: Shape) -> LoopCode:
    """The code for operators of these kinds in a row. It defines `run(values, stamps)`: yields made, keys, times."""
    writer = _Writer(kinds, shape)
    return LoopCode(code=compile(writer.source(), _FILE, "exec"), owners=writer.owners)


class _Writer:
    """Writes the loop line by line."""

    def __init__(self, kinds: tuple[str, ...], shape: Shape) -> None:
        self.kinds, self.shape = kinds, shape
        flat_maps = [number for number, kind in enumerate(kinds) if kind == "flat_map"]
        # what the last flat_map gave is known from what arrived at the end, and what filters dropped on the way
        self.counted = [n for n, kind in enumerate(kinds) if kind == "filter" or n in flat_maps[:-1]]
        self.lists = _lists(shape, timed=shape.stamped or "stamp" in kinds)
        self.lines: list[str] = []
        self.owners: dict[int, tuple[int, str]] = {}
        self.depth = 0

    def source(self) -> str:
        """The whole function."""
        calls = "".join(f", call{n}=call{n}" for n, kind in enumerate(self.kinds) if kind != "pass")
        self._line(f"def run(values, stamps{calls}):")
        self.depth = 1
        self._fresh_lists()
        self._line("total = 0")
        for number in self.counted:
            self._line(f"count{number} = 0")
        self._line("try:")
        self._line(" for v0, t in zip(values, stamps, strict=True):" if self.shape.stamped else " for v0 in values:")
        self.depth = 3
        self._body()
        self.depth = 1
        self._line("except (Exception, SystemExit) as error:")
        self._line(" raise blame(error, locals()) from None")
        counts = ", ".join(f"{number}: count{number}" for number in self.counted)
        self._line(f"settle(len(values), total + len({self.lists[0]}), {{{counts}}})")
        self._line(f"if {self.lists[0]}:")
        self._line(f" yield {self._made()}")
        return "\n".join(self.lines)

    def _body(self) -> None:
        variable, nested = "v0", []
        for number, kind in enumerate(self.kinds):
            before = variable
            variable = getattr(self, f"_{kind}")(number, variable)
            if kind == "flat_map":
                nested.append((number, before, self.depth - 1))
        self._collect(variable)
        for place, (number, before, depth) in enumerate(reversed(nested)):
            self.depth = depth
            if place == 0:
                self._move_on()
            self._end_flat_map(number, before)

    def _move_on(self) -> None:
        # one record may become any number: what was made leaves before it fills the memory
        self._line(f"if len({self.lists[0]}) >= {self.shape.chunk}:")
        self.depth += 1
        self._line(f"total += len({self.lists[0]})")
        self._line(f"yield {self._made()}")
        self._fresh_lists()
        self.depth -= 1

    def _collect(self, variable: str) -> None:
        if "keys" in self.lists:
            self._line(f"keys.append(select({variable}))", (KEY_BY, variable))
        if "times" in self.lists:
            self._line("times.append(t)")
        width = self.shape.width
        if width is None:
            self._line(f"out.append({variable})")
            return
        other = f"{variable}.__class__ is not tuple" + (
            f" and {variable}.__class__ is not row" if self.shape.rows else ""
        )
        self._line(f"if {other}:")
        self._line(f" {variable} = positional({variable})", (FIT, variable))
        self._line("".join(f"a{n}, " for n in range(width)) + f"= {variable}", (FIT, variable))
        for number in range(width):
            self._line(f"c{number}.append(a{number})")

    def _made(self) -> str:
        columns = [name for name in self.lists if name not in ("keys", "times")]
        made = "out" if self.shape.width is None else f"[{', '.join(columns)}]"
        return ", ".join((made, *(name if name in self.lists else "None" for name in ("keys", "times"))))

    def _fresh_lists(self) -> None:
        for name in self.lists:
            self._line(f"{name} = []")

    def _line(self, text: str, owner: tuple[int, str] | None = None) -> None:
        self.lines.append(" " * self.depth + text)
        if owner is not None:
            self.owners[len(self.lines)] = owner

    def _pass(self, number: int, variable: str) -> str:
        return variable

    def _map(self, number: int, variable: str) -> str:
        self._line(f"v{number + 1} = call{number}({variable})", (number, variable))
        return f"v{number + 1}"

    def _stamp(self, number: int, variable: str) -> str:
        self._line(f"t = int(call{number}({variable}))", (number, variable))
        return variable

    def _filter(self, number: int, variable: str) -> str:
        self._line(f"if not call{number}({variable}):", (number, variable))
        self._line(f" count{number} += 1")
        self._line(" continue")
        return variable

    def _flat_map(self, number: int, variable: str) -> str:
        owner, made, more = (number, variable), f"made{number}", f"more{number}"
        self._line(f"{made} = call{number}({variable})", owner)
        self._line(f"{more} = None")
        self._line(f"if {made}.__class__ is not list:")
        self._line(f" {made}, {more} = spread({made})", owner)
        self._line("while True:")
        self.depth += 1
        if number in self.counted:
            self._line(f"count{number} += len({made})")
        self._line(f"for v{number + 1} in {made}:")
        self.depth += 1
        return f"v{number + 1}"

    def _end_flat_map(self, number: int, variable: str) -> None:
        """Behind the loop over what one call gave: the next piece of it, if it is made as it is read."""
        self._line(f"if more{number} is None:")
        self._line(" break")
        self._line(f"made{number}, more{number} = spread(more{number})", (number, variable))


def _lists(shape: Shape, *, timed: bool) -> list[str]:
    columns = ["out"] if shape.width is None else [f"c{number}" for number in range(shape.width)]
    return [*columns, *(["keys"] if shape.keyed else []), *(["times"] if timed else [])]
