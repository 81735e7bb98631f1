"""The one counter of transformations that a PyFlink process has, and what earlier jobs of a script leave behind.

PyFlink changes its transformations while it compiles a job, and its ids go on counting in the next one. So a script
that executes several jobs is followed exactly: before the second job begins, the first is compiled, and what that
changed is taken over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from planner.flink.differences import flink as flink_profile
from planner.frontends.python.drafts import Draft
from planner.frontends.python.values.types import PickledBytesTypeInfo, TypeInformation
from planner.graphs.stream_building import build_stream_graph
from planner.job import JobDefinition, Operator, Transformation, Union

__all__ = ["Ledger"]

_OWN = frozenset({"id", "key", "inputs", "input", "location"})


class Ledger:
    """All transformations of a script, by id."""

    def __init__(self) -> None:
        self.next_id = 1
        self.drafts: dict[int, Draft] = {}
        self.replaced: dict[int, int] = {}  # merged operators, by what they were merged from
        self._waiting: JobDefinition | None = None
        self.default_parallelism: tuple[int, str | None] | None = None  # of set_default_local_parallelism
        self._next_table_node = 1  # Flink's planner of tables has counters of its own
        self._unnamed = 0

    def add(
        self, form: type[Any], inputs: list[Draft], arguments: dict[str, Any], label: str, type: TypeInformation,
        inherited: int,
    ) -> Draft:  # fmt: skip
        """Give a new transformation its id."""
        self.settle()
        draft = Draft.made_here(self.next_id, form, inputs, arguments, label, type, inherited)
        self.next_id += 1
        self.drafts[draft.id] = draft
        return draft

    def take_table_nodes(self, count: int) -> int:
        """The first of the numbers that the operators of a table get."""
        taken = self._next_table_node
        self._next_table_node += count
        return taken

    def take_unnamed(self) -> int:
        """The number of a table or a stream that the script gave no name."""
        self._unnamed += 1
        return self._unnamed

    def compile_later(self, job: JobDefinition) -> None:
        """A job was executed: if the script goes on, what compiling it changes is taken over first."""
        self.settle()
        self._waiting = job

    def settle(self) -> tuple[int, ...]:
        """Compile the job that waits; gives the ids that PyFlink would keep registered."""
        job, self._waiting = self._waiting, None
        if job is None or job.python is None:
            return ()
        from planner.merging import compile_python_layer

        merging = compile_python_layer(job)
        self._take_over(merging.left, merging.remembered, job.parallelism)
        graph = build_stream_graph(merging.job, flink_profile(job.flink))
        for node in graph.nodes:
            self._keep(node.operator.id, job.max_parallelism, node.chaining_strategy)
        self.next_id = graph.next_id
        return merging.registered

    def _keep(self, identity: int, max_parallelism: int | None, strategy: str) -> None:
        """Flink writes the environment's max parallelism and batch mode's strategy into the operators themselves."""
        draft = self.drafts.get(identity)
        if draft is None or draft.form is not Operator:  # a cached stream is an operator in batch mode only
            return
        arguments = draft.arguments
        if max_parallelism is not None:
            arguments.setdefault("max_parallelism", max_parallelism)
        if strategy == "HEAD" and arguments.get("kind") != "source":
            arguments.setdefault("chaining", "start_new")

    def _take_over(self, left: tuple[Transformation, ...], remembered: Mapping[int, int], default: int) -> None:
        for step in left:
            if step.id not in self.drafts:
                self.drafts[step.id] = self._new(step, remembered.get(step.id, default))
        for step in left:
            draft = self.drafts[step.id]
            read = step.inputs if isinstance(step, Operator | Union) else (step.input,)
            draft.inputs = [self.drafts[identity] for identity in read]
            if isinstance(step, Operator) and draft.form is Operator:
                _move(draft, step)

    def _new(self, step: Transformation, remembered: int) -> Draft:
        arguments = {
            one.name: getattr(step, one.name)
            for one in fields(step)
            if one.name not in _OWN and (one.default is MISSING or getattr(step, one.name) != one.default)
        }
        parts = step.merged if isinstance(step, Operator) else ()
        for part in parts:
            self.replaced[part.id] = step.id
        last = self.drafts[parts[-1].id].record_type if parts else PickledBytesTypeInfo()
        inherited = int(arguments.pop("parallelism", None) or remembered)
        arguments.pop("parallelism_inherited", None)
        return Draft(step.id, type(step), [], arguments, "merged", last, inherited, step.location)


def _move(draft: Draft, step: Operator) -> None:
    """Alignment gives helper operators the place of a neighbour."""
    if step.parallelism_inherited and step.parallelism is not None:
        draft.inherited = step.parallelism
        draft.arguments.pop("parallelism", None)
    if step.slot_sharing_group is not None:
        draft.arguments["slot_sharing_group"] = step.slot_sharing_group
        draft.arguments["slot_resources"] = step.slot_resources
