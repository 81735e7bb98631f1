"""A plan as plain data with reasons: what `plan explain`, the page and the renderers print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from planner.explanation.chains import ChainExplanation, explain_chains
from planner.explanation.edges import EdgeExplanation, explain_edges
from planner.explanation.summary import Summary, summarise
from planner.flink.defaults import BUFFERS_PER_CHANNEL, FLOATING_BUFFERS_PER_GATE
from planner.operators import OperatorRef, describe_operators
from planner.pipeline import Plan
from planner.records import record

if TYPE_CHECKING:
    from planner.explanation.python_layer import PythonExplanation

__all__ = ["Explanation", "explain_plan"]


@record
class Explanation:
    """Chains, edges and figures of one plan."""

    name: str
    operators: Mapping[int, OperatorRef]  # by stream node
    chains: tuple[ChainExplanation, ...]
    edges: tuple[EdgeExplanation, ...]
    summary: Summary
    buffers_per_channel: int
    floating_buffers: int
    python: PythonExplanation | None = None  # of PyFlink jobs

    @property
    def between(self) -> tuple[EdgeExplanation, ...]:
        """The edges between two chains."""
        return tuple(edge for edge in self.edges if not edge.chained)

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON-ready data."""
        document = {
            "name": self.name,
            "chains": [chain.to_dict() for chain in self.chains],
            "edges": [edge.to_dict() for edge in self.edges],
            "summary": self.summary.to_dict(),
        }
        return document if self.python is None else {**document, "python": self.python.to_dict()}


def explain_plan(
    plan: Plan,
    *,
    buffers_per_channel: int = BUFFERS_PER_CHANNEL,
    floating_buffers: int = FLOATING_BUFFERS_PER_GATE,
    advised: bool = True,
) -> Explanation:
    """Explain every chain and every edge of a plan; `advised`: with changes that were tried by compiling them."""
    operators = describe_operators(plan)
    edges = explain_edges(
        plan,
        operators,
        buffers_per_channel=buffers_per_channel,
        floating_buffers=floating_buffers,
        advised=advised,
    )
    return Explanation(
        name=plan.stream_graph.name,
        operators=operators,
        chains=explain_chains(plan, operators),
        edges=edges,
        summary=summarise(plan, edges),
        buffers_per_channel=buffers_per_channel,
        floating_buffers=floating_buffers,
        python=_python(plan),
    )


def _python(plan: Plan) -> PythonExplanation | None:
    if plan.merging is None:
        return None
    from planner.explanation.python_layer import explain_python  # most jobs have no Python layer

    return explain_python(plan)
