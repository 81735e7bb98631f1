"""Under which id an operator takes saved state, and what to write so that it finds state saved under another id.

Flink saves state under an operator's id: the hash of its uid, or a generated one. A restored operator takes the state
of its uid hash where the savepoint has that id, else the state of its own id. So a uid hash that points at an older
id keeps the state while the id changes, and is not needed any more once a savepoint was taken under the new id.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from itertools import count

from planner.job import JobDefinition, Operator

_CALLS = {"uid": "uid", "uid_hash": "set_uid_hash"}
_JAVA_CALLS = {"uid": "uid", "uid_hash": "setUidHash"}
_PLAIN = re.compile(r"[0-9a-f]*[a-df][0-9a-f]*|[A-Za-z_][\w.-]*")  # digits with one `e` would be a number
_YAML_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})

__all__ = [
    "finds_own_state",
    "keep_state",
    "max_parallelism_setting",
    "may_have_uid_hash",
    "proposed_uid",
    "proposed_uids",
    "state_id",
    "uid_recipe",
    "written_for",
    "written_setting",
]


def state_id(id_: str, uid_hash: str | None, saved: Container[str]) -> str:
    """The id whose state Flink gives to an operator when it restores from a savepoint with the ids `saved`."""
    return uid_hash if uid_hash is not None and uid_hash in saved else id_


def finds_own_state(id_: str, uid_hash: str | None, *, old_id: str, saved: Container[str]) -> bool:
    """Whether an operator that saved its state as `old_id` gets that state back under its id and uid hash of now."""
    return state_id(id_, uid_hash, saved) == old_id


def may_have_uid_hash(operator: Operator) -> bool:
    """Whether Flink takes a uid hash on the operator: not on a v2 sink, which becomes several operators."""
    return not (operator.kind == "sink" and operator.api == "v2")


def max_parallelism_setting(file: str, value: int) -> str:
    """How the max parallelism of a whole job is set, in the words of its file."""
    if file.endswith(".sql"):
        return f"SET 'pipeline.max-parallelism' = '{value}'"
    if file.endswith((".jar", ".json")):
        return f"set pipeline.max-parallelism, or env.setMaxParallelism, to {value}"
    return f"set max_parallelism on the job to {value}"


def written_for(operator: Operator, **settings: str) -> str:
    """`uid` and `uid_hash` as they are written where the operator is: in its file, or in its Java program."""
    if operator.exported:
        return _calls(_JAVA_CALLS, settings)
    return written_setting(operator.location.file, **settings)


def written_setting(file: str, **settings: str) -> str:
    """`uid` and `uid_hash` as they are written in a job's file: calls in Python, keys in YAML and JSON."""
    if file.endswith(".py"):
        return _calls(_CALLS, settings)
    if file.endswith(".json"):
        return ", ".join(f'"{name}": {_quoted(value)}' for name, value in settings.items())
    return ", ".join(f"{name}: {_yaml(value)}" for name, value in settings.items())


def _calls(names: Mapping[str, str], settings: Mapping[str, str]) -> str:
    return "".join(f".{names[name]}({_quoted(value)})" for name, value in settings.items())


def _quoted(value: str) -> str:
    import json  # few jobs have such a value to show

    return json.dumps(value, ensure_ascii=False)


def _yaml(value: str) -> str:
    """A string in YAML, in quotes where it would be read as something else."""
    plain = _PLAIN.fullmatch(value) and value.lower() not in _YAML_WORDS
    return value if plain else _quoted(value)


def proposed_uid(operator: Operator) -> str:
    """A uid made of the operator's name, else of its function's, else of what it is; in YAML its id."""
    if not operator.location.file.endswith(".py"):
        return operator.key
    target = getattr(operator.behaviour, "target", None)
    function = getattr(target, "__name__", None) or (type(target).__name__ if target is not None else "")
    named = operator.name or (function if function.isidentifier() else "") or operator.key
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", named)
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") or operator.key


def proposed_uids(job: JobDefinition) -> Mapping[int, str]:
    """A uid for every operator of a job, by its id: its own, or a proposed one that no other has."""
    taken = {operator.uid for operator in job.operators if operator.uid is not None}
    found: dict[int, str] = {}
    for operator in job.operators:
        name = operator.uid or proposed_uid(operator)
        free = (f"{name}-{number}" if number > 1 else name for number in count(1))
        found[operator.id] = operator.uid or next(one for one in free if one not in taken)
        taken.add(found[operator.id])
    return found


_COMPILE = """keep its plan: COMPILE PLAN 'FILE' FOR this statement, then EXECUTE PLAN 'FILE'
SQL and the Table API set no uids; operators of a compiled plan have them, and keep them in later versions of Flink
on a job that already runs the state so far is lost with it: do it before there is state"""


def uid_recipe(operator: Operator, saved_id: str, uid: str | None = None, *, whole: bool = True) -> str:
    """How to give a uid to an operator whose state was saved as `saved_id`, and keep that state; in short, if told."""
    if operator.from_sql:
        return _COMPILE if whole else _COMPILE.splitlines()[0]
    uid = uid or operator.uid or proposed_uid(operator)
    if not whole and may_have_uid_hash(operator):
        return (
            f"give it a uid: {written_for(operator, uid=uid)}; on a job that already runs in the same three steps, "
            f"with {written_for(operator, uid_hash=saved_id)}"
        )
    if not may_have_uid_hash(operator):
        return (
            f"give it a uid before it has state: {written_for(operator, uid=uid)}\n"
            "a v2 sink takes no uid hash, so that on a running job the uid would lose its state"
        )
    return (
        f"give it a uid: {written_for(operator, uid=uid)}\n"
        "on a job that already runs the uid alone would lose the state; to keep it:\n"
        f"1. set {written_for(operator, uid=uid, uid_hash=saved_id)}; the same for operators downstream without a uid, "
        "whose ids change with it\n"
        "2. deploy that from a savepoint, then take a new savepoint\n"
        f"3. remove {written_for(operator, uid_hash=saved_id)}: the state is saved under the uid now"
    )


def keep_state(operator: Operator, saved_id: str) -> str:
    """What to do where a change gives an operator another id than `saved_id`, under which its state is."""
    if operator.from_sql:
        return "undo that change: SQL and the Table API have no way to point at the old state"
    if not may_have_uid_hash(operator):
        return "undo that change: a v2 sink takes no uid hash that could point at the old state"
    named = {} if operator.uid is not None else {"uid": proposed_uid(operator)}
    setting = written_for(operator, **named, uid_hash=saved_id)
    return (
        f"undo that change, or keep the state: set {setting}\n"
        "in the same change, deploy it from a savepoint, take a new savepoint, then remove uid_hash"
    )
