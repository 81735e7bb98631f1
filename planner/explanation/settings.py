"""`--set OP.attribute=value`: a job as it would be with one thing changed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, get_args

from planner.errors import OptionError
from planner.explanation.operators import OperatorRef, matches
from planner.job import JobDefinition, Operator, Partition, Partitioner, Transformation

__all__ = ["apply_settings"]

UNSET = ("none", "unset", "")
JOB = "job"


def apply_settings(job: JobDefinition, operators: Iterable[OperatorRef], settings: Iterable[str]) -> JobDefinition:
    """The job with every setting applied, in the order given. `operators` are those of the job's own plan."""
    known = tuple(operators)
    for setting in settings:
        job = _apply(job, known, setting)
    return job


def _apply(job: JobDefinition, known: tuple[OperatorRef, ...], setting: str) -> JobDefinition:
    target, separator, value = setting.partition("=")
    word, dot, attribute = target.rpartition(".")
    if not separator or not dot or not word:
        raise OptionError(
            f"--set {setting}: not of the form OPERATOR.ATTRIBUTE=VALUE",
            hint="for example --set map.parallelism=4, or --set job.parallelism=8",
        )
    attribute = attribute.replace("-", "_")
    if word == JOB and attribute in _JOB_READERS:
        return replace(job, **{attribute: _JOB_READERS[attribute](setting, value)})
    operator = _operator(job, known, setting, word)
    if attribute == "partition":
        return _with_partition(job, operator, setting, value)
    changed = replace(operator, **{attribute: _reader(setting, word, attribute)(setting, value)})
    return _with(job, {operator.id: changed})


def _operator(job: JobDefinition, known: tuple[OperatorRef, ...], setting: str, word: str) -> Operator:
    keys = {ref.key.removesuffix(":committer"): ref for ref in reversed(matches(word, known))}
    if len(keys) == 1:
        return next(operator for operator in job.operators if operator.key in keys)
    if keys:
        options = ", ".join(f"{key} ({ref.location})" for key, ref in sorted(keys.items()))
        raise OptionError(f"--set {setting}: {word!r} may be any of {options}", hint="name one by its key")
    names = [JOB, *dict.fromkeys(name for ref in known for name in (ref.key, ref.name))]
    raise OptionError(f"--set {setting}: there is no operator {word!r}", hint=_nearest(word, names))


def _reader(setting: str, word: str, attribute: str) -> Callable[[str, str], Any]:
    readers = _JOB_READERS if word == JOB else _OPERATOR_READERS
    if attribute in readers:
        return readers[attribute]
    known = [*readers] if word == JOB else [*readers, "partition"]
    raise OptionError(f"--set {setting}: {attribute!r} cannot be set", hint=_nearest(attribute, known))


def _with(job: JobDefinition, changed: dict[int, Transformation]) -> JobDefinition:
    return replace(job, transformations=tuple(changed.get(t.id, t) for t in job.transformations))


def _with_partition(job: JobDefinition, operator: Operator, setting: str, value: str) -> JobDefinition:
    """Change the partitioning written in front of an operator; a keyed exchange is part of what it computes."""
    wanted = value.upper()
    if wanted not in get_args(Partitioner) or wanted in ("HASH", "CUSTOM"):
        names = [name.lower() for name in get_args(Partitioner) if name not in ("HASH", "CUSTOM")]
        raise OptionError(f"--set {setting}: {value!r} is not one of {', '.join(names)}", hint=_nearest(value, names))
    written = [t for number in operator.inputs if isinstance(t := job.by_id[number], Partition)]
    if not written or any(partition.partitioner == "HASH" for partition in written):
        why = "its input is keyed" if written else "no partitioning is written in front of it"
        raise OptionError(
            f"--set {setting}: {operator.key} has none to change: {why}", location=operator.location,
            hint="add rebalance() or the like to the job itself",
        )  # fmt: skip
    partitioner: Any = wanted
    return _with(job, {p.id: replace(p, partitioner=partitioner, custom=None) for p in written})


def _number(least: int, most: int = 1 << 31) -> Callable[[str, str], int | None]:
    def read(setting: str, value: str) -> int | None:
        if value.lower() in UNSET:
            return None
        if not re.fullmatch(r"-?\d{1,10}", value) or not least <= int(value) < most:
            raise OptionError(f"--set {setting}: {value!r} is not a whole number from {least} on")
        return int(value)

    return read


def _required_number(setting: str, value: str) -> int:
    number = _number(1)(setting, value)
    return 1 if number is None else number


def _text(setting: str, value: str) -> str | None:
    return None if value.lower() in UNSET else value


def _hash(setting: str, value: str) -> str | None:
    if value.lower() not in UNSET and not re.fullmatch(r"[0-9a-fA-F]{32}", value):
        raise OptionError(f"--set {setting}: a uid_hash has 32 hex digits")
    return _text(setting, value)


def _flag(setting: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise OptionError(f"--set {setting}: {value!r} is neither true nor false")
    return value.lower() == "true"


def _choice(*choices: str, optional: bool = False) -> Callable[[str, str], str | None]:
    def read(setting: str, value: str) -> str | None:
        if optional and value.lower() in UNSET:
            return None
        if value not in choices:
            names = [*choices, "none"] if optional else list(choices)
            raise OptionError(
                f"--set {setting}: {value!r} is not one of {', '.join(names)}", hint=_nearest(value, names)
            )
        return value

    return read


_SHARED: dict[str, Callable[[str, str], Any]] = {
    "max_parallelism": _number(1, (1 << 15) + 1),
    "buffer_timeout": _number(-1),
    "name": _text,
}
_OPERATOR_READERS: dict[str, Callable[[str, str], Any]] = {
    "parallelism": _number(1),
    **_SHARED,
    "slot_sharing_group": _text,
    "co_location_group": _text,
    "chaining": _choice("start_new", "disable", optional=True),
    "uid": _text,
    "uid_hash": _hash,
    "description": _text,
    "legacy": _flag,
    "parallel": _flag,
    "api": _choice("v1", "v2"),
    "committer": _flag,
    "chain_sources": _flag,
}
_JOB_READERS: dict[str, Callable[[str, str], Any]] = {
    "parallelism": _required_number,
    **_SHARED,
    "chaining": _flag,
    "chain_different_max_parallelism": _flag,
    "runtime_mode": _choice("streaming", "batch", "automatic"),
}


def _nearest(word: str, known: Iterable[str]) -> str:
    names = list(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
