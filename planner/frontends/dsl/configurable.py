"""What can be set on an operator after it was made."""

from __future__ import annotations

from typing import Any, Self

from planner.errors import JobDefinitionError
from planner.frontends.dsl.building import Node
from planner.frontends.scripts.operator_settings import StreamSettings
from planner.frontends.scripts.places import user_location
from planner.job import Operator
from planner.kinds import SINKS
from planner.settings.job_format import OPERATOR_KEYS
from planner.settings.values import Fault

__all__ = ["Configurable"]


class Configurable(StreamSettings):
    """An operator's settings. Streams that are no operator (a union, a partition) refuse them."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def _set(self, call: str, key: str, value: Any) -> Self:
        node = self._node
        if node.form is not Operator:
            raise JobDefinitionError(
                f"{call}() belongs to an operator, this stream is a {node.kind}", location=user_location(),
                hint=f"call {call}() on the operator before or after it",
            )  # fmt: skip
        try:
            node.arguments[key] = OPERATOR_KEYS[key].type.read(value)
        except Fault as fault:
            raise JobDefinitionError(f"{call}() {fault.message}", location=user_location(), hint=fault.hint) from None
        self._check(call)
        return self

    def _check(self, call: str) -> None:
        settings = self._node.arguments
        sink = settings["kind"] in SINKS
        if sink and settings.get("chaining") == "start_new":
            raise JobDefinitionError(
                "Flink's sinks cannot start a new chain", location=user_location(), hint="use disable_chaining()"
            )
        if settings.get("api") == "v2" and "uid_hash" in settings:
            raise JobDefinitionError(
                "Flink takes no uid hash on a v2 sink, which becomes several operators",
                location=user_location(),
                hint="use uid()",
            )
        if settings.get("parallel") is False and settings.get("parallelism", 1) != 1:
            raise JobDefinitionError("a source that is not parallel has one subtask", location=user_location())

    def slot_sharing_group(self, slot_sharing_group: str) -> Self:
        """Operators of one group may share a slot."""
        return self._set("slot_sharing_group", "slot_sharing_group", slot_sharing_group)

    def set_co_location_group(self, co_location_group: str) -> Self:
        """Equal subtasks of one group run in the same slot."""
        return self._set("set_co_location_group", "co_location_group", co_location_group)
