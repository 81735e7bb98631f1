"""What a change of the job would do to its plan: chains, figures, and operator ids, that is, state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from planner.explanation.edges import EdgeExplanation
from planner.explanation.explain import Explanation
from planner.graphs.state_lookup import finds_own_state
from planner.operators import OperatorRef
from planner.records import record

__all__ = ["ChangedId", "WhatIf", "compare"]

FIGURES = ("operators", "chains", "tasks", "channels", "slots", "buffers_to_start", "buffers_wanted")


@record
class ChangedId:
    """An operator whose id would change, or that would take other state by its uid hash."""

    before: OperatorRef
    after: OperatorRef
    state_found: bool  # state saved under the old id is found all the same, by the uid hash

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON-ready data."""
        return {
            "operator": self.after.to_dict(),
            "before": self.before.operator_id,
            "after": self.after.operator_id,
            "state_found": self.state_found,
        }


@record
class WhatIf:
    """The difference between a plan and the plan with `settings`."""

    settings: tuple[str, ...]
    newly_chained: tuple[EdgeExplanation, ...]
    newly_broken: tuple[EdgeExplanation, ...]
    still_broken: tuple[EdgeExplanation, ...]  # between chains before and after, but not for the same reasons
    new_partitioners: tuple[tuple[EdgeExplanation, EdgeExplanation], ...]
    figures: tuple[tuple[str, int | None, int | None], ...]  # (name, before, after)
    changed_ids: tuple[ChangedId, ...]
    new_operators: tuple[OperatorRef, ...]
    lost_operators: tuple[OperatorRef, ...]
    after: Explanation

    @property
    def nothing(self) -> bool:
        """Whether the plan stays as it is."""
        edges = self.newly_chained or self.newly_broken or self.still_broken or self.new_partitioners
        operators = self.changed_ids or self.new_operators or self.lost_operators
        return not edges and not operators and all(before == after for _, before, after in self.figures)

    def to_dict(self) -> dict[str, Any]:
        """The difference as JSON-ready data."""
        return {
            "settings": list(self.settings),
            "newly_chained": [edge.to_dict() for edge in self.newly_chained],
            "newly_broken": [edge.to_dict() for edge in self.newly_broken],
            "still_broken": [edge.to_dict() for edge in self.still_broken],
            "new_partitioners": [
                {
                    "source": new.source.key,
                    "target": new.target.key,
                    "before": old.partitioner,
                    "after": new.partitioner,
                }
                for old, new in self.new_partitioners
            ],
            "figures": {name: {"before": before, "after": after} for name, before, after in self.figures},
            "changed_operator_ids": [changed.to_dict() for changed in self.changed_ids],
            "new_operators": [ref.to_dict() for ref in self.new_operators],
            "lost_operators": [ref.to_dict() for ref in self.lost_operators],
        }


def compare(settings: Sequence[str], before: Explanation, after: Explanation) -> WhatIf:
    """What the settings that lead from `before` to `after` change."""
    pairs = _pairs(before, after)
    old, new = _operators(before), _operators(after)
    return WhatIf(
        settings=tuple(settings),
        newly_chained=tuple(new for old, new in pairs if new.chained and not old.chained),
        newly_broken=tuple(new for old, new in pairs if old.chained and not new.chained),
        still_broken=tuple(
            new for old, new in pairs if not old.chained and not new.chained and _codes(old) != _codes(new)
        ),
        new_partitioners=tuple((old, new) for old, new in pairs if old.partitioner != new.partitioner),
        figures=tuple((name, getattr(before.summary, name), getattr(after.summary, name)) for name in FIGURES),
        changed_ids=tuple(_changed_ids(old, new)),
        new_operators=tuple(ref for key, ref in new.items() if key not in old),
        lost_operators=tuple(ref for key, ref in old.items() if key not in new),
        after=after,
    )


def _changed_ids(old: Mapping[str, OperatorRef], new: Mapping[str, OperatorRef]) -> Iterator[ChangedId]:
    saved = {ref.operator_id for ref in old.values()}
    for key, ref in new.items():
        if key not in old:
            continue
        before = old[key].operator_id
        found = finds_own_state(ref.operator_id, ref.uid_hash, old_id=before, saved=saved)
        if before != ref.operator_id or not found:
            yield ChangedId(before=old[key], after=ref, state_found=found)


def _codes(edge: EdgeExplanation) -> tuple[str, ...]:
    return tuple(obstacle.code for obstacle in edge.obstacles)


def _pairs(before: Explanation, after: Explanation) -> list[tuple[EdgeExplanation, EdgeExplanation]]:
    """Pairs of edges of both plans with the same ends and the same input, in order."""
    old = _numbered(before)
    return [(old[key], edge) for key, edge in _numbered(after).items() if key in old]


def _numbered(explanation: Explanation) -> dict[tuple[str, str, int, str | None, int], EdgeExplanation]:
    seen: dict[tuple[str, str, int, str | None], int] = {}
    found = {}
    for edge in explanation.edges:
        ends = (edge.source.key, edge.target.key, edge.type_number, edge.side_output)
        seen[ends] = seen.get(ends, 0) + 1
        found[*ends, seen[ends]] = edge
    return found


def _operators(explanation: Explanation) -> dict[str, OperatorRef]:
    """The operators by key, in the order of their nodes."""
    refs = sorted((link.operator for chain in explanation.chains for link in chain.links), key=lambda ref: ref.node)
    return {ref.key: ref for ref in refs}
