"""The calls that set something on an operator, by the names both Python front ends have them under."""

from __future__ import annotations

from typing import Any, Self

__all__ = ["OperatorSettings", "StreamSettings"]


class OperatorSettings:
    """What streams and sinks have. A front end says in `_set` how a setting is checked and kept."""

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
