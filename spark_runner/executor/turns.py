"""The code of one loop over the records of an operator that is called with each: of keyed state, contexts, two inputs.

For a keyed process function whose results are texts, and whose readers want no event times, it is in essence:

    for key, value, stamp in zip(part.keys, part.values, part.stamps):
        try:
            entry = entries[key]
        except (KeyError, TypeError):
            entry = find(key)
        store.current, store.key, store.values = entry, entry.key, entry.values
        context.stamp = stamp
        results = call0(value, context)
        if results:
            for item in results:
                if not (item.__class__ is str):
                    item = convert(item)
                give(item)

Nothing is caught a record at a time, as in the loops without state (`loop_code`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_runner.executor.conversion import ALWAYS, ATOMS, RECORD, Check, check_of, copied
from spark_runner.executor.failures import RAISED
from spark_runner.executor.keys import NAN

if TYPE_CHECKING:
    from spark_runner.executor.operators import Operator, Part

__all__ = ["REDUCED", "Turns"]

REDUCED = "\0reduced"  # the name of a key's own state

_FILE = str(Path(__file__).with_name("<turns>"))  # among our own files: users are not shown its lines
_MANY = 1_000  # records between two looks at how much was made
_COPIED = Check(  # nobody can change it
    f"({RECORD}.__class__ in ATOMS or ({RECORD}.__class__ is tuple and ATOMS.issuperset(map(type, {RECORD}))))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """What the loop does."""

    kind: str  # one of _BODIES
    check: Check | None  # of what is given; None: it is given as it is
    script: bool
    keyed: bool
    grouped: bool  # keys come one after the other
    clocked: bool  # timers of processing time are looked at between records
    context: bool  # calls take a context
    sided: bool  # records of two inputs
    tagged: bool  # tuples in front of results may be tags
    timed: bool  # somebody wants the event times of what is given
    placed: bool  # and its places
    # what windows hold, how they are called, and with what they end: timers, the input, their key
    window: tuple[str, str, str] = ("", "", "timers")


class Turns:
    """The loop of one operator. It is written when the first part comes, with what is known by then."""

    def __init__(self, operator: Operator, kind: str) -> None:
        self.operator, self.kind = operator, kind
        self._runs: dict[bool, Callable[[Iterator[Any]], None]] = {}

    def take(self, part: Part) -> None:
        """Every record of a part, in order."""
        nothing: Any = repeat(None)
        rows = zip(  # noqa: B905  # some have no end
            part.keys if part.keys is not None else nothing,
            part.values,
            nothing if part.stamps is None else part.stamps,
            repeat(0) if part.places is None else part.places,
            repeat(0) if part.sides is None else part.sides,
        )
        self.run(rows, len(part.values), sided=part.sides is not None)

    def run(self, rows: Iterator[Any], count: int, *, sided: bool = False) -> None:
        """So many rows of key, record, event time, place and input."""
        run = self._runs.get(sided)
        if run is None:
            run = self._runs[sided] = self._made(sided)
        for _ in range(0, count, _MANY):
            run(islice(rows, _MANY))
            self.operator.settle_many()

    def _made(self, sided: bool) -> Callable[[Iterator[Any]], None]:
        operator: Any = self.operator
        form = operator.spec.options.get("form")
        check = _COPIED if operator.convert is None else None if form is None else check_of(form)
        keyed = hasattr(operator, "store")
        shape = _Shape(
            kind=self.kind,
            check=check,
            script=operator.script,
            keyed=keyed,
            grouped=keyed and operator.grouped is not None,
            clocked=keyed and operator.script,
            context=hasattr(operator, "context"),
            sided=sided,
            tagged=self.kind in ("process", "fire") and operator.tagged,
            timed=operator.timed,
            placed=operator.placed,
            window=getattr(operator, "turned", ("", "", "timers")),
        )
        names: dict[str, Any] = {"operator": operator, "convert": operator.convert or copied, "ATOMS": ATOMS}
        calls = operator.calls if hasattr(operator, "calls") else (getattr(operator, "call", None),)
        names |= {f"call{at}": call for at, call in enumerate(calls)} | {"calls": calls}
        names |= {"RAISED": RAISED, "NAN": NAN, "REDUCED": REDUCED, "latest": getattr(operator, "latest", None)}
        if keyed:
            names |= {"store": operator.store, "entries": operator.store.entries, "find": operator.store.find}
        if shape.context:
            names["context"] = operator.context
        names |= getattr(operator, "names", {})
        exec(_code(shape), names)
        made: Callable[[Iterator[Any]], None] = names["made"]()
        return made


@functools.lru_cache(maxsize=64)
def _code(shape: _Shape) -> Any:
    return compile("\n".join(_lines(shape)), _FILE, "exec")


def _lines(shape: _Shape) -> Iterator[str]:
    # what is read for each record is a local name of the loop: the quickest to read
    names = ["operator", "convert", "ATOMS", "calls", "call0", "RAISED", "REDUCED"]
    names += ["store", "entries", "find"] * shape.keyed + ["NAN"] * shape.grouped + ["latest"] * (shape.kind == "last")
    names += ["context"] * shape.context + list(_WINDOW_NAMES) * (shape.kind in ("window", "fire"))
    yield f"def made({', '.join(f'{name}={name}' for name in names)}):"
    yield f" def run(rows, {', '.join(f'{name}={name}' for name in names)}):"
    yield from _fresh(shape, 2)
    yield "  value = None"
    yield "  past = operator.watermark - size + 1" if shape.kind == "window" else ""
    yield "  group = operator.group" if shape.grouped else ""
    yield "  shown = None" if shape.kind == "fire" else ""
    yield "  try:"
    yield "   for key, value, stamp, place, side in rows:"
    if shape.kind == "fire":
        yield "    store.current = key; store.key = key.key; store.values = key.values"
        yield "    if side is not shown:"
        yield "     shown = side"
        yield "     at.turn(shown)"
    elif shape.grouped:
        yield "    if key != group and not (key != key and group is NAN):"
        yield "     operator.turn_to(key, value, side)"
        yield "     group = operator.group"
        yield from _fresh(shape, 5)
    elif shape.keyed:
        yield "    try: entry = entries[key]"
        yield "    except (KeyError, TypeError): entry = find(key)"
        if shape.clocked:
            yield "    if operator.alarms:"
            yield "     operator.look_at_the_clock(place)"
            yield from _fresh(shape, 5)
        yield "    store.current = entry; store.key = entry.key; store.values = entry.values"
    if shape.context:
        yield "    context.stamp = stamp"
    called = f"{'calls[side]' if shape.sided else 'call0'}(value{', context' if shape.context else ''})"
    yield from _BODIES[shape.kind](shape, called)
    yield "  except RAISED as error:"
    # the failure of a window that ends is no record's: who lets it end tells about it
    yield "   raise operator.failed(error, value) from None" if shape.kind != "fire" else "   raise"
    yield " return run"


def _fresh(shape: _Shape, depth: int) -> Iterator[str]:
    """Where results go: to fresh lists, whenever results have been given on meanwhile."""
    yield " " * depth + "give = operator.made.append"
    if shape.timed:
        yield " " * depth + "give_stamp = operator.made_stamps.append"
    if shape.placed:
        yield " " * depth + "give_place = operator.made_places.append"


def _give(shape: _Shape, depth: int, item: str) -> Iterator[str]:
    space = " " * depth
    if shape.check is not None:
        if shape.check is not ALWAYS:
            yield f"{space}if not ({' and '.join(_holding(shape.check, item))}):"
            space += " "
        yield f"{space}{item} = convert({item})"
    yield f"{' ' * depth}give({item})"
    if shape.timed:
        yield f"{' ' * depth}give_stamp(stamp)"
    if shape.placed:
        yield f"{' ' * depth}give_place(place)"


def _holding(check: Check, text: str) -> Iterator[str]:
    if check.whole:
        yield check.whole.replace(RECORD, text)
    for at, part in enumerate(check.parts or ()):
        if part is not None:
            yield from _holding(part, f"{text}[{at}]")
    if not check.whole and not any(check.parts or ()):
        yield "True"


def _map(shape: _Shape, called: str) -> Iterator[str]:
    yield f"    item = {called}"
    yield from _give(shape, 4, "item")


def _filter(shape: _Shape, called: str) -> Iterator[str]:
    yield f"    if {called}:"
    yield "     item = value"
    yield from _give(shape, 5, "item")


def _flat_map(shape: _Shape, called: str) -> Iterator[str]:
    yield f"    results = {called}"
    if not shape.script:  # in PyFlink a function that gives None fails
        yield "    if results is None: continue"
    yield "    for item in results:"
    yield from _give(shape, 5, "item")


def _process(shape: _Shape, called: str) -> Iterator[str]:
    yield f"    results = {called}"
    yield "    if results:" if shape.script else "    if results is not None:"
    yield "     for item in results:"
    if shape.tagged:
        yield "      if item.__class__ is tuple and operator.aside(item, stamp, place): continue"
    yield from _give(shape, 6, "item")


def _reduce(shape: _Shape, called: str) -> Iterator[str]:
    yield from _reduced()
    yield from _give(shape, 4, "item")


def _last(shape: _Shape, called: str) -> Iterator[str]:
    """Only the last result of a key is given, at its end, with the latest event time of its records."""
    yield from _reduced()
    yield "    before = latest.get(store.current)"
    yield "    if before is None or (stamp is not None and (before[0] is None or stamp > before[0])):"
    yield "     latest[store.current] = stamp, place"


def _reduced() -> Iterator[str]:
    yield "    held = store.values"
    yield "    item = held.get(REDUCED)"
    yield "    item = held[REDUCED] = value if item is None else call0(item, value)"


def _values(shape: _Shape, called: str) -> Iterator[str]:
    yield "    item = value"
    yield from _give(shape, 4, "item")


_WINDOW_NAMES = ("known", "size", "step", "offset", "WINDOWS", "create", "add", "due", "get_result", "function", "at")


def _window(shape: _Shape, called: str) -> Iterator[str]:
    """A record for its windows of event time. One that is late, or comes after a window's end, goes the long way."""
    form, _, ends = shape.window
    first, more = _HELD[form]
    yield "    if stamp is None: operator.no_time()"
    yield "    begin = stamp - (stamp - offset) % step"
    yield "    starts = known.get(begin)"
    yield "    if starts is None: starts = operator.starts(begin, stamp)"
    yield "    if not starts or starts[-1] <= past:"
    yield "     operator.take_one(value, stamp, place, side)"
    yield "     continue"
    yield "    values = store.values"
    yield "    windows = values.get(WINDOWS)"
    yield "    if windows is None: windows = values[WINDOWS] = {}"
    yield "    for start in starts:"
    yield "     if start in windows:"
    yield f"      {more}"
    yield "     else:"
    yield f"      windows[start] = {first}"
    if ends == "timers":
        yield "      operator.set_timers(start)"
    elif ends == "input":
        yield "      due[start].append(store.current)"


_HELD = {  # what a window holds after its first record, and what is done with more
    "aggregate": ("add(value, create())", "windows[start] = add(value, windows[start])"),
    "reduce": ("value", "windows[start] = add(windows[start], value)"),
    "": ("[value]", "windows[start].append(value)"),
}


def _fire(shape: _Shape, called: str) -> Iterator[str]:
    """The result of a window of one key, of which `value` is what it held and `side` the window."""
    form, how, _ = shape.window
    result = {"aggregate": "get_result(value)", "reduce": "value"}.get(form)
    if result is None:
        yield f"    results = {how.format(elements='value')}"
    else:
        given = "(result,)" if how == "result" else how.format(elements="[result]")
        yield f"    result = {result}"
        yield f"    results = () if result is None else {given}"
    yield "    if results:" if shape.script else "    if results is not None:"
    yield "     for item in results:"
    if shape.tagged:
        yield "      if item.__class__ is tuple and operator.aside(item, stamp, place): continue"
    yield from _give(shape, 6, "item")
    yield "    if operator.cleans: operator.forget_window(shown)"


_BODIES: dict[str, Callable[[_Shape, str], Iterator[str]]] = {
    "map": _map,
    "filter": _filter,
    "flat_map": _flat_map,
    "process": _process,
    "reduce": _reduce,
    "last": _last,
    "values": _values,
    "window": _window,
    "fire": _fire,
}
