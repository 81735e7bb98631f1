"""What would chain an edge, judged by compiling the job with it.

Candidates for different parallelisms are: either end, the chain of either end, and everything of the same parallelism
that is connected with either end and not by an exchange that the result needs. Each is compiled. A candidate that makes
more chains, tasks or channels is no advice, and neither is one that changes nothing. Of the others, those that keep all
state come first, then those with the fewest chains; then those that undo settings of operators rather than add some
(fewer subtasks always mean fewer channels, so that the figures alone would slow down every job); then the fewest
channels and changed settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from planner.errors import PlanError
from planner.explanation.settings import apply_settings
from planner.graphs.state_lookup import finds_own_state
from planner.operators import OperatorRef, describe_operators, describe_written, merged_keys, whole_key
from planner.pipeline import Plan
from planner.pipeline import plan as compile_plan
from planner.records import record
from planner.rules import to_remove

__all__ = ["Advice", "Trials", "gains", "judged_figures"]

_LARGEST = 2_000  # operators: compiling a larger job again and again takes too long
_OPERATORS = 20_000  # compiled in all for one job
_SHOWN = 4


@record(kw_only=False)
class Figures:
    """What a plan costs; -1 where that is decided at run time."""

    chains: int
    subtasks: int
    channels: int


@record
class Outcome:
    """What a change makes of the plan."""

    figures: Figures
    loses: tuple[str, ...]
    chains: frozenset[int]


@record
class Advice:
    """A change and what it does; without settings, why none is proposed."""

    changes: tuple[str, ...] = ()  # in words
    settings: tuple[str, ...] = ()  # for `--set`
    before: Figures | None = None
    after: Figures | None = None
    chains: frozenset[int] = frozenset()  # the edges that are chained with it, and are not now
    loses: tuple[str, ...] = ()  # operators whose saved state would not be found
    added: int = 0  # operators that had the job's parallelism and would get one of their own
    why_not: str | None = None

    @property
    def rank(self) -> tuple[int, ...]:
        """Better advice has a smaller one."""
        after = self.after or Figures(0, 0, 0)
        return len(self.loses), after.chains, self.added, after.channels, len(self.settings), after.subtasks

    @property
    def effect(self) -> str:
        """What the change does, in words."""
        if self.before is None or self.after is None:
            return ""
        names = {"chains": "chains", "subtasks": "tasks", "channels": "channels"}
        pairs = [(words, getattr(self.before, name), getattr(self.after, name)) for name, words in names.items()]
        told = ", ".join(f"{words} {one} -> {other}" for words, one, other in pairs if one != other)
        lost = f"; the saved state of {_listed(self.loses)} would not be found" if self.loses else ""
        return f"{told}{lost}"

    def to_dict(self) -> dict[str, Any]:
        """The advice as JSON-ready data."""
        return {
            "changes": list(self.changes),
            "settings": list(self.settings),
            "effect": self.effect,
            "loses_state_of": list(self.loses),
            "why_not": self.why_not,
        }


class Trials:
    """The candidates of one plan, each compiled once."""

    def __init__(self, plan: Plan, saved: Mapping[int, str] | None = None) -> None:
        """`saved` has the ids, by stream node, under which state is kept where those are not the plan's own."""
        self.plan = plan
        self.before = judged_figures(plan)
        self._known: dict[tuple[str, ...], Outcome | None] = {}
        operators = len(plan.stream_graph.nodes)
        self._left = _OPERATORS // max(operators, 1) if operators <= _LARGEST else 0
        self._refs: Mapping[int, OperatorRef] = describe_operators(plan)
        self._saved = {number: (saved or {}).get(number, ref.operator_id) for number, ref in self._refs.items()}
        self._neighbours: dict[int, list[tuple[int, int]]] | None = None

    def advise(self, positions: Sequence[int]) -> Advice:
        """What would chain some edges that have one cause; positions are those in the stream graph."""
        tried: dict[tuple[str, ...], tuple[str, ...]] = {}
        for position in positions:
            for words, settings in self._candidates(position):
                tried.setdefault(settings, words)
        gaining = [
            Advice(
                changes=words,
                settings=settings,
                before=self.before,
                after=found.figures,
                loses=found.loses,
                chains=found.chains,
                added=self._added(settings),
            )
            for settings, words in tried.items()
            if (found := self._outcome(settings)) is not None and gains(self.before, found.figures)
        ]
        return min(gaining, key=lambda advice: advice.rank, default=Advice(why_not=self._why_not(list(tried))))

    def moved(self, advice: Advice) -> frozenset[int]:
        """The stream nodes that an advice gives another parallelism."""
        keys = {setting.rpartition(".parallelism=")[0] for setting in advice.settings}
        return frozenset(number for number, ref in self._refs.items() if whole_key(ref.key) in keys)

    def _added(self, settings: tuple[str, ...]) -> int:
        own = {whole_key(ref.key) for ref in self._refs.values() if ref.parallelism_from == "operator"}
        return sum(
            setting.rpartition(".parallelism=")[0] not in own for setting in settings if ".parallelism=" in setting
        )

    def _why_not(self, tried: list[tuple[str, ...]]) -> str:
        if any(settings not in self._known for settings in tried):
            return "not tried in a job of this size; `plan explain --set` shows what a change would do"
        outcomes = [(settings, self._known[settings]) for settings in tried]
        worse = [(settings, found.figures) for settings, found in outcomes if found is not None]
        if not worse:
            return "every change that was tried makes a job that Flink refuses"
        settings, after = min(worse, key=lambda one: (one[1].chains, one[1].channels))
        if after == self.before:
            return f"no change that was tried gains anything: {_shown(settings)} leaves all figures as they are"
        told = Advice(before=self.before, after=after).effect
        return f"no change that was tried gains anything: the best, {_shown(settings)}, makes {told}"

    # --- candidates

    def _candidates(self, position: int) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Words and settings; what is in the way beside the parallelism is changed with every one of them."""
        removed = to_remove(self.plan.obstacles[position])
        if any(not obstacle.settings for obstacle in removed):
            return
        others = [obstacle for obstacle in removed if obstacle.about != "parallelism"]
        words = tuple(dict.fromkeys(obstacle.change for obstacle in others if obstacle.change))
        settings = tuple(dict.fromkeys(setting for obstacle in others for setting in obstacle.settings))
        if len(others) == len(removed):
            yield words, settings
            return
        edge = self.plan.stream_graph.edges[position]
        nodes = self.plan.stream_graph.by_id
        for near, far in ((edge.target, edge.source), (edge.source, edge.target)):
            wanted = nodes[far].parallelism
            if wanted < 1 or (wanted > nodes[near].parallelism and self._reads_one_subtask(near)):
                continue
            for members in self._groups(position, near, far):
                keys = list(dict.fromkeys(whole_key(self._refs[number].key) for number in members))
                told = f"set the parallelism of {_listed(keys)} to {wanted}"
                yield (*words, told), (*settings, *(f"{key}.parallelism={wanted}" for key in keys))

    def _groups(self, position: int, near: int, far: int) -> Iterator[list[int]]:
        """The end itself, its chain, and all of its parallelism that is connected with it."""
        yield [near]
        chained = self._connected(position, near, chained=True)
        if len(chained) > 1 and far not in chained:
            yield chained
        wide = self._connected(position, near, chained=False)
        if len(wide) > len(chained) and far not in wide:
            yield wide

    def _reads_one_subtask(self, number: int) -> bool:
        """Whether all records go to one subtask of an operator: more of them would get none."""
        graph = self.plan.stream_graph
        return any(graph.edges[at].partitioner == "GLOBAL" for at in graph.in_edges[number])

    def _connected(self, position: int, start: int, *, chained: bool) -> list[int]:
        graph = self.plan.stream_graph
        if self._neighbours is None:
            self._neighbours = {}
            for number, edge in enumerate(graph.edges):
                self._neighbours.setdefault(edge.source, []).append((number, edge.target))
                self._neighbours.setdefault(edge.target, []).append((number, edge.source))
        wanted = graph.by_id[start].parallelism
        found = {start: None}
        for number in (waiting := [start]):  # grows while it is walked
            for at, other in self._neighbours.get(number, ()):
                obstacles = self.plan.obstacles[at]
                apart = bool(obstacles) if chained else any(obstacle.needed for obstacle in obstacles)
                fits = graph.by_id[other].parallelism == wanted and not apart
                if at != position and other not in found and fits:
                    found[other] = None
                    waiting.append(other)
        return sorted(found)

    # --- outcomes

    def _outcome(self, settings: tuple[str, ...]) -> Outcome | None:
        if settings not in self._known:
            if self._left <= 0:
                return None
            self._left -= 1
            self._known[settings] = self._compiled(settings)
        return self._known[settings]

    def _compiled(self, settings: tuple[str, ...]) -> Outcome | None:
        plan = self.plan
        try:
            job = apply_settings(plan.written, describe_written(plan), settings, merged_keys(plan))
            changed = compile_plan(job, until="execution", flink=plan.flink)
        except PlanError:
            return None
        refs = describe_operators(changed)
        return Outcome(
            figures=judged_figures(changed),
            loses=tuple(self._lost_state(refs.values())),
            chains=frozenset(self._newly_chained(changed, refs)),
        )

    def _newly_chained(self, changed: Plan, refs: Mapping[int, OperatorRef]) -> Iterator[int]:
        """The edges whose ends run in one task of the changed plan, and do not now."""
        assert changed.job_graph is not None
        merged = merged_keys(changed)
        vertex = {
            key: number
            for number, one in enumerate(changed.job_graph.vertices)
            for node in (*one.nodes, *one.chained_sources)
            for key in (refs[node].key, *merged.get(refs[node].key, ()))
        }
        now = merged_keys(self.plan)
        for at, edge in enumerate(self.plan.stream_graph.edges):
            source, target = self._refs[edge.source].key, self._refs[edge.target].key
            ends = [vertex.get(now.get(source, (source,))[-1]), vertex.get(now.get(target, (target,))[0])]
            if self.plan.obstacles[at] and ends[0] is not None and ends[0] == ends[1]:
                yield at

    def _lost_state(self, after: Iterable[OperatorRef]) -> Iterator[str]:
        new = {ref.key: ref for ref in after}
        ids = set(self._saved.values())
        for number, ref in self._refs.items():
            if ref.state == "none":
                continue
            now = new.get(ref.key)
            old_id = self._saved[number]
            if now is None or not finds_own_state(now.operator_id, now.uid_hash, old_id=old_id, saved=ids):
                yield ref.label


def judged_figures(plan: Plan) -> Figures:
    assert plan.job_graph is not None
    graph = plan.execution_graph
    if graph is None:
        return Figures(len(plan.job_graph.vertices), -1, -1)
    subtasks = sum(vertex.parallelism for vertex in plan.job_graph.vertices)
    return Figures(len(plan.job_graph.vertices), subtasks, sum(edge.channels for edge in graph.edges))


def gains(before: Figures, after: Figures) -> bool:
    """Whether something becomes less, and nothing more."""
    pairs = [(getattr(before, name), getattr(after, name)) for name in ("chains", "subtasks", "channels")]
    known = [(one, other) for one, other in pairs if one >= 0 and other >= 0]
    return all(other <= one for one, other in known) and any(other < one for one, other in known[::2])


def _listed(names: Sequence[str]) -> str:
    if len(names) > _SHOWN:
        return f"{', '.join(names[: _SHOWN - 1])} and {len(names) - _SHOWN + 1} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _shown(settings: tuple[str, ...]) -> str:
    return _listed(settings)
