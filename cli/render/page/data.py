"""A plan as the page's script reads it: one plain document, every repeated text once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from planner.chaining.evaluation import check_conditions
from planner.chaining.registry import RULES
from planner.deployment.deployment import Deployment
from planner.deployment.failover import plan_failover
from planner.deployment.layout import Layout, lay_out
from planner.explanation.edges import EdgeExplanation
from planner.explanation.explain import Explanation
from planner.explanation.order import explain_order
from planner.explanation.python_layer import PairExplanation, PartRef, PythonExplanation
from planner.flink.defaults import default_max_parallelism
from planner.graphs.state import describe_state
from planner.graphs.stream_graph import BUFFER_TIMEOUT_DISABLED, StreamNode
from planner.job import JobDefinition, Location
from planner.operators import ORIGIN_WORDS, OperatorRef, SetBy
from planner.pipeline import Plan

if TYPE_CHECKING:
    from planner.observed.judgement import Observation


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


NumberRun = tuple[int, int, int]  # the first number, how many, and by how much each is more than the one before


def as_runs(numbers: Iterable[int]) -> list[NumberRun]:
    """The numbers in order, as runs of equal steps. `[4, 5, 6, 9]` is `[(4, 3, 1), (9, 1, 0)]`."""
    runs: list[NumberRun] = []
    for number in numbers:
        if runs:
            first, length, step = runs[-1]
            if length == 1:
                runs[-1] = (first, 2, number - first)
                continue
            if first + length * step == number:
                runs[-1] = (first, length + 1, step)
                continue
        runs.append((number, 1, 0))
    return runs


UNKNOWN = "not known"  # of a job that Flink described
Setting = tuple[str, str, str]  # name, value, where it came from


def settings_of(plan: Plan, ref: OperatorRef) -> list[Setting]:
    """All settings of one operator, those that matter most first."""
    node, job = plan.stream_graph.by_id[ref.node], plan.job
    parallelism = str(ref.parallelism) if ref.parallelism > 0 else "decided at run time"
    if plan.observed is not None:
        return [("parallelism", parallelism, "as Flink tells it"), *_observed_settings(plan.observed, node)]
    rows = [
        ("parallelism", parallelism, ORIGIN_WORDS[ref.parallelism_from]),
        ("max parallelism", *_max_parallelism(job, node)),
        ("slot sharing group", node.slot_sharing_group, _group_origin(node)),
        ("chaining strategy", *_chaining(node)),
        ("buffer timeout", *_buffer_timeout(job, node)),
    ]
    if node.co_location_group is not None:
        rows.append(("co-location group", node.co_location_group, ORIGIN_WORDS["operator"]))
    rows.append(("name", node.name, ORIGIN_WORDS["operator"] if node.operator.name else "Flink's default name"))
    rows.append(("uid", node.uid if node.uid is not None else "none", ORIGIN_WORDS["operator"] if node.uid else ""))
    if node.source is not None:
        rows.append(("source", "SourceFunction (legacy)" if node.source == "legacy" else "Source (FLIP-27)", ""))
    return rows


def _observed_settings(seen: Observation, node: StreamNode) -> list[Setting]:
    """What Flink tells of an operator that it described; the rest is said to be unknown."""
    vertex = seen.job.vertex_of(seen.place_of[node.id])
    most = vertex.max_parallelism if vertex else None
    rows = [
        ("max parallelism", str(most), "of its task, as Flink resolved it")
        if most
        else ("max parallelism", UNKNOWN, ""),
        ("slot sharing group", node.slot_sharing_group if seen.knows_groups else UNKNOWN, ""),
        *((name, UNKNOWN, "") for name in ("chaining strategy", "buffer timeout", "uid")),
        ("name", node.name, ""),
    ]
    if node.source is not None:
        api = {"legacy": "SourceFunction (legacy)", "new": "Source (FLIP-27)", None: UNKNOWN}
        rows.append(("source", api[vertex.source_kind if vertex else None], ""))
    return rows


def _max_parallelism(job: JobDefinition, node: StreamNode) -> tuple[str, str]:
    if node.max_parallelism <= 0:
        derived = default_max_parallelism(max(node.parallelism, 1))
        return "unset", f"Flink derives {derived} from the parallelism"
    own = node.operator.max_parallelism is not None
    return str(node.max_parallelism), ORIGIN_WORDS["operator" if own else "job"]


def _group_origin(node: StreamNode) -> str:
    if node.operator.slot_sharing_group is not None:
        return ORIGIN_WORDS["operator"]
    return "Flink's default" if node.slot_sharing_group == "default" else "taken over from its inputs"


def _chaining(node: StreamNode) -> tuple[str, str]:
    if node.operator.chaining is not None:
        return node.chaining_strategy, f"{ORIGIN_WORDS['operator']}: {node.operator.chaining}"
    return node.chaining_strategy, "what Flink gives an operator of this kind"


def _buffer_timeout(job: JobDefinition, node: StreamNode) -> tuple[str, str]:
    value = "only when full" if node.buffer_timeout == BUFFER_TIMEOUT_DISABLED else f"{node.buffer_timeout} ms"
    origin: SetBy = "job"
    if node.operator.buffer_timeout is not None:
        origin = "operator"
    elif job.buffer_timeout is None:
        return value, "Flink's default"
    return value, ORIGIN_WORDS[origin]


def id_origin(plan: Plan, ref: OperatorRef) -> str:
    """What an operator id depends on, in words; the page adds the operators by name."""
    node = plan.stream_graph.by_id[ref.node]
    if plan.observed is not None:
        return "as Flink told it, or proven by its hash" if ref.operator_id else "Flink does not tell it"
    if node.user_hash is not None:
        return "a uid hash is given: state is looked for under it first"
    if node.uid is not None:
        return "the hash of its uid: it stays, whatever else of the job changes"
    graph = plan.stream_graph
    chained = sum(not plan.obstacles[edge] for edge in graph.out_edges[node.id])
    outputs = "no chained output" if not chained else f"{chained} chained output{'' if chained == 1 else 's'}"
    return f"generated: from its number in Flink's walk, its {outputs}, and the ids of everything before it"


MOST_REGIONS = 64  # above that a failure is told by its region alone


def plan_data(plan: Plan, explanation: Explanation, deployment: Deployment | None) -> dict[str, Any]:
    """Operators, tasks, edges, subtasks and slots."""
    texts = _Texts()
    layout = deployment.layout if deployment and deployment.layout else lay_out(plan)
    return {
        "name": explanation.name,
        "file": plan.job.location.file,
        "batch": plan.stream_graph.batch,
        "observed": _origin(plan.observed) if plan.observed else None,
        "figures": explanation.summary.to_dict(),
        "buffers": [explanation.buffers_per_channel, explanation.floating_buffers],
        "rules": [
            {"code": rule.code, "slug": rule.slug, "summary": rule.summary, "why": rule.why, "fix": rule.fix}
            for rule in RULES
        ],
        "operators": _operators(plan, explanation, texts),
        "tasks": _tasks(plan, explanation),
        "edges": [_edge(plan, edge, texts) for edge in explanation.edges],
        "python": python_data(explanation.python) if explanation.python else None,
        "execution": _execution(plan, layout, deployment) if layout else None,
        "texts": texts.all,
    }


def _origin(seen: Observation) -> str:
    state = "as Flink deployed it" if seen.job.deployed else "a forecast: nothing was deployed yet"
    return f"What Flink told of the job ({seen.job.origin}), {state}. What it did not tell is marked as not known."


class _Texts:
    """Texts by number, each kept once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))

    def numbered(self, texts: Iterable[str]) -> list[int]:
        return [self.number(text) for text in texts]

    @property
    def all(self) -> list[str]:
        return list(self.numbers)


def _operators(plan: Plan, explanation: Explanation, texts: _Texts) -> list[dict[str, Any]]:
    task_of = {link.operator.node: chain.position for chain in explanation.chains for link in chain.links}
    return [
        {
            "node": ref.node,
            "key": ref.key,
            "name": ref.name,
            "kind": ref.kind if plan.observed is None or ref.kind != "process" else "operator",
            "id": ref.operator_id or UNKNOWN,
            "uid": ref.uid,
            "idFrom": texts.number(id_origin(plan, ref)),
            "place": _place(plan, ref.location),
            "task": task_of.get(ref.node),
            "state": ref.state if plan.observed is None else None,
            "stateWords": texts.number(describe_state(ref.state) if plan.observed is None else UNKNOWN),
            "parallelism": ref.parallelism,
            "settings": [texts.numbered(setting) for setting in settings_of(plan, ref)],
            "note": plan.stream_graph.by_id[ref.node].operator.description or "",
        }
        for ref in explanation.operators.values()
    ]


def _place(plan: Plan, location: Location) -> str:
    """Where something is written; an export is no place where anything could be changed."""
    return str(location) if plan.observed is None else location.file


def _tasks(plan: Plan, explanation: Explanation) -> list[dict[str, Any]]:
    seen = plan.observed
    order = explain_order(plan.job_graph, compiled=seen is None) if plan.job_graph else ()
    return [
        {
            "name": chain.name,
            "id": chain.id or UNKNOWN,
            "parallelism": chain.parallelism,
            "maxParallelism": chain.max_parallelism,
            "group": chain.slot_sharing_group if seen is None or seen.knows_groups else UNKNOWN,
            "operators": [link.operator.node for link in chain.links],
            "depths": [link.depth for link in chain.links],
            "order": order[chain.position].sentence if order else "",
        }
        for chain in explanation.chains
    ]


def _edge(plan: Plan, edge: EdgeExplanation, texts: _Texts) -> dict[str, Any]:
    conditions = check_conditions(plan, edge.position)
    return {
        "source": edge.source.node,
        "target": edge.target.node,
        "partitioner": edge.ship,
        "exchange": edge.exchange_mode,
        "input": edge.type_number,
        "side": edge.side_output,
        "verdict": edge.verdict,
        "certainty": edge.judgement.words if edge.judgement else None,
        "askedBy": texts.number(edge.asked_by),
        "place": _place(plan, edge.location),
        "obstacles": [obstacle.code for obstacle in edge.obstacles if obstacle.certain],
        "open": [condition.code for condition in conditions if condition.holds is None],
        "conditions": texts.numbered(condition.found for condition in conditions),
        "changes": list(edge.changes),
        "settings": list(edge.settings),
        "traffic": edge.traffic.to_dict() if edge.traffic else None,
    }


def _execution(plan: Plan, layout: Layout, deployment: Deployment | None) -> dict[str, Any]:
    vertices = range(len(layout.job_graph.vertices))
    return {
        "parallelisms": list(layout.execution_graph.parallelisms),
        "slots": len(layout.physical.slots),
        "regions": len(layout.physical.failover_regions),
        "slotOf": [as_runs(layout.slot_of[number] for number in layout.numbers(vertex)) for vertex in vertices],
        "regionOf": [as_runs(layout.region_of[number] for number in layout.numbers(vertex)) for vertex in vertices],
        "edges": [
            {
                "edge": layout.job_graph.edges[edge.job_edge].stream_edge,
                "source": edge.source,
                "target": edge.target,
                "ship": layout.job_graph.edges[edge.job_edge].ship_strategy,
                "all": edge.distribution == "ALL_TO_ALL",
                "blocking": layout.is_blocking(edge),
                "channels": edge.channels,
                "low": as_runs(low for _, low, _ in edge.consumed),
                "high": as_runs(high for _, _, high in edge.consumed),
            }
            for edge in layout.execution_graph.edges
        ],
        "restarts": _restarts(layout),
        "placement": _placement(deployment),
    }


def _restarts(layout: Layout) -> list[list[tuple[int, str]]] | None:
    """For every region, which regions restart when a subtask of it fails. None: only that region."""
    regions = layout.physical.failover_regions
    if len(regions) > MOST_REGIONS or not any(layout.blocking_edges()):
        return None
    return [
        [(restart.region, restart.reason) for restart in plan_failover(layout, members[0]).restarts]
        for members in regions
    ]


def _placement(deployment: Deployment | None) -> dict[str, Any] | None:
    if deployment is None or deployment.placement is None:
        return None
    placement = deployment.placement
    return {
        "taskManagers": placement.cluster.task_managers,
        "slots": placement.cluster.slots,
        "managerOf": as_runs(placement.task_managers),
        "numberOf": as_runs(placement.numbers),
    }
