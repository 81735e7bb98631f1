"""What is set on an operator, and who set it: the operator, the job, or Flink."""

from __future__ import annotations

from planner.flink.defaults import default_max_parallelism
from planner.graphs.stream_graph import BUFFER_TIMEOUT_DISABLED, StreamNode
from planner.job import JobDefinition
from planner.operators import ORIGIN_WORDS, OperatorRef, Origin
from planner.pipeline import Plan

__all__ = ["Setting", "id_origin", "settings_of"]

Setting = tuple[str, str, str]  # name, value, where it came from


def settings_of(plan: Plan, ref: OperatorRef) -> list[Setting]:
    """All settings of one operator, those that matter most first."""
    node, job = plan.stream_graph.by_id[ref.node], plan.job
    parallelism = str(ref.parallelism) if ref.parallelism > 0 else "decided at run time"
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
    origin: Origin = "job"
    if node.operator.buffer_timeout is not None:
        origin = "operator"
    elif job.buffer_timeout is None:
        return value, "Flink's default"
    return value, ORIGIN_WORDS[origin]


def id_origin(plan: Plan, ref: OperatorRef) -> str:
    """What an operator id depends on, in words; the page adds the operators by name."""
    node = plan.stream_graph.by_id[ref.node]
    if node.user_hash is not None:
        return "a uid hash is given: state is looked for under it first"
    if node.uid is not None:
        return "the hash of its uid: it stays, whatever else of the job changes"
    graph = plan.stream_graph
    chained = sum(not plan.obstacles[edge] for edge in graph.out_edges[node.id])
    outputs = "no chained output" if not chained else f"{chained} chained output{'' if chained == 1 else 's'}"
    return f"generated: from its number in Flink's walk, its {outputs}, and the ids of everything before it"
