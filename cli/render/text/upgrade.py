"""A change of Flink's version for people: the three answers first."""

from __future__ import annotations

from cli.render.styled import Line, indented, line, table
from planner.diff.upgrade import Upgrade

__all__ = ["upgrade_lines"]


def upgrade_lines(upgrade: Upgrade) -> list[Line]:
    """What the step from one version of Flink to another does."""
    rows = [
        ("topology:", upgrade.topology),
        ("operator ids:", upgrade.ids),
        ("state:", upgrade.state),
        *(("also:", note) for note in upgrade.notes),
        *(("not seen:" if not number else "", text) for number, text in enumerate(upgrade.unseen)),
    ]
    return [line((f"Flink {upgrade.old} -> {upgrade.new}", "title")), *indented(table(rows))]
