"""The merge: neighbouring Python operators become one operator, in PyFlink's own order of work."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from planner.errors import PlanningError
from planner.job import Operator, Partition, Union
from planner.merging.pairs import obstacles_of, pair_of
from planner.merging.workspace import Workspace, inputs_of

__all__ = ["Merger", "flattened"]


class Merger:
    """One run of PyFlink's chaining optimizer.

    A queue begins with the roots. What is taken from it is merged into the operator before it if it can be; the result
    and its inputs go to the end of the queue. Who reads whom is collected once, before the first merge.
    """

    def __init__(self, work: Workspace) -> None:
        self.work = work
        self.consumers = work.consumers(work.registered)
        self.replaced: dict[int, int] = {}  # a merged operator's id by those it was made of

    def run(self, roots: list[int]) -> list[int]:
        """The ids of the transformations that are left, in PyFlink's order."""
        queue = deque(roots)
        result: dict[int, None] = {}
        seen: set[int] = set()
        while queue:
            current = queue.popleft()
            if current in seen:
                continue
            seen.add(current)
            upstream = self.mergeable_into(current)
            made = current if upstream is None else self.merge(upstream, current)
            result.setdefault(made)
            if upstream is not None:
                for old in (upstream, current):
                    result.pop(old, None)
                    seen.add(old)
            queue.append(made)
            queue.extend(inputs_of(self.work.steps[made]))
        return list(result)

    def mergeable_into(self, identity: int) -> int | None:
        """The operator that this one can be merged into."""
        step = self.work.steps[identity]
        if not isinstance(step, Operator) or step.python != "plain" or len(step.inputs) != 1:
            return None
        before = self.work.steps[step.inputs[0]]
        while isinstance(before, Partition) and before.partitioner == "FORWARD":
            before = self.work.steps[before.input]
        if not isinstance(before, Operator) or before.python is None:
            return None
        pair = pair_of(self.work, self.consumers, step, before, ())
        if obstacles_of(pair):
            return None
        if before.id not in self.consumers:
            self.refuse_earlier(step)
        return before.id

    def merge(self, upstream: int, downstream: int) -> int:
        """Put one operator in place of two, and let all who read the second read it."""
        first, second = self.work.steps[upstream], self.work.steps[downstream]
        assert isinstance(first, Operator)
        assert isinstance(second, Operator)
        identity = self.work.take_id()
        self.work.steps[identity] = _merged(first, second, identity, self.work.parallelism(upstream))
        readers = self.consumers.get(downstream, {})
        for reader in readers:
            self.read_instead(reader, downstream, identity)
        self.consumers[identity] = dict(readers)
        self.replaced[upstream] = self.replaced[downstream] = identity
        return identity

    def read_instead(self, reader: int, old: int, new: int) -> None:
        """Replace an input where PyFlink does: the first of equal ones only, and at the end of a union."""
        step = self.work.steps[reader]
        if isinstance(step, Operator) and step.python == "broadcast":
            self.refuse_broadcast(step)
        inputs = list(inputs_of(step))
        if isinstance(step, Union) and step.cached:
            self.refuse_cache(step)
        if isinstance(step, Union):
            inputs.remove(old)
            inputs.append(new)
        else:
            inputs[inputs.index(old)] = new
        self.work.read(reader, tuple(inputs))

    def refuse_broadcast(self, step: Operator) -> None:
        """PyFlink looks for a field that broadcast-state operators do not have."""
        raise PlanningError(
            f"PyFlink cannot merge the operators upstream of {step.key}: it fails with NoSuchFieldException: "
            "regularInput",
            location=step.location,
            hint="call disable_chaining() or start_new_chain() on the operator that the connected stream begins with, "
            "or set python.operator-chaining.enabled to false",
        )

    def refuse_earlier(self, step: Operator) -> None:
        """PyFlink asks who reads an operator that no registered transformation reaches."""
        raise PlanningError(
            f"PyFlink cannot collect the records of {step.key}: an earlier execute() has taken its operators, and it "
            "fails with NullPointerException",
            location=self.work.job.location,
            hint="collect the stream before execute(), or build it anew",
        )

    def refuse_cache(self, step: Union) -> None:
        """PyFlink's optimizer does not know cached streams."""
        raise PlanningError(
            "PyFlink cannot merge the operators upstream of cache(): it fails with Unsupported transformation: "
            "CacheTransformation",
            location=step.location,
            hint="call start_new_chain() on the operator that is cached, or put a rebalance() before it",
        )

    def latest(self, identity: int) -> int:
        """What stands in the place of a transformation after all merges."""
        while identity in self.replaced:
            identity = self.replaced[identity]
        return identity


def _merged(first: Operator, second: Operator, identity: int, parallelism: int) -> Operator:
    """Two operators as one. Names and parts are put together at the end, by `flattened`: chains may be long."""
    return replace(
        first,
        id=identity,
        parallelism=parallelism,
        parallelism_inherited=True,
        output=second.output,
        merged=(first, second),
    )


def flattened(operator: Operator) -> Operator:
    """A merged operator with all that it was made of, in order."""
    parts: list[Operator] = []
    waiting = [operator]
    while waiting:
        current = waiting.pop()
        if current.merged:
            waiting.extend(reversed(current.merged))
        else:
            parts.append(current)
    timeouts = [part.buffer_timeout for part in parts]
    return replace(
        operator,
        key=", ".join(part.key for part in parts),
        name=", ".join(part.kind if part.name is None else part.name for part in parts),
        # unset counts as -1 in PyFlink, so it wins
        buffer_timeout=None if None in timeouts else min(value for value in timeouts if value is not None),
        description=", ".join(part.description for part in parts if part.description) or None,
        ignores=tuple(ignore for part in parts for ignore in part.ignores),
        remarks=tuple(remark for part in parts for remark in part.remarks),
        helper=parts[0].helper if parts[0].python == "keyed" else None,  # values of a keyed stream keep no state
        merged=tuple(parts),
    )
