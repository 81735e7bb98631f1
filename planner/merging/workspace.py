"""The transformations of a PyFlink job while alignment and merging change them, with PyFlink's one counter of ids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from planner.errors import InternalError
from planner.job import JobDefinition, Location, Operator, Partition, PythonLayer, Transformation, Union

__all__ = ["Workspace", "inputs_of", "with_inputs"]


def inputs_of(transformation: Transformation) -> tuple[int, ...]:
    """The ids that a transformation reads."""
    return transformation.inputs if isinstance(transformation, Operator | Union) else (transformation.input,)


def with_inputs(transformation: Transformation, inputs: tuple[int, ...]) -> Transformation:
    """The same transformation reading others."""
    if isinstance(transformation, Operator | Union):
        return replace(transformation, inputs=inputs)
    return replace(transformation, input=inputs[0])


class Workspace:
    """One job's transformations by id; frozen values are replaced, never changed."""

    def __init__(self, job: JobDefinition) -> None:
        if job.python is None:
            raise InternalError("a job without a Python layer has nothing to merge")
        self.job = job
        self.layer: PythonLayer = job.python
        self.steps: dict[int, Transformation] = dict(job.by_id)
        self.registered = list(self.layer.registered)
        self.next_id = self.layer.next_id
        self.remembered = dict(self.layer.remembered)
        for step in job.transformations:  # before anything moves
            self._remember(step.id)

    def _remember(self, identity: int) -> None:
        """Note what virtual transformations saw when they were made: what the first operator upstream of them has."""
        unknown = []
        while identity not in self.remembered and not isinstance(self.steps[identity], Operator):
            unknown.append(identity)
            identity = inputs_of(self.steps[identity])[0]
        for passed in unknown:
            self.remembered[passed] = self.parallelism(identity)

    def take_id(self) -> int:
        """The next id of PyFlink's counter."""
        taken = self.next_id
        self.next_id += 1
        return taken

    def parallelism(self, identity: int) -> int:
        """The parallelism of an operator, or the one that a virtual transformation remembers."""
        step = self.steps[identity]
        if not isinstance(step, Operator):
            return self.remembered[identity]
        if step.kind == "source" and not step.parallel:
            return 1
        return step.parallelism or self.job.parallelism

    def read(self, reader: int, inputs: tuple[int, ...]) -> None:
        """Let a transformation read others."""
        self.steps[reader] = with_inputs(self.steps[reader], inputs)

    def forward(self, after: int, location: Location) -> int:
        """A new FORWARD partition after a transformation."""
        identity = self.take_id()
        self.steps[identity] = Partition(
            id=identity, input=after, partitioner="FORWARD", location=location, aligns=True
        )
        self.remembered[identity] = self.parallelism(after)
        return identity

    def reachable(self, roots: Iterable[int]) -> list[int]:
        """Everything upstream of some transformations, inputs before consumers, in Flink's depth-first order."""
        order: dict[int, None] = {}
        for root in roots:
            stack = [(root, iter(inputs_of(self.steps[root])))] if root not in order else []
            open_steps = {root}
            while stack:
                current, waiting = stack[-1]
                following = next((i for i in waiting if i not in order and i not in open_steps), None)
                if following is None:
                    stack.pop()
                    order[current] = None
                    continue
                open_steps.add(following)
                stack.append((following, iter(inputs_of(self.steps[following]))))
        return list(order)

    def consumers(self, roots: Iterable[int]) -> dict[int, dict[int, None]]:
        """The distinct transformations that read each one, among everything upstream of `roots`."""
        found: dict[int, dict[int, None]] = {}
        for reader in self.reachable(roots):
            for read in inputs_of(self.steps[reader]):
                found.setdefault(read, {})[reader] = None
        return found

    def operators_upstream(self, identity: int) -> list[tuple[Operator, tuple[Transformation, ...]]]:
        """The operators that a transformation stands for, each with the virtual steps from the reader to it."""
        found: list[tuple[Operator, tuple[Transformation, ...]]] = []
        waiting: list[tuple[int, tuple[Transformation, ...]]] = [(identity, ())]
        while waiting:
            current, path = waiting.pop()
            step = self.steps[current]
            if isinstance(step, Operator):
                found.append((step, path))
                continue
            upstream = step.inputs if isinstance(step, Union) else (step.input,)
            waiting.extend((read, (*path, step)) for read in reversed(upstream))
        return found
