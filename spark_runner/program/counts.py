"""The numbers of records that a run knows, by what they count. A pass is named by its position in the program.

source --Given--> | --Arrived--> Taken [ NodeTook map NodeGave ] --Given--> | --Arrived--> sink: SinkTook
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Arrived", "Count", "Given", "GroupMembers", "NodeGave", "NodeTook", "SinkTook", "Taken"]


@dataclass(frozen=True, slots=True)
class Given:
    """Records that an operation of a pass gave, or that it gave to one of its side outputs."""

    number: int
    operation: int
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Arrived:
    """Records that reached an input position of a pass, as those upstream tell."""

    number: int
    position: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """Records that the subtasks of a Python pass took at an input position, as they report themselves."""

    number: int
    position: int = 0


@dataclass(frozen=True, slots=True)
class NodeTook:
    """Records that an operator inside a Python pass took."""

    number: int
    operation: int


@dataclass(frozen=True, slots=True)
class NodeGave:
    """Records that an operator inside a Python pass gave, side outputs included."""

    number: int
    operation: int


@dataclass(frozen=True, slots=True)
class GroupMembers:
    """Records that went into the groups of a native aggregation."""

    number: int


@dataclass(frozen=True, slots=True)
class SinkTook:
    """Records that a sink received, by its stream node."""

    node: int


Count = Given | Arrived | Taken | NodeTook | NodeGave | GroupMembers | SinkTook
