"""The code of one loop over several operators. Runs on executors.

For `flat_map`, `map` and `filter` before an outlet of two columns it is, in essence:

    for v0 in values:
        for v1 in call0(v0):
            v2 = call1(v1)
            if not call2(v2):
                count2 += 1
                continue
            a0, a1 = v2
            c0.append(a0)
            c1.append(a1)

Where a function is one plain expression, it stands there in place of its call. A tuple that such an expression makes is
kept as one variable for each element, and only made where somebody needs it as a whole. Where nobody needs a whole
record that arrives, its columns are read side by side, and only those that somebody reads.

Nothing is caught a record at a time: when a call fails, the line it failed on tells whose call it was, and the variable
of that line the record.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spark_runner.executor.conversion import ALWAYS, RECORD, Check
from spark_runner.executor.inlined import Inlined, Parts, Written, written
from spark_runner.executor.rows import form_of

_FILE = str(Path(__file__).with_name("<fused>"))  # among our own files: users are not shown its lines
FIT, KEY_BY = -1, -2  # owners of lines that are no operator's call
FIT_OF = -10  # and of those that convert what an operator gave: less its number
_PIECE = 10_000  # records that are taken at once from what one call gives
STAMPS = ("stamp", "stamp_after", "stamp_from")  # kinds that give records their event times
FIRST = "v0"  # the variable of a record that arrives


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the loop collects: whole records, or the columns of an outlet, and with them keys, event times, places."""

    width: int | None = None  # None: whole records
    picked: tuple[int, ...] = ()  # the fields of so many that are collected; (): all
    rows: bool = False  # records are named rows or tuples, not tuples alone
    keyed: bool = False
    paired: bool = False  # records are pairs of key and record, which are collected apart
    stamped: bool = False  # records come with event times, which are collected
    placed: bool = False  # records come with places, which are collected
    columns: tuple[str, ...] = ()  # the columns that arrive, if the loop may read them instead of records
    chunk: int = 40_000
    fits: tuple[Check | None, ...] = ()  # by operator: what is true of a record that has its declared type already


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopCode:
    """The code, and which operator and variable each of its lines belongs to."""

    code: Any
    owners: dict[int, tuple[int, str]]
    parts: dict[str, Parts]  # variables that stand for a tuple, by the variable that would hold it
    by_columns: bool  # `values` are Columns; else a list of records
    key_at: int | None = None  # the field of every record that is its key, where that is known


@functools.lru_cache(maxsize=64)
def loop_code(kinds: tuple[str, ...], shape: Shape, bodies: tuple[Inlined | None, ...] = ()) -> LoopCode:
    """The code for operators of these kinds in a row.

    It defines `run(values, stamps, places)`, which yields what was made, keys, event times and places.

    `bodies` has the expressions of the functions that have one. It reads the functions of the others as `call0`,
    `call1`, and what an expression reads from around it as `outer0_name`.
    """
    writer = _Writer(kinds, shape, bodies or (None,) * len(kinds))
    text = writer.source()
    if shape.columns and FIRST in writer.made:  # a record is needed as a whole
        return loop_code(kinds, replace(shape, columns=()), bodies)
    code = compile(text, _FILE, "exec")
    return LoopCode(
        code=code, owners=writer.owners, parts=writer.parts, by_columns=bool(shape.columns), key_at=writer.key_at
    )


def outer_prefix(number: int) -> str:
    """What stands before the names that an operator's expression reads from around it."""
    return f"outer{number}_"


class _Writer:
    """Writes the loop line by line."""

    def __init__(self, kinds: tuple[str, ...], shape: Shape, bodies: tuple[Inlined | None, ...]) -> None:
        self.kinds, self.shape, self.bodies = kinds, shape, bodies
        flat_maps = [number for number, kind in enumerate(kinds) if kind == "flat_map"]
        # what the last flat_map gave is known from what arrived at the end, and what filters dropped on the way
        self.counted = [n for n, kind in enumerate(kinds) if kind == "filter" or n in flat_maps[:-1]]
        self.lists = _lists(shape, timed=shape.stamped or not set(STAMPS).isdisjoint(kinds))
        self.lines: list[str] = []
        self.owners: dict[int, tuple[int, str]] = {}
        self.parts: dict[str, Parts] = {}
        if shape.columns:
            names = () if form_of(shape.columns) == "tuple" else shape.columns
            self.parts[FIRST] = Parts(variables=tuple(f"{FIRST}_{n}" for n in range(len(shape.columns))), names=names)
        self.read: set[str] = set()  # variables of columns that somebody reads
        self.made: set[str] = set()  # tuples that were made from their parts
        self.depth = 0
        self.key_at: int | None = None

    def source(self) -> str:
        """The whole function."""
        # as parameters they are local names, which are the quickest to read
        self._line(
            f"def run({', '.join(['values', 'stamps', 'places', *(f'{name}={name}' for name in self._given())])}):"
        )
        self.depth = 1
        self._fresh_lists()
        self._line("total = 0")
        for number in self.counted:
            self._line(f"count{number} = 0")
        head = len(self.lines)
        for line in ("", "try:", ""):
            self._line(line)
        self.depth = 3
        self._body()
        self.lines[head], self.lines[head + 2] = self._head()
        self.depth = 1
        self._line("except (Exception, SystemExit) as error:")
        self._line(" raise blame(error, locals()) from None")
        counts = ", ".join(f"{number}: count{number}" for number in self.counted)
        self._line(f"settle(len(values), total + len({self.lists[0]}), {{{counts}}})")
        self._line(f"if {self.lists[0]}:")
        self._line(f" yield {self._made()}")
        return "\n".join(self.lines)

    def _head(self) -> tuple[str, str]:
        """How records are read: what stands before the loop, and its first line."""
        sources, names = [("arriving", "values")], [FIRST]
        if self.shape.columns:
            read = [(at, name) for at, name in enumerate(self.parts[FIRST].variables) if name in self.read]
            sources = [(f"column{at}", f"values.column({at})") for at, _ in read] or [("", "range(len(values))")]
            sources[0] = ("arriving", sources[0][1])
            names = [name for _, name in read] or ["_"]
        front = "; ".join(f"{name} = iter({source})" for name, source in sources)
        names += ["t"] * self.shape.stamped + ["p"] * self.shape.placed
        lists = [name for name, _ in sources] + ["stamps"] * self.shape.stamped + ["places"] * self.shape.placed
        together = lists[0] if len(lists) == 1 else f"zip({', '.join(lists)}, strict=True)"
        return f" {front}", f"  for {', '.join(names)} in {together}:"

    def _given(self) -> list[str]:
        given: list[str] = []
        for number, (kind, body) in enumerate(zip(self.kinds, self.bodies, strict=True)):
            if body is not None:
                given += [outer_prefix(number) + name for name in body.outer]
            elif kind not in ("pass", "value"):
                given.append(f"call{number}")
        given += [f"fit{number}" for number, check in enumerate(self.shape.fits) if check is not None]
        given += ["ATOMS"] * any(check is not None for check in self.shape.fits)
        return given + ["missing"] * any(kind in STAMPS[1:] for kind in self.kinds)

    def _body(self) -> None:
        variable, nested = FIRST, []
        for number, kind in enumerate(self.kinds):
            before = variable
            variable = getattr(self, f"_{kind}")(number, variable)
            if number < len(self.shape.fits):
                self._fit(number, variable)
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
        width = self.shape.width
        if self.shape.keyed:
            self._whole(variable)
            if width is not None and variable not in self.parts:  # a key is read from the record as it is declared
                self._line(f"if {variable}.__class__ is not {'row' if self.shape.rows else 'tuple'}:")
                self._line(f" {variable} = shaped({variable})", (FIT, variable))
            self._line(f"keys.append(select({variable}))", (KEY_BY, variable))
        if "times" in self.lists:
            self._line("times.append(t)")
        if "kept" in self.lists:
            self._line("kept.append(p)")
        if self.shape.paired:
            self._collect_apart(variable)
            return
        if width is None:
            self._line(f"out.append({self._whole(variable)})")
            return
        parts = self.parts.get(variable, Parts()).variables
        picked = self.shape.picked or range(width)
        if len(parts) == width:
            parts = tuple(parts[at] for at in picked)
            self.read.update(parts)
            for number, part in enumerate(parts):
                self._line(f"c{number}.append({part})")
            return
        self._whole(variable)
        other = f"{variable}.__class__ is not tuple" + (
            f" and {variable}.__class__ is not row" if self.shape.rows else ""
        )
        self._line(f"if {other}:")
        self._line(f" {variable} = positional({variable})", (FIT, variable))
        self._line("".join(f"a{n}, " for n in range(width)) + f"= {variable}", (FIT, variable))
        for number, at in enumerate(picked):
            self._line(f"c{number}.append(a{at})")

    def _collect_apart(self, variable: str) -> None:
        """A pair's key and its record."""
        pair = self.parts.get(variable, Parts()).variables
        key, record = pair if len(pair) == 2 else (f"{variable}[0]", f"{variable}[1]")
        fields = self.parts.get(record, Parts()).variables
        self.key_at = fields.index(key) if key in fields else None
        self._line(f"out.append({self._whole(record)})")
        self._line(f"keys.append({key})")

    def _made(self) -> str:
        columns = [name for name in self.lists if name not in _BESIDE]
        made = "out" if self.shape.width is None else f"[{', '.join(columns)}]"
        return ", ".join((made, *(name if name in self.lists else "None" for name in _BESIDE)))

    def _fresh_lists(self) -> None:
        for name in self.lists:
            self._line(f"{name} = []")

    def _line(self, text: str, owner: tuple[int, str] | None = None) -> None:
        self.lines.append(" " * self.depth + text)
        if owner is not None:
            self.owners[len(self.lines)] = owner

    def _whole(self, variable: str) -> str:
        """The variable, with the tuple in it that was only there in parts."""
        if variable in self.parts and variable not in self.made:
            for part in self.parts[variable].variables:
                self._whole(part)
            self._line(f"{variable} = ({', '.join(self.parts[variable].variables)},)")
            self.made.add(variable)
        return variable

    def _written(self, number: int, variable: str) -> Written:
        """What the operator's function gives for a variable."""
        body = self.bodies[number]
        if body is None:
            return Written(texts=(f"call{number}({self._whole(variable)})",), is_tuple=False)
        made = written(body, variable, self.parts.get(variable, Parts()), outer_prefix(number))
        self.read |= made.read
        if made.whole:
            self._whole(variable)
        return made

    def _expression(self, number: int, variable: str) -> str:
        made = self._written(number, variable)
        return f"({', '.join(made.texts)},)" if made.is_tuple else made.texts[0]

    def _pass(self, number: int, variable: str) -> str:
        return variable

    def _fit(self, number: int, variable: str) -> None:
        """Convert what an operator gives to its declared type. A check that cannot fail costs nothing."""
        check = self.shape.fits[number]
        if check is None:
            return
        apart = self._come_apart(check, variable)
        if check is not ALWAYS:
            holds = dict.fromkeys(self._holding(check, variable))
            if not holds:
                return
            self._line(f"if not ({' and '.join(holds)}):")
            self.depth += 1
        parts = self._parts_of(variable) if apart else ""
        if apart:
            self._line(f"{variable} = {parts}")
        self._line(f"{variable} = fit{number}({variable})", (FIT_OF - number, variable))
        if apart:
            self._line(f"{parts} = {variable}")
            for inner in self._inside(variable):
                self._line(f"{inner} = {self._parts_of(inner)}")
        self.depth -= check is not ALWAYS

    def _come_apart(self, check: Check, variable: str) -> bool:
        """Whether what is converted is a tuple of as many elements again; else it is made, and is no longer parts."""
        parts = self.parts.get(variable)
        if parts is None:
            return False
        checks = check.parts
        if checks is None or parts.names or len(parts.variables) != len(checks):
            self._whole(variable)
            del self.parts[variable]
            return False
        for one, part in zip(checks, parts.variables, strict=True):
            if one is not None:
                self._come_apart(one, part)
        return True

    def _holding(self, check: Check, text: str) -> Iterator[str]:
        """What is true of a record that has the form: of its parts, where these are known."""
        parts = self.parts.get(text)
        if parts is None:
            if check.whole:
                yield check.whole.replace(RECORD, text)
            names = tuple(f"{text}[{at}]" for at in range(len(check.parts or ())))
        else:
            names = parts.variables
            self.read.update(names)
        for one, name in zip(check.parts or (), names, strict=True):
            if one is not None:
                yield from self._holding(one, name)

    def _parts_of(self, variable: str) -> str:
        """The tuple that a variable stands for, down to its parts' parts: to make it, or to take it apart."""
        parts = self.parts.get(variable)
        return variable if parts is None else f"({', '.join(map(self._parts_of, parts.variables))},)"

    def _inside(self, variable: str) -> Iterator[str]:
        """The tuples among the parts of a variable that were made already."""
        for part in self.parts[variable].variables:
            if part in self.parts:
                yield from self._inside(part)
                if part in self.made:
                    yield part

    def _key(self, number: int, variable: str) -> str:
        name, key = f"v{number + 1}", self._expression(number, variable)
        if not self._is_field(number, variable, key):
            self._line(f"{name}_0 = {key}", (number, variable))
            key = f"{name}_0"
        self.parts[name] = Parts(variables=(key, variable))
        return name

    def _is_field(self, number: int, variable: str, key: str) -> bool:
        """Whether a key is one of the record's fields, and both are converted in one way."""
        fields = self.parts.get(variable, Parts()).variables
        if key not in fields:
            return False
        check = self.shape.fits[number] if number < len(self.shape.fits) else None
        if check is None:
            return True
        of_key, of_record = check.parts or (ALWAYS, None)
        same = None if of_record is None or of_record.parts is None else of_record.parts[fields.index(key)]
        return of_key is not ALWAYS and of_key == same

    def _value(self, number: int, variable: str) -> str:
        parts = self.parts.get(variable, Parts()).variables
        if len(parts) == 2:
            return parts[1]
        self._line(f"v{number + 1} = {self._whole(variable)}[1]", (number, variable))
        return f"v{number + 1}"

    def _text(self, number: int, variable: str) -> str:
        """A text as it is, and anything else as a text."""
        name, value = f"v{number + 1}", self._whole(variable)
        self._line(f"{name} = {value} if {value}.__class__ is str else call{number}({value})", (number, variable))
        return name

    def _map(self, number: int, variable: str) -> str:
        made, name = self._written(number, variable), f"v{number + 1}"
        if made.is_tuple:
            self.parts[name] = Parts(variables=tuple(f"{name}_{at}" for at in range(len(made.texts))))
        places = self.parts[name].variables if made.is_tuple else (name,)
        for place, text in zip(places, made.texts, strict=True):
            self._line(f"{place} = {text}", (number, variable))
        return name

    def _stamp(self, number: int, variable: str) -> str:
        self._line(f"t = int(call{number}({self._whole(variable)}))", (number, variable))
        return variable

    def _stamp_after(self, number: int, variable: str, before: str = "missing") -> str:
        """An event time that is made of the record and of the time that it had before."""
        self._line(f"t = int(call{number}({self._whole(variable)}, {before}))", (number, variable))
        return variable

    def _stamp_from(self, number: int, variable: str) -> str:
        """The same where records arrive with times."""
        return self._stamp_after(number, variable, "missing if t is None else t")

    def _filter(self, number: int, variable: str) -> str:
        self._line(f"if not ({self._expression(number, variable)}):", (number, variable))
        self._line(f" count{number} += 1")
        self._line(" continue")
        return variable

    def _flat_map(self, number: int, variable: str) -> str:
        owner, made, more = (number, variable), f"made{number}", f"more{number}"
        self._line(f"{made} = {self._expression(number, variable)}", owner)
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
        """After the loop over what one call gave: the next piece of it, if it is made as it is read."""
        self._line(f"if more{number} is None:")
        self._line(" break")
        self._line(f"made{number}, more{number} = spread(more{number})", (number, variable))


_BESIDE = ("keys", "times", "kept")


def _lists(shape: Shape, *, timed: bool) -> list[str]:
    columns = ["out"] if shape.width is None else [f"c{at}" for at in range(len(shape.picked) or shape.width)]
    wanted = (shape.keyed or shape.paired, timed, shape.placed)
    return [*columns, *(name for name, want in zip(_BESIDE, wanted, strict=True) if want)]


def spread(results: Any) -> tuple[Sequence[Any], Iterator[Any] | None]:
    """What one call gave: whole where it is there already, else a piece of it and where the next piece comes from."""
    if results is None:
        return (), None
    return _pieces(results)


def spread_strictly(results: Any) -> tuple[Sequence[Any], Iterator[Any] | None]:
    """The same, where None is a failure."""
    return _pieces(results)  # None fails there, as it does in PyFlink


def _pieces(results: Any) -> tuple[Sequence[Any], Iterator[Any] | None]:
    if results.__class__ is list or results.__class__ is tuple:
        return results, None
    made = iter(results)
    piece = list(_first(made))
    return piece, made if len(piece) == _PIECE else None


def _first(made: Iterator[Any]) -> Iterator[Any]:
    for _, one in zip(range(_PIECE), made):  # noqa: B905
        yield one
