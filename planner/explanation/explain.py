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
    from planner.observed.judgement import Observation

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
    observed: Observation | None = None  # of jobs that Flink described

    @property
    def between(self) -> tuple[EdgeExplanation, ...]:
        """The edges between two chains."""
        return tuple(edge for edge in self.edges if not edge.chained)

    @property
    def shown(self) -> tuple[EdgeExplanation, ...]:
        """The edges between two chains, and those that are only expected to be chained."""
        return tuple(edge for edge in self.edges if not (edge.chained and edge.certain))

    def to_dict(self, *, only_broken: bool = False) -> dict[str, Any]:
        """The explanation as JSON-ready data; `only_broken`: without the edges that need no look."""
        if self.observed is not None:
            from planner.observed.document import explanation_document  # most jobs are compiled here

            return explanation_document(self.observed, only_broken=only_broken)
        document = {
            "name": self.name,
            "chains": [chain.to_dict() for chain in self.chains],
            "edges": [edge.to_dict() for edge in self.edges if not only_broken or edge.verdict == "broken"],
            "summary": self.summary.to_dict(),
        }
        return document if self.python is None else {**document, "python": self.python.to_dict()}

    def edge_to_dict(self, edge: EdgeExplanation) -> dict[str, Any]:
        """One of its edges as JSON-ready data."""
        if self.observed is None:
            return edge.to_dict()
        from planner.observed.document import edge_document  # most jobs are compiled here

        return edge_document(self.observed, edge.position)


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
        observed=plan.observed,
    )


def _python(plan: Plan) -> PythonExplanation | None:
    if plan.merging is None:
        return None
    from planner.explanation.python_layer import explain_python  # most jobs have no Python layer

    return explain_python(plan)
