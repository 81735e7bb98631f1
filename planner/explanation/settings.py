"""`--set OP.attribute=value`: a job as it would be with one thing changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, get_args

from planner.errors import OptionError
from planner.job import JobDefinition, Operator, Partition, Partitioner, Transformation
from planner.operators import OperatorRef, matches, no_operator, whole_key
from planner.settings.job_format import JOB_KEYS, KIND_KEYS, OPERATOR_KEYS, Key
from planner.settings.values import Fault, from_text
from planner.spelling import did_you_mean, nearest_or_all

__all__ = ["apply_settings"]

UNSET = ("none", "unset", "")
JOB = "job"


def apply_settings(
    job: JobDefinition,
    operators: Iterable[OperatorRef],
    settings: Iterable[str],
    merged: Mapping[str, tuple[str, ...]] | None = None,
) -> JobDefinition:
    """The job with every setting applied, in the order given. `operators` are those of the job's own plan.

    `merged` has the keys of the operators that PyFlink made one of: a setting of the one is a setting of them all.
    """
    known = tuple(operators)
    for setting in settings:
        for single in _parts(setting, merged or {}):
            job = _apply(job, known, single)
    return job


def _parts(setting: str, merged: Mapping[str, tuple[str, ...]]) -> list[str]:
    target, separator, value = setting.partition("=")
    word, dot, attribute = target.rpartition(".")
    if word not in merged:
        return [setting]
    keys = merged[word][:1] if attribute in _OF_THE_FIRST else merged[word]
    return [f"{key}{dot}{attribute}{separator}{value}" for key in keys]


def _apply(job: JobDefinition, known: tuple[OperatorRef, ...], setting: str) -> JobDefinition:
    target, separator, value = setting.partition("=")
    word, dot, attribute = target.rpartition(".")
    if not separator or not dot or not word:
        raise OptionError(
            f"--set {setting}: not of the form OPERATOR.ATTRIBUTE=VALUE",
            hint="for example --set map.parallelism=4, or --set job.parallelism=8",
        )
    attribute = attribute.replace("-", "_")
    if word == JOB and attribute in _OF_JOBS:
        return replace(job, **{attribute: _read(setting, word, attribute, value)})
    operator = _operator(job, known, setting, word)
    if attribute == "partition":
        return _with_partition(job, operator, setting, value)
    changed = replace(operator, **{attribute: _read(setting, word, attribute, value)})
    if attribute == "parallelism":
        changed = replace(changed, parallelism_inherited=False)
    return _with(job, {operator.id: changed})


def _operator(job: JobDefinition, known: tuple[OperatorRef, ...], setting: str, word: str) -> Operator:
    keys = {whole_key(ref.key): ref for ref in reversed(matches(word, known))}
    if len(keys) == 1:
        found = next((operator for operator in job.operators if operator.key in keys), None)
        if found is None:
            raise OptionError(
                f"--set {setting}: {word!r} is not in the job as it is written: Flink or PyFlink puts it in",
                hint="set an operator next to it",
            )
        return found
    if keys:
        options = ", ".join(f"{key} ({ref.location})" for key, ref in sorted(keys.items()))
        raise OptionError(f"--set {setting}: {word!r} may be any of {options}", hint="name one by its key")
    message, hint = no_operator(word, known, [JOB])
    raise OptionError(f"--set {setting}: {message}", hint=hint)


def _read(setting: str, word: str, attribute: str, value: str) -> Any:
    """The value of a setting, by the same checks as in a job's file; `none` unsets what may be unset."""
    keys, settable = (JOB_KEYS, _OF_JOBS) if word == JOB else (_OPERATOR_KEYS, _OF_OPERATORS)
    if attribute not in settable:
        known = [*settable] if word == JOB else [*settable, "partition"]
        raise OptionError(f"--set {setting}: {attribute!r} cannot be set", hint=nearest_or_all(attribute, known))
    if value.lower() in UNSET and settable[attribute] is not REQUIRED:
        return settable[attribute]
    try:
        return from_text(keys[attribute].type, value)
    except Fault as fault:
        raise OptionError(f"--set {setting}: {attribute} {fault.message}", hint=fault.hint) from None


def _with(job: JobDefinition, changed: dict[int, Transformation]) -> JobDefinition:
    return replace(job, transformations=tuple(changed.get(t.id, t) for t in job.transformations))


def _with_partition(job: JobDefinition, operator: Operator, setting: str, value: str) -> JobDefinition:
    """Change the partitioning written before an operator; a keyed exchange is part of what it computes."""
    wanted = value.upper()
    if wanted not in get_args(Partitioner) or wanted in ("HASH", "CUSTOM"):
        names = [name.lower() for name in get_args(Partitioner) if name not in ("HASH", "CUSTOM")]
        raise OptionError(
            f"--set {setting}: {value!r} is not one of {', '.join(names)}", hint=did_you_mean(value, names)
        )
    written = [t for number in operator.inputs if isinstance(t := job.by_id[number], Partition)]
    if not written or any(partition.partitioner == "HASH" for partition in written):
        why = "its input is keyed" if written else "no partitioning is written before it"
        raise OptionError(
            f"--set {setting}: {operator.key} has none to change: {why}", location=operator.location,
            hint="add rebalance() or the like to the job itself",
        )  # fmt: skip
    partitioner: Any = wanted
    return _with(job, {p.id: replace(p, partitioner=partitioner, custom=None) for p in written})


REQUIRED: Final = object()  # cannot be unset
_OF_THE_FIRST: Final = frozenset({"name", "uid", "uid_hash", "chaining", "partition"})  # what a merged operator takes
_OPERATOR_KEYS: Final[Mapping[str, Key]] = {
    **OPERATOR_KEYS,
    **{name: key for kind in ("source", "sink", "multi_input") for name, key in KIND_KEYS[kind].items()},
}
# What can be set, and the value that unsets it.
_OF_OPERATORS: Final[Mapping[str, Any]] = {
    "parallelism": None,
    "max_parallelism": None,
    "buffer_timeout": None,
    "name": None,
    "slot_sharing_group": None,
    "co_location_group": None,
    "chaining": None,
    "uid": None,
    "uid_hash": None,
    "description": None,
    "legacy": REQUIRED,
    "parallel": REQUIRED,
    "api": REQUIRED,
    "committer": REQUIRED,
    "chain_sources": REQUIRED,
}
_OF_JOBS: Final[Mapping[str, Any]] = {
    "parallelism": 1,
    "max_parallelism": None,
    "buffer_timeout": None,
    "name": None,
    "chaining": REQUIRED,
    "chain_different_max_parallelism": REQUIRED,
    "runtime_mode": REQUIRED,
}
