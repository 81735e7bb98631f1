"""The stream graph and the job graph as pictures: operators, chains around them, and why edges break."""

from __future__ import annotations

from collections.abc import Iterable

from cli.render.pictures.picture import Arrow, ArrowKind, Box, BoxKind, Cluster, Picture
from cli.render.words import count, parallelism_words
from planner.explanation.chains import ChainExplanation
from planner.explanation.edges import EdgeExplanation
from planner.explanation.explain import Explanation, explain_plan
from planner.kinds import SINKS
from planner.operators import OperatorRef
from planner.pipeline import Plan

__all__ = ["job_picture", "stream_picture"]

MOST_BOXES = 300  # above that a long chain is drawn as its ends: layout time grows with the square
LONG_CHAIN = 8
LEGEND: tuple[ArrowKind, ...] = ("chained", "broken", "needed", "fixed")


def stream_picture(plan: Plan) -> Picture:
    """Every operator with its settings, faint frames around what chains."""
    explanation = explain_plan(plan)
    return _picture(plan, explanation, "stream graph", detailed=True)


def job_picture(plan: Plan) -> Picture:
    """Every chain as a frame, the operators small inside."""
    explanation = explain_plan(plan)
    return _picture(plan, explanation, "job graph", detailed=False)


def _picture(plan: Plan, explanation: Explanation, stage: str, *, detailed: bool) -> Picture:
    fold = explanation.summary.operators > MOST_BOXES
    boxes: list[Box] = []
    drawn_as: dict[int, str] = {}
    for chain in explanation.chains:
        for box, nodes in _chain_boxes(plan, chain, fold=fold, detailed=detailed):
            boxes.append(box)
            drawn_as.update(dict.fromkeys(nodes, box.id))
    figures = explanation.summary
    subtitle = f"{stage}: {count(figures.operators, 'operator')} in {count(figures.chains, 'chain')}"
    arrows = tuple(_arrows(explanation.edges, drawn_as))
    used = {arrow.kind for arrow in arrows}
    return Picture(
        title=explanation.name,
        subtitle=subtitle,
        boxes=tuple(boxes),
        clusters=tuple(_cluster(chain, detailed=detailed) for chain in explanation.chains),
        arrows=arrows,
        legend=tuple(kind for kind in LEGEND if kind in used),
    )


def _cluster(chain: ChainExplanation, *, detailed: bool) -> Cluster:
    facts = [parallelism_words(chain.parallelism)]
    if chain.slot_sharing_group != "default":
        facts.append(f"slot sharing group {chain.slot_sharing_group}")
    return Cluster(
        id=f"c{chain.position}",
        title=f"{chain.position + 1}" if detailed else f"task {chain.position + 1}",
        subtitle="" if detailed else ", ".join(facts),
        kind="faint" if detailed else "chain",
        tooltip=f"{chain.name}\n{', '.join(facts)}\n{chain.id}",
    )


def _chain_boxes(
    plan: Plan, chain: ChainExplanation, *, fold: bool, detailed: bool
) -> Iterable[tuple[Box, tuple[int, ...]]]:
    """The chain's boxes with the stream nodes each stands for."""
    refs = [link.operator for link in chain.links]
    hidden: list[OperatorRef] = []
    inside: set[int] = set()
    if fold and len(refs) > LONG_CHAIN and all(link.depth == 0 for link in chain.links):
        hidden = refs[2:-2]
        inside = {ref.node for ref in hidden}
    for ref in refs:
        if ref.node not in inside:
            yield _box(plan, ref, chain, detailed=detailed), (ref.node,)
        elif ref is hidden[0]:
            title = f"{len(hidden)} more operators"
            names = "\n".join(other.name for other in hidden[:20])
            box = Box(id=f"n{ref.node}", title=title, kind="folded", cluster=f"c{chain.position}", tooltip=names)
            yield box, tuple(other.node for other in hidden)


def _box(plan: Plan, ref: OperatorRef, chain: ChainExplanation, *, detailed: bool) -> Box:
    node = plan.stream_graph.by_id[ref.node]
    lines: tuple[str, ...] = ()
    if detailed:
        facts = [parallelism_words(ref.parallelism)]
        if node.chaining_strategy != "ALWAYS":
            facts.append(node.chaining_strategy)
        lines = (f"{ref.key}  #{ref.node}" if ref.key != ref.name else f"#{ref.node}", ", ".join(facts))
        if ref.slot_sharing_group != "default":
            lines += (f"group {ref.slot_sharing_group}",)
    uid = ref.uid if ref.uid is not None else "none"
    tooltip = f"{ref.name}\nkey {ref.key}, uid {uid}\n{ref.location}\noperator id {ref.operator_id}"
    return Box(
        id=f"n{ref.node}",
        title=ref.name,
        lines=lines,
        kind=_kind(plan, ref.node),
        cluster=f"c{chain.position}",
        tooltip=tooltip,
    )


def _kind(plan: Plan, node: int) -> BoxKind:
    operator = plan.stream_graph.by_id[node].operator
    if operator.kind == "source":
        return "source"
    if operator.kind in SINKS:
        return "sink"
    return "keyed" if plan.job.is_keyed(operator) else "operator"


def _arrows(edges: Iterable[EdgeExplanation], drawn_as: dict[int, str]) -> Iterable[Arrow]:
    for edge in edges:
        source, target = drawn_as[edge.source.node], drawn_as[edge.target.node]
        if source != target:
            yield _arrow(edge, source, target)


def _arrow(edge: EdgeExplanation, source: str, target: str) -> Arrow:
    place = f"{edge.source.name} -> {edge.target.name}\n{edge.location}"
    side = (f"side output {edge.side_output}",) if edge.side_output is not None else ()
    if edge.chained:
        return Arrow(source=source, target=target, kind="chained", lines=side, tooltip=f"{place}\nchained")
    first, *others = edge.obstacles
    more = "".join(f", {other.code}" for other in others)
    found = "\n".join(f"{o.code} {o.slug}: {o.values}" for o in edge.obstacles)
    return Arrow(
        source=source,
        target=target,
        kind=edge.verdict,
        label=edge.partitioner,
        lines=(f"{first.code} {first.slug}{more}", *side),
        tooltip="\n".join([place, found, *edge.changes]),
    )
