"""What can be set on an operator after it was made, with Flink's checks."""

from __future__ import annotations

from typing import Any, Self

from planner.errors import JobDefinitionError
from planner.frontends.pyflink.drafts import Draft
from planner.frontends.pyflink.recorded import Recorded
from planner.frontends.scripts.operator_settings import OperatorSettings
from planner.frontends.scripts.places import caller_line, user_location
from planner.job import Operator
from planner.settings.job_format import OPERATOR_KEYS
from planner.settings.values import Fault

__all__ = ["Settings"]


class Settings(OperatorSettings):
    """An operator's settings. What is no operator (a union, a partition) refuses them, as Java's classes do."""

    _draft: Draft
    _in_java = False  # compiled as Flink's Java API would

    def _set(self, call: str, key: str, value: Any) -> Self:
        draft = self._draft
        if draft.form is not Operator and self._in_java:
            return self  # Java's partitions have no settings: there is nothing that could take them
        if draft.form is not Operator:
            what = str(draft.arguments.get("partitioner") or draft.form.__name__).lower()
            raise JobDefinitionError(
                f"{call}() belongs to an operator, this stream is a {what}: PyFlink has no such method there",
                location=user_location(),
                hint=f"call {call}() on the operator before or after it",
            )
        try:
            read = OPERATOR_KEYS[key].type.read(value)
        except Fault as fault:
            raise JobDefinitionError(f"{call}() {fault.message}", location=user_location(), hint=fault.hint) from None
        if draft.fixed and read != 1 and (key == "parallelism" or self._one_group(draft, key)):
            self._refuse_parallel(key)
        self._keep(draft, key, read)
        draft.source_lines.append(caller_line())
        return self

    def _one_group(self, draft: Draft, key: str) -> bool:
        """Whether this sets the max parallelism of what has one key group; a socket's source runs alone, and may."""
        return key == "max_parallelism" and draft.arguments.get("max_parallelism") == 1

    def _keep(self, draft: Draft, key: str, value: Any) -> None:
        if key == "chaining" and draft.arguments.get("python") == "broadcast":
            draft.arguments["remarks"] = (*draft.arguments.get("remarks", ()), f"ignored-chaining:{value}")
            return
        if key == "parallelism" and draft.fixed:
            return
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
        named = group._calls[0].first() if isinstance(group, Recorded) else group
        self._set("slot_sharing_group", "slot_sharing_group", named)
        self._draft.arguments["slot_resources"] = _resources(group) if isinstance(group, Recorded) else None
        return self


def _resources(group: Recorded) -> str | None:
    """What a slot sharing group was given, in an order of its own: two groups are compared by it."""
    given = {call.name.removeprefix("set_"): call for call in group._calls if call.name.startswith("set_")}
    return ", ".join(f"{name}={given[name].first()}" for name in sorted(given)) or None
