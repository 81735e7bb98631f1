"""What PyFlink did before Flink got the job: of what each operator was made, and why neighbours stayed apart."""

from __future__ import annotations

from typing import Any

from planner.explanation.python_layer import PairExplanation, PartRef, PythonExplanation

__all__ = ["python_data"]


def python_data(layer: PythonExplanation) -> dict[str, Any]:
    """The layer as the page's script reads it: by stream node, and by the two nodes of a pair."""
    return {
        "merged": {
            str(one.node): {"reason": one.reason, "parts": [_part(part) for part in one.parts]} for one in layer.merged
        },
        "apart": [_pair(pair) for pair in layer.apart],
        "dropped": [_part(part) for part in layer.dropped],
    }


def _part(part: PartRef) -> list[str]:
    return [part.label, str(part.location), part.helper or ""]


def _pair(pair: PairExplanation) -> dict[str, Any]:
    return {
        "nodes": list(pair.nodes),
        "obstacles": [[obstacle.code, obstacle.slug, obstacle.values] for obstacle in pair.obstacles],
        "changes": list(pair.changes),
        "needed": pair.needed,
    }
