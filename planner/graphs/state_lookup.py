"""Under which id an operator takes saved state, and what to write so that it finds state saved under another id.

Flink saves state under an operator's id: the hash of its uid, or a generated one. A restored operator takes the state
of its uid hash where the savepoint has that id, else the state of its own id. So a uid hash that points at an older
id keeps the state while the id changes, and is not needed any more once a savepoint was taken under the new id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container

from planner.job import Operator

_CALLS = {"uid": "uid", "uid_hash": "set_uid_hash"}
_PLAIN = re.compile(r"[0-9a-f]*[a-df][0-9a-f]*|[A-Za-z_][\w.-]*")  # digits with one `e` would be a number
_YAML_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})

__all__ = ["call_or_key", "may_have_uid_hash", "state_id", "uid_recipe"]


def state_id(id_: str, uid_hash: str | None, saved: Container[str]) -> str:
    """The id whose state Flink gives to an operator when it restores from a savepoint with the ids `saved`."""
    return uid_hash if uid_hash is not None and uid_hash in saved else id_


def may_have_uid_hash(operator: Operator) -> bool:
    """Whether Flink takes a uid hash on the operator: not on a v2 sink, which becomes several operators."""
    return not (operator.kind == "sink" and operator.api == "v2")


def call_or_key(operator: Operator, *settings: tuple[str, str]) -> str:
    """`uid` and `uid_hash` settings as they are written in the operator's own file: keys in YAML, calls in Python."""
    file = operator.location.file
    if file.endswith(".py"):
        return "".join(f".{_CALLS[name]}({json.dumps(value, ensure_ascii=False)})" for name, value in settings)
    if file.endswith(".json"):
        return ", ".join(f'"{name}": {json.dumps(value, ensure_ascii=False)}' for name, value in settings)
    return ", ".join(f"{name}: {_yaml(value)}" for name, value in settings)


def _yaml(value: str) -> str:
    """A string in YAML, in quotes where it would be read as something else."""
    plain = _PLAIN.fullmatch(value) and value.lower() not in _YAML_WORDS
    return value if plain else json.dumps(value, ensure_ascii=False)


def uid_recipe(operator: Operator, present_id: str) -> str:
    """How to give a uid to an operator of a job that already runs, without losing the state it has."""
    uid = operator.uid or "NAME"
    if not may_have_uid_hash(operator):
        return (
            f"give it a uid before the job keeps state: {call_or_key(operator, ('uid', uid))} "
            "(a v2 sink takes no uid hash: on a running job its state would be lost)"
        )
    both = call_or_key(operator, ("uid", uid), ("uid_hash", present_id))
    only = call_or_key(operator, ("uid_hash", present_id))
    return (
        f"give it a uid: {call_or_key(operator, ('uid', uid))}\n"
        "if the job already runs with state, a uid alone would lose that state:\n"
        f"  1. set {both} (the hash is its present id)\n"
        "  2. deploy it from a savepoint, and take a new savepoint\n"
        f"  3. remove {only}: the state is now kept under the uid"
    )
