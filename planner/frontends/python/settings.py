"""What can be set on an operator after it was made, with Flink's checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from planner.errors import JobDefinitionError
from planner.frontends.python_files.places import caller_line, user_location
from planner.job import Operator
from planner.settings.job_format import OPERATOR_KEYS
from planner.settings.values import Fault

if TYPE_CHECKING:
    from planner.frontends.python.checks import Checks
    from planner.frontends.python.drafts import Draft

__all__ = ["OperatorSettings", "Settings", "StreamSettings"]


class OperatorSettings:
    """What streams and sinks have; `Settings` says how a setting is checked and kept."""

    def _set(self, call: str, key: str, value: Any) -> Self:
        """Keep a setting that `call()` gave; `key` is its name in the job format."""
        raise NotImplementedError

    def name(self, name: str) -> Self:
        """The name that plans show."""
        return self._set("name", "name", name)

    def uid(self, uid: str) -> Self:
        """A fixed identity for the operator's state."""
        return self._set("uid", "uid", uid)

    def set_uid_hash(self, uid_hash: str) -> Self:
        """An operator id of an older job to take over."""
        return self._set("set_uid_hash", "uid_hash", uid_hash)

    def set_description(self, description: str) -> Self:
        """A longer text for people."""
        return self._set("set_description", "description", description)

    def set_parallelism(self, parallelism: int) -> Self:
        """How many subtasks."""
        return self._set("set_parallelism", "parallelism", parallelism)

    def disable_chaining(self) -> Self:
        """Never chain."""
        return self._set("disable_chaining", "chaining", "disable")


class StreamSettings(OperatorSettings):
    """What only streams have in PyFlink."""

    def set_max_parallelism(self, max_parallelism: int) -> Self:
        """How many key groups."""
        return self._set("set_max_parallelism", "max_parallelism", max_parallelism)

    def set_buffer_timeout(self, timeout_millis: int) -> Self:
        """Milliseconds until a part-filled network buffer is sent."""
        return self._set("set_buffer_timeout", "buffer_timeout", timeout_millis)

    def start_new_chain(self) -> Self:
        """Begin a chain here."""
        return self._set("start_new_chain", "chaining", "start_new")


class Settings(OperatorSettings):
    """An operator's settings. What is no operator (a union, a partition) refuses them, as Java's classes do."""

    _draft: Draft
    _checks: Checks
    _in_java = False  # compiled as Flink's Java API would

    def _set(self, call: str, key: str, value: Any) -> Self:
        draft = self._draft
        if draft.form is not Operator and self._in_java and self._checks.pyflink:
            return self  # Java's partitions have no settings: there is nothing that could take them
        self._checks.operator(draft, call)
        try:
            read = OPERATOR_KEYS[key].type.read(value)
        except Fault as fault:
            raise JobDefinitionError(f"{call}() {fault.message}", location=user_location(), hint=fault.hint) from None
        if self._checks.pyflink and draft.fixed and read != 1 and (key == "parallelism" or self._one_group(draft, key)):
            self._refuse_parallel(key)
        self._keep(draft, key, read)
        self._checks.setting(draft)
        draft.source_lines.append(caller_line())
        return self

    def _one_group(self, draft: Draft, key: str) -> bool:
        """Whether this sets the max parallelism of what has one key group; a socket's source runs alone, and may."""
        return key == "max_parallelism" and draft.arguments.get("max_parallelism") == 1

    def _keep(self, draft: Draft, key: str, value: Any) -> None:
        if key == "chaining" and draft.arguments.get("python") == "broadcast":
            draft.arguments["remarks"] = (*draft.arguments.get("remarks", ()), f"ignored-chaining:{value}")
            return
        if key == "parallelism" and draft.fixed and (self._checks.pyflink or not self._in_java):
            return  # PyFlink's collections always run alone
        draft.arguments[key] = value

    def _refuse_parallel(self, key: str) -> None:
        what = "maximum parallelism" if key == "max_parallelism" else "parallelism"
        raise JobDefinitionError(
            f"The {what} of non parallel operator must be 1.",
            location=user_location(),
            hint="from_collection() and force_non_parallel() always run with one subtask",
        )

    def slot_sharing_group(self, slot_sharing_group: Any) -> Self:
        """Operators of one group may share a slot."""
        group = slot_sharing_group
        calls = getattr(group, "_calls", None)  # of a SlotSharingGroup
        self._set("slot_sharing_group", "slot_sharing_group", calls[0].first() if calls else group)
        self._draft.arguments["slot_resources"] = _resources(group) if calls else None
        return self


def _resources(group: Any) -> str | None:
    """What a slot sharing group was given, in an order of its own: two groups are compared by it."""
    given = {call.name.removeprefix("set_"): call for call in group._calls if call.name.startswith("set_")}
    return ", ".join(f"{name}={given[name].first()}" for name in sorted(given)) or None
