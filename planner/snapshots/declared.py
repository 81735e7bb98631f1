"""Everything that a job declares about an operator, as flat facts: `window.size` is `5min`, `options.topic` is `a`.

There is one way for all of it: every field of the definition's records is walked, down to plain values, so that a new
option is a fact of its own without a line here. What is not a fact is listed, with the reason. Objects of the script
(connectors, window assigners, functions) are walked by what they were made of. Functions are facts by their name, by
the values they carry, and by the code of every piece of the job that they use. Secrets are facts by their hash. No fact
depends on the machine: folders of the job are left out of paths, and addresses of objects are never shown.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from planner.frontends.python_files.job_modules import own_modules
from planner.job import (
    Collection,
    JobDefinition,
    Location,
    Operator,
    Partition,
    PythonFunction,
    PythonRun,
    SideOutput,
    Transformation,
)
from planner.kinds import KEEPS_COLUMNS, SINKS
from planner.settings.durations import format_duration
from planner.snapshots.code import Codebase, Piece
from planner.snapshots.function_text import callable_text, sql_query

__all__ = ["NOT_FACTS", "PART", "Facts", "Surroundings", "job_facts", "operator_facts"]

Facts = Mapping[str, str]
PART: Final = re.compile(r"part (\d+): ")  # how facts begin that are of one part of an operator that PyFlink merged

# The fields that are no facts, each with the reason. Everything else is one.
NOT_FACTS: Final[Mapping[type, Mapping[str, str]]] = {
    Operator: {
        "id": "the order of operators in the file is no change",
        "key": "how messages call it: in YAML its id",
        "kind": "compared as the snapshot's own `kind`",
        "location": "where it is written is no change",
        "inputs": "compared as edges",
        "name": "compared as the snapshot's own `name`",
        "uid": "compared as the snapshot's own `uid`",
        "uid_hash": "compared as the snapshot's own `user_hash`",
        "description": "only shown; of a SQL operator the fact `query`",
        "ignores": "a word to lint",
        "remarks": "said by the front end about other facts",
        "parallelism_inherited": "where the parallelism comes from",
        "merged": "walked part by part",
        "exported": "how the file was written",
        "extra_ids": "follows from the connector",
        "helper": "which call PyFlink put it there for",
        "python": "compared as edges and operators",
    },
    Partition: {
        "id": "the order of operators in the file is no change",
        "input": "compared as edges",
        "location": "where it is written is no change",
        "partitioner": "compared as edges",
        "aligns": "put there by PyFlink, and passed over",
    },
    SideOutput: {
        "id": "the order of operators in the file is no change",
        "input": "compared as edges",
        "location": "where it is written is no change",
        "tag": "compared as edges",
    },
    JobDefinition: {
        "name": "compared as the snapshot's own `name`",
        "transformations": "compared as operators and edges",
        "location": "where it is written is no change",
        "python": "compared as operators and edges",
        "next_id": "a number of Flink's",
        "parallelism_origin": "where the parallelism comes from",
        "absent_modules": "what is installed here",
        "calls": "compared as operators and edges",
        "compiled": "compared as operators and edges",
        "flink": "told as an upgrade",
        "repeat": "part of the snapshot's own `name`",
        "notes": "how the plan came to be",
        "recorded": "walked call by call",
    },
}  # fmt: skip
# Fields whose name says less than what is in them: their parts stand one level higher.
_PLAIN_FIELDS: Final = frozenset({"behaviour", "run", "connector"})
_DURATIONS: Final = frozenset(
    {"size", "slide", "offset", "watermark", "lateness", "out_of_orderness", "idleness", "timeout", "buffer_timeout"}
    | {"delay", "max_delay", "failure_interval"}
)
_NAMES: Final = {"PythonRun": "", "PythonWindow": "window.", "Reader": "connector.", "Writer": "connector."}
_RENAMED: Final = {
    "strategy": "watermarks",
    "key_type": "type",
    "key_selector": "function",
    "custom": "function",
    "key_columns": "columns",
}
# Pairs whose order is part of the result: the columns of a record.
_ORDERED: Final = frozenset({"columns", "select"})
_SECRET: Final = re.compile(
    r"passw|passphrase|secret|jaas|token|credential|api.?key|access.?key|private.?key|sasl\.\w*config|auth",
    re.IGNORECASE,
)
_LOGIN: Final = re.compile(r"(?<=://)([^/@\s:]+):([^/@\s]+)(?=@)")
_CALL: Final = re.compile(r"((?:\w+\(\)\.)*\w+)\((.*)\)$", re.DOTALL)
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_NUMBER: Final = re.compile(r"-?[0-9.]+$|True$|False$|None$")  # a text that reads as another value of Python
_TIMES: Final = "planner.frontends.python.values.times"
_LONGEST: Final = 160
_DEEPEST: Final = 6
_OURS: Final = ("planner.", "spark_runner.")


class Surroundings:
    """What facts of one job are read with: its files, and the folders that no fact may show."""

    def __init__(self, job: JobDefinition) -> None:
        file = os.path.abspath(job.location.file)  # noqa: PTH100 (no links are followed)
        self.folder = str(Path(file).parent)
        own = own_modules(self.folder)
        modules = {name: found for name, module in own.items() if (found := _file_of(module)) is not None}
        self.code = Codebase(self.folder, {**modules, "__main__": file})
        self.file = file
        self.namespaces = {os.path.abspath(found): vars(own[name]) for name, found in modules.items()}  # noqa: PTH100
        self._top = _top(self.folder)

    def plain(self, text: str) -> str:
        """A text without the folders of this machine."""
        if self._top not in text:
            return text
        if text.startswith(self._top):
            return Path(os.path.relpath(text, self.folder)).as_posix()
        return text.replace(self.folder, ".").replace(self._top, "")

    def functions_in(self, piece: Piece) -> Any:
        """A value of a module that holds functions of the job, which no text names: a table that decorators fill."""
        if not piece.is_value:
            return None
        value = self.namespaces.get(piece.module.file, {}).get(piece.name)
        held = [value] if isinstance(value, (list, tuple, dict, set)) else list(getattr(value, "__dict__", {}).values())
        tables = [one for one in held if isinstance(one, (list, tuple, dict, set))]
        inside = (one for table in tables for one in (table.values() if isinstance(table, dict) else table))
        return value if any(isinstance(one, (FunctionType, type)) for one in inside) else None

    def unit(self, piece: Piece) -> str:
        """A piece of code as messages call it: with its module where that is not the job's own file."""
        if piece.module.file == self.file:
            return piece.name
        return f"{Path(piece.module.file).stem}.{piece.name}"


def _top(folder: str) -> str:
    """The folder that the job's repository lies in; its own folder where there is none."""
    parents = (Path(folder), *Path(folder).parents)
    return next((str(one) for one in parents if (one / ".git").exists()), folder)


def _file_of(module: ModuleType) -> str | None:
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) and file.endswith(".py") else None


def operator_facts(job: JobDefinition, operator: Operator, surroundings: Surroundings) -> Facts:
    """What the job declares about an operator and about how records reach it, by name."""
    found = _Facts(surroundings)
    parts = operator.merged or (operator,)
    for number, part in enumerate(parts, start=1):
        label = f"part {number}: " if len(parts) > 1 else ""
        if label:
            found.put(f"{label}kind", part.kind)
            found.put(f"{label}name", part.kind if part.name is None else part.name)
        found.fields(label, part)
    if operator.exported and (query := sql_query(operator.description)) is not None:
        found.put("query of state" if job.is_keyed(operator) else "query", query)
    for number, read in enumerate(operator.inputs):
        found.input(job, operator, f"input {number + 1} " if len(operator.inputs) > 1 else "", read)
    return dict(sorted(found.facts.items()))


def job_facts(job: JobDefinition, surroundings: Surroundings) -> Facts:
    """What is declared for the whole job."""
    found = _Facts(surroundings)
    found.fields("", job)
    for call in job.recorded:
        written = _CALL.match(call)
        found.put(f"call {written[1]}" if written else "call", (written[2] or "called") if written else call)
    return dict(sorted(found.facts.items()))


class _Facts:
    """Facts while they are collected."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        self.facts: dict[str, str] = {}
        self.states: set[str] = set()  # facts of states whose descriptor is at hand
        self.seen: dict[int, Any] = {}  # objects on the way and functions: what is met again says nothing new

    def put(self, path: str, text: str) -> None:
        """Keep a fact; a second value under the same name stands beside the first."""
        text = self.surroundings.plain(text)
        if _SECRET.search(path):
            text = f"secret {_hash(text)}"
        elif "://" in text:
            text = _LOGIN.sub(lambda login: f"{login[1]}:secret-{_hash(login[2])}", text)
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST // 2]}... {_hash(text)}"
        known = self.facts.get(path)
        self.facts[path] = text if known is None or known == text else f"{known}, {text}"

    def input(self, job: JobDefinition, operator: Operator, label: str, number: int) -> None:
        """The partitions and side outputs between an operator and what it reads."""
        keys = job.key_partitions(operator)  # their columns are compared as the snapshot's own `keyed_by`
        waiting = [(number, False)]
        while waiting:
            number, decided = waiting.pop()
            step = job.by_id[number]
            if isinstance(step, Partition) and step.aligns:  # PyFlink's own, where its helper operators run
                waiting.append((step.input, True))
            elif isinstance(step, Partition) and decided:
                self.put(f"{label}overridden-partition", step.partitioner)  # the one nearest to the operator counts
                self.value(f"{label}overridden-partition exchange", step.exchange)  # the one nearest to the source does
                waiting.append((step.input, True))
            elif isinstance(step, Partition):
                if step.partitioner == "HASH":
                    self.fields(f"{label}key ", dataclasses.replace(step, key_columns=()) if step in keys else step)
                else:
                    self.put(f"{label}partition", step.partitioner)
                    self.fields(f"{label}partitioner ", step)
                self.key_type(label, job.by_id[step.input])
                waiting.append((step.input, True))
            elif isinstance(step, SideOutput):
                self.fields(f"{label}side output {step.tag} ", step)
                waiting.append((step.input, decided))
            elif not isinstance(step, Operator):
                waiting.extend((inner, decided) for inner in step.inputs)

    def key_type(self, label: str, before: Transformation) -> None:
        """PyFlink's own operator before a keyed stream puts the key in front of the record, with its type."""
        part = (before.merged or (before,))[-1] if isinstance(before, Operator) else None
        if part is not None and part.helper == "key_by" and part.run is not None:
            self.value(f"{label}key type", part.run.record_type.get_field_types()[0])

    def fields(self, label: str, holder: Any, depth: int = 0) -> None:
        """The fields of a record that have another value than their default."""
        skipped = NOT_FACTS.get(type(holder), {})
        run = getattr(holder, "run", None)
        as_written = run is not None and (run.connector is not None or run.strategy is not None)
        for field in dataclasses.fields(holder):
            value = getattr(holder, field.name)
            if field.name in skipped or _is_default(field, value) or (as_written and field.name == "behaviour"):
                continue
            if isinstance(holder, PythonRun) and field.name == "record_type":
                continue  # a fact of the operator, below
            if field.name == "parallelism" and getattr(holder, "parallelism_inherited", False):
                continue  # the environment's
            if field.name in _PLAIN_FIELDS:
                self.value(f"{label}{field.name}", value, depth)
            elif field.name in _DURATIONS and isinstance(value, int) and not _counts(holder):
                self.put(f"{label}{_words(field.name)}", format_duration(value))
            else:
                self.value(f"{label}{_RENAMED.get(field.name, _words(field.name))}", value, depth)
        if run is not None and holder.helper in (None, "side_output") and holder.kind not in KEEPS_COLUMNS | SINKS:
            self.value(f"{label}output", run.record_type, depth)

    def value(self, path: str, value: Any, depth: int = 0) -> None:
        """Any value, down to plain ones."""
        if value is None or isinstance(value, Location):
            return
        text = _plain(value)
        if text is not None:
            self.put(
                path, repr(text) if isinstance(value, str) and "function" in path and _NUMBER.match(text) else text
            )
            if isinstance(value, Enum):
                self.code(path, self.surroundings.code.of_class(type(value)))
        elif depth > _DEEPEST:
            self.put(path, _shown(value) or type(value).__qualname__)
        elif hasattr(type(value), "get_java_type_info") or hasattr(type(value), "to_ddl"):  # a type of records
            self.put(path, repr(value) if hasattr(type(value), "get_java_type_info") else value.nested())
        elif isinstance(value, PythonFunction):
            self.python_function(path, value, depth)
        elif isinstance(value, Collection):
            self.collection(path, value)
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                self.value(f"{path}.{key.__qualname__ if isinstance(key, type) else key}", inner, depth + 1)
        elif isinstance(value, (tuple, list)):
            self.several(path, value, depth)
        elif isinstance(value, (set, frozenset)):
            self.put(path, ", ".join(sorted(_plain(one) or _shown(one) or type(one).__qualname__ for one in value)))
        elif isinstance(value, (FunctionType, BuiltinFunctionType, MethodType, type, partial)):
            self.function(path, value, depth)
        else:
            self.object(path, value, depth)

    def several(self, path: str, values: Any, depth: int) -> None:
        if values and all(_is_pair(one) for one in values):
            for key, inner in values:
                self.value(f"{path}.{key}", inner, depth + 1)
            if path.rpartition(".")[2] in _ORDERED or (isinstance(values, list) and not isinstance(values[0], list)):
                self.put(path, ", ".join(key for key, _ in values))
            return
        plain = [_plain(one) for one in values]
        if all(text is not None for text in plain):
            self.put(path, ", ".join(text for text in plain if text is not None))
            return
        for number, inner in enumerate(values, start=1):
            self.value(f"{path} {number}", inner, depth + 1)

    def collection(self, path: str, collection: Collection) -> None:
        inner = _Facts(self.surroundings)
        texts = []
        for record in collection.records:
            text = _plain(record) if not isinstance(record, (tuple, list, dict)) else _ADDRESS.sub("", repr(record))
            if text is None:
                inner.facts.clear()
                inner.value("record", record)
                text = repr(sorted(inner.facts.items()))
            texts.append(text)
        self.put(re.sub("behaviour$", "collection", path), f"{len(texts)} records {_hash(chr(0).join(texts))}")

    def object(self, path: str, value: Any, depth: int) -> None:
        """An object by what it was declared with: its calls, its fields, its attributes; once."""
        kind = type(value)
        if id(value) in self.seen:
            self.put(path, kind.__qualname__)
            return
        self.seen[id(value)] = value
        calls = getattr(value, "_calls", None)
        if kind.__module__.startswith(_OURS) and hasattr(kind, "state_kind"):
            self.put(path, kind.__qualname__)
            self.state(path, value, depth)
        elif kind.__module__.startswith(_OURS) and isinstance(calls, tuple) and calls:
            self.calls(path, value, depth)
        elif dataclasses.is_dataclass(value) and kind.__module__.startswith(_OURS):
            label, _, field = path.rpartition(" ")
            label = f"{label} " if label else ""
            above = f"{label}{_NAMES.get(kind.__name__, kind.__name__.lower() + '.')}"
            self.fields(above if field in _PLAIN_FIELDS else f"{path}.", value, depth + 1)
            if not kind.__module__.startswith("planner.job"):
                self.put(path, kind.__qualname__)
        elif kind.__module__.startswith(_OURS):
            self.put(path, kind.__qualname__)
            self.attributes(path, value, depth)
        elif self.surroundings.code.of_class(kind) is not None:
            self.put(path, kind.__qualname__)
            self.code(path, self.surroundings.code.of_class(kind), value)
            self.closures(path, kind, depth)
            self.attributes(path, value, depth)
        else:
            shown = _shown(value)
            self.put(path, shown or kind.__qualname__)
            wrapped = getattr(value, "__wrapped__", None)  # by `functools.lru_cache`
            self.value(path, wrapped, depth + 1)
            if shown is None and wrapped is None and depth <= _DEEPEST and not isinstance(value, ModuleType):
                self.attributes(path, value, depth)

    def state(self, path: str, descriptor: Any, depth: int) -> None:
        """A descriptor of a state: what the state is found by, and what else it says, as `code` tells it."""
        part = PART.match(path)
        label = f"{part[0] if part else ''}state."
        types = []
        for name, inner in vars(descriptor).items():
            if inner is None or name == "name":
                continue
            if name.endswith("type_info"):
                types.append(self.apart(inner))
            elif name == "time_to_live":
                self.put(f"{label}time to live", self.apart(inner))
            else:
                self.value(f"{label}function of {descriptor.name}", inner, depth + 1)
        fact = f"{label}{descriptor.name}"
        kind = type(descriptor).__name__.removesuffix("Descriptor")
        if fact not in self.states:
            self.facts.pop(fact, None)  # as the code was read; the object is surer
            self.states.add(fact)
        self.put(fact, ", ".join((kind, *types)))

    def apart(self, value: Any) -> str:
        """Everything that is declared about a value, as one text."""
        inner = _Facts(self.surroundings)
        inner.value("", value)
        return ", ".join(f"{name.lstrip('.')} {text}".lstrip() for name, text in sorted(inner.facts.items()))

    def attributes(self, path: str, value: Any, depth: int) -> None:
        names = [*getattr(value, "__dict__", {}), *(n for k in type(value).__mro__ for n in _slots(k))]
        for name in dict.fromkeys(names):
            inner = getattr(value, name, None)
            if isinstance(inner, int) and name.strip("_") in _DURATIONS and "Count" not in type(value).__name__:
                self.put(f"{path}.{_words(name)}", format_duration(inner))
            elif not isinstance(inner, ModuleType):
                self.value(f"{path}.{_words(name)}", inner, depth + 1)

    def calls(self, path: str, value: Any, depth: int) -> None:
        """An object that keeps the calls it was made by; the order of its settings is no fact."""
        made_by = value._calls[0].name
        self.put(path, type(value).__qualname__ if made_by.endswith(".builder") else made_by)
        for call in value._calls:
            name = re.sub(r"^(set|with|for)_", "", call.name.rpartition(".")[2])
            made = call.name == made_by or name == "build"
            given = list(call.arguments)
            if len(given) > 1 and isinstance(given[0][1], str) and call.name.endswith("property"):
                self.value(f"{path}.{given[0][1]}", given[1][1], depth + 1)
            elif len(given) == 1 and not made:
                self.value(f"{path}.{_words(name)}", given[0][1], depth + 1)
            elif given:
                for argument, inner in given:
                    self.value(f"{path}.{'' if made else _words(name) + '.'}{_words(argument)}", inner, depth + 1)
            elif not made:
                self.put(f"{path}.{_words(name)}", "yes")

    # --- functions

    def python_function(self, path: str, function: PythonFunction, depth: int) -> None:
        path = re.sub("behaviour$", "function", path)
        if function.reference is None:
            self.value(path, function.target, depth)
            return
        self.put(path, function.reference)
        self.code(path, self.surroundings.code.of_reference(function.reference))

    def function(self, path: str, target: Any, depth: int) -> None:
        """A function by its name or text, its code, and the values that it carries."""
        if id(target) in self.seen:
            self.put(path, callable_text(target) or type(target).__qualname__)
            return
        self.seen[id(target)] = target
        if isinstance(target, partial):
            self.value(path, target.func, depth)
            self.value(f"{path}.arguments", target.args, depth + 1)
            self.value(f"{path}.arguments", target.keywords, depth + 1)
            return
        if isinstance(target, MethodType):
            self.value(path, target.__self__, depth)
            self.put(f"{path}.method", target.__name__)
            return
        text = callable_text(target)
        if text is not None:
            self.put(path, text)
        if isinstance(target, type):
            self.code(path, self.surroundings.code.of_class(target))
            self.closures(path, target, depth)
        elif isinstance(getattr(target, "__code__", None), CodeType):
            self.code(path, self.surroundings.code.of_code(target.__code__))
            self.carried(path, target, depth)
            self.value(path, getattr(target, "__wrapped__", None), depth + 1)

    def code(self, path: str, first: Piece | None, holder: Any = None) -> None:
        """The code of every piece that a function uses, and the states that it declares; `holder` is its object."""
        if first is None:
            return
        label = re.match(r"(.*[ :])?", path)[0]  # type: ignore[index]
        for piece in self.surroundings.code.reached(first):
            name = self.surroundings.unit(piece)
            if "<lambda>" not in piece.name and not piece.is_state:  # the text of a lambda is a fact already
                self.put(f"{label}code.{name}", piece.shown())
            self.value(f"{label}code.{name}", self.surroundings.functions_in(piece))
        for state, declared in self.surroundings.code.states(first, holder):
            if f"{label}state.{state}" not in self.states:
                self.put(f"{label}state.{state}", declared)

    def closures(self, path: str, kind: type[Any], depth: int) -> None:
        for base in kind.__mro__:
            if self.surroundings.code.of_class(base) is not None:
                for member in vars(base).values():
                    if isinstance(member, FunctionType) and self.surroundings.code.of_code(member.__code__) is not None:
                        self.carried(path, member, depth)

    def carried(self, path: str, function: FunctionType, depth: int) -> None:
        """The values that a function took from around it, and its defaults."""
        self.surroundings.namespaces.setdefault(function.__code__.co_filename, function.__globals__)
        given = function.__code__
        named = given.co_varnames[: given.co_argcount]
        defaults = dict(zip(reversed(named), reversed(function.__defaults__ or ()), strict=False))
        written = self.surroundings.code.constant_defaults(given)
        for name, inner in {**defaults, **(function.__kwdefaults__ or {})}.items():
            if name not in written and not _is_stream(inner):
                self.value(f"{path}.{name}", inner, depth + 1)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
            try:
                inner = cell.cell_contents
            except ValueError:  # not assigned yet
                continue
            if name != "__class__" and not isinstance(inner, ModuleType) and not _is_stream(inner):
                self.value(f"{path}.{name}", inner, depth + 1)


def _is_stream(value: Any) -> bool:
    """An environment or a stream of the job itself, which functions only meet by accident."""
    kind = type(value)
    return kind.__module__.startswith("planner.frontends.") and hasattr(value, "get_execution_environment")


def _shown(value: Any) -> str | None:
    """How an object shows itself, where that says more than where it lies."""
    if isinstance(value, (tuple, list, set, frozenset)):
        inner = [_plain(one) or _shown(one) for one in value]
        parts = [type(one).__qualname__ if text is None else text for one, text in zip(value, inner, strict=True)]
        return f"({', '.join(sorted(parts) if isinstance(value, (set, frozenset)) else parts)})"
    if isinstance(value, Mapping):
        return _shown(list(value.items()))
    text = repr(value)
    return None if " at 0x" in text else text


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def _is_default(field: Any, value: Any) -> bool:
    if value is None or (isinstance(value, (tuple, Mapping)) and not value):
        return True
    return field.default is not dataclasses.MISSING and type(value) is type(field.default) and value == field.default


def _counts(holder: Any) -> bool:
    """Whether the sizes of a window are numbers of records."""
    return getattr(holder, "assigner", None) == "count"


def _plain(value: Any) -> str | None:
    """A value that is its own text."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float, complex, bytes, type(None))):
        return repr(value)
    if type(value).__module__ == _TIMES and type(value).__name__ != "Instant":
        return _time(value)
    return str(value) if type(value).__module__ in ("datetime", "decimal", "pathlib", "uuid", "fractions") else None


def _time(value: Any) -> str:
    """A duration of PyFlink's."""
    nanos = getattr(value, "nanos", None)
    millis, rest = divmod(nanos, 1_000_000) if isinstance(nanos, int) else (value.to_milliseconds(), 0)
    return f"{nanos}ns" if rest else format_duration(millis)


def _words(name: str) -> str:
    return name.strip("_").replace("_", "-")


def _slots(kind: type[Any]) -> Iterator[str]:
    slots = vars(kind).get("__slots__", ())
    yield from (slots,) if isinstance(slots, str) else slots


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]
