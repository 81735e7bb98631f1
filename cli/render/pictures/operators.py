"""The stream graph and the job graph as pictures: operators, chains around them, and why edges break."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cli.render.pictures.overlay import NOTHING, Overlay
from cli.render.pictures.picture import Arrow, ArrowKind, Box, BoxKind, Frame, Picture
from cli.render.words import count, parallelism_words
from planner.explanation.chains import ChainExplanation, ChainLink
from planner.explanation.edges import EdgeExplanation
from planner.explanation.explain import Explanation, explain_plan
from planner.kinds import SINKS
from planner.operators import OperatorRef
from planner.pipeline import Plan

__all__ = ["job_picture", "stream_picture"]

MOST_BOXES = 300  # above that a long chain is drawn as its ends: layout time grows with the square
LONG_CHAIN = 8
MOST_ROWS = 60  # of one card
LEGEND: tuple[ArrowKind, ...] = ("chained", "broken", "needed", "fixed", "open", "removed")


def stream_picture(plan: Plan, overlay: Overlay = NOTHING, explanation: Explanation | None = None) -> Picture:
    """Every operator with its settings, faint frames around what chains."""
    return _Operators(plan, overlay, explanation or explain_plan(plan), detailed=True).picture()


def job_picture(plan: Plan, overlay: Overlay = NOTHING, explanation: Explanation | None = None) -> Picture:
    """Every chain as a card, its operators as the rows."""
    return _Operators(plan, overlay, explanation or explain_plan(plan), detailed=False).picture()


class _Operators:
    """One of the two pictures on its way."""

    def __init__(self, plan: Plan, overlay: Overlay, explanation: Explanation, *, detailed: bool) -> None:
        self.plan = plan
        self.overlay = overlay
        self.explanation = explanation
        self.detailed = detailed
        self.task_of = {link.operator.node: chain.position for chain in explanation.chains for link in chain.links}
        self.side_outputs = {
            edge.target.node: edge.side_output for edge in explanation.edges if edge.chained and edge.side_output
        }

    def picture(self) -> Picture:
        boxes: list[Box] = []
        drawn_as: dict[int, str] = {}
        for chain in self.explanation.chains:
            for box, nodes in self.chain_boxes(chain):
                boxes.append(box)
                drawn_as.update(dict.fromkeys(nodes, box.id))
        arrows = [*self.arrows(drawn_as)]
        clusters = [self.cluster(chain) for chain in self.explanation.chains]
        self.add_gone(boxes, clusters, arrows)
        used = {
            arrow.kind for arrow in arrows if self.detailed or arrow.kind != "chained"
        }  # cards have no arrows inside
        return Picture(
            title=self.explanation.name,
            subtitle=self.subtitle(),
            boxes=tuple(boxes),
            clusters=tuple(clusters),
            arrows=tuple(arrows),
            arrangement="graph" if self.detailed else "cards",
            legend=tuple(kind for kind in LEGEND if kind in used),
        )

    def subtitle(self) -> str:
        figures = self.explanation.summary
        stage = "stream graph" if self.detailed else "job graph"
        tasks = f"{count(figures.operators, 'operator')} in {count(figures.chains, 'task')}"
        seen = self.explanation.observed
        if seen is not None:
            expected = "" if seen.job.deployed else ", expected: nothing was deployed yet"
            return f"{stage} of a {seen.job.origin}: {tasks}{expected}"
        what = "" if self.detailed else "; the operators of one frame are chained and run as one task"
        return f"{stage}: {tasks}{what}"

    def cluster(self, chain: ChainExplanation) -> Frame:
        facts = [parallelism_words(chain.parallelism)]
        seen = self.explanation.observed
        if chain.slot_sharing_group != "default" and seen is None:
            facts.append(f"slot sharing group {chain.slot_sharing_group}")
        note = self.overlay.vertices.get(chain.position)
        shown = [*facts, note.text] if note else facts
        return Frame(
            id=f"c{chain.position}",
            title=f"task {chain.position + 1}",
            subtitle=", ".join(shown),
            kind="faint" if self.detailed else "chain",
            tooltip=f"task {chain.position + 1}: {chain.name}\n{', '.join(shown)}\n{chain.id or 'id not known'}",
            heat=note.heat if note else None,
        )

    def chain_boxes(self, chain: ChainExplanation) -> Iterable[tuple[Box, tuple[int, ...]]]:
        """The chain's boxes with the stream nodes each stands for."""
        links = chain.links
        hidden = self.hidden(links)
        inside = {link.operator.node for link in hidden}
        for link in links:
            if link.operator.node not in inside:
                yield self.box(link, chain), (link.operator.node,)
            elif link is hidden[0]:
                names = "\n".join(other.operator.name for other in hidden[:20])
                box = Box(
                    id=f"f{link.operator.node}",
                    title=f"{len(hidden)} more operators",
                    kind="folded",
                    cluster=f"c{chain.position}",
                    tooltip=names,
                )
                yield box, tuple(other.operator.node for other in hidden)

    def hidden(self, links: Sequence[ChainLink]) -> Sequence[ChainLink]:
        """The middle of a long chain, where drawing it whole would hide the rest."""
        if not self.detailed:
            return links[MOST_ROWS // 2 : -MOST_ROWS // 2] if len(links) > MOST_ROWS else ()
        many = self.explanation.summary.operators > MOST_BOXES
        straight = all(link.depth == 0 for link in links)
        return links[2:-2] if many and straight and len(links) > LONG_CHAIN else ()

    def box(self, link: ChainLink, chain: ChainExplanation) -> Box:
        ref = link.operator
        return Box(
            id=f"n{ref.node}",
            title=ref.name,
            lines=self.lines(ref),
            kind=_kind(self.plan, ref.node),
            cluster=f"c{chain.position}",
            tooltip=self.tooltip(ref),
            depth=link.depth,
            mark=self.overlay.operators.get(ref.node),
        )

    def lines(self, ref: OperatorRef) -> tuple[str, ...]:
        records = self.overlay.records.get(ref.node, "")
        if not self.detailed:
            key = ref.key if ref.key != ref.name else ""
            side = self.side_outputs.get(ref.node)
            return (key, f"side output {side}" if side else "", records)
        node = self.plan.stream_graph.by_id[ref.node]
        facts = [parallelism_words(ref.parallelism)]
        facts += [node.chaining_strategy] if node.chaining_strategy != "ALWAYS" else []
        task = f"task {self.task_of[ref.node] + 1}"
        lines = (f"{ref.key}  #{ref.node}" if ref.key != ref.name else f"#{ref.node}", f"{task}, {', '.join(facts)}")
        named = ref.slot_sharing_group != "default" and self.explanation.observed is None
        group = f"group {ref.slot_sharing_group}" if named else ""
        return (*lines, group, records)

    def arrows(self, drawn_as: dict[int, str]) -> Iterable[Arrow]:
        for edge in self.explanation.edges:
            source, target = drawn_as[edge.source.node], drawn_as[edge.target.node]
            if source != target:
                yield self.arrow(edge, source, target)

    def arrow(self, edge: EdgeExplanation, source: str, target: str) -> Arrow:
        place = f"{edge.source.name} -> {edge.target.name}\n{edge.location}"
        side = f"side output {edge.side_output}" if edge.side_output is not None else ""
        extra: tuple[str, ...] = (side, self.overlay.carried.get(edge.position, ""))
        name, mark = f"e{edge.position}", self.overlay.edges.get(edge.position)
        if edge.judgement is not None:
            words = edge.judgement.words
            place = f"{edge.upstream} -> {edge.target.name}\n{words}"
        if edge.chained:
            tooltip = f"{place}\nchained" if edge.judgement is None else place
            extra = ("expected", *extra) if edge.judgement and edge.judgement.certainty == "expected" else extra
            return Arrow(source=source, target=target, kind="chained", id=name, lines=extra, tooltip=tooltip, mark=mark)
        first, *others = edge.obstacles
        more = "".join(f", {other.code}" for other in others)
        found = "\n".join(f"{o.code} {o.slug}: {o.values}" for o in edge.obstacles)
        return Arrow(
            source=source,
            target=target,
            kind=edge.verdict,
            id=name,
            label=edge.ship,
            lines=(f"{first.code} {first.slug}{more}" if first.certain else _causes(edge), self.branch(edge), *extra),
            tooltip="\n".join([place, found, *edge.changes]),
            mark=mark,
        )

    def tooltip(self, ref: OperatorRef) -> str:
        if self.explanation.observed is not None:
            described = self.plan.stream_graph.by_id[ref.node].operator.description or ref.name
            return f"{described}\noperator id {ref.operator_id or 'not proven'}"
        uid = ref.uid if ref.uid is not None else "none"
        return f"{ref.name}\nkey {ref.key}, uid {uid}\n{ref.location}\noperator id {ref.operator_id}"

    def branch(self, edge: EdgeExplanation) -> str:
        """Which row of a card an arrow comes from, where that is not the last one."""
        links = self.explanation.chains[self.task_of[edge.source.node]].links
        if edge.possible_sources or self.detailed or len(links) < 2 or links[-1].operator.node == edge.source.node:
            return ""
        return f"from {edge.source.name}"

    def add_gone(self, boxes: list[Box], clusters: list[Frame], arrows: list[Arrow]) -> None:
        """Operators that are not there any more, each in a dashed box of its own."""
        drawn = {box.id for box in boxes} | {gone.id for gone in self.overlay.gone}
        for gone in self.overlay.gone:
            frame = None
            if not self.detailed:
                frame = f"c{gone.id}"
                clusters.append(Frame(id=frame, title="removed", kind="removed", mark="removed"))
            boxes.append(Box(id=gone.id, title=gone.name, kind="removed", cluster=frame, mark="removed"))
            ends = [(source, gone.id) for source in gone.fed_by] + [(gone.id, target) for target in gone.feeds]
            arrows += [
                Arrow(source=source, target=target, kind="removed")
                for source, target in ends
                if source in drawn and target in drawn
            ]


def _causes(edge: EdgeExplanation) -> str:
    """Which conditions may be in the way, where Flink's exports leave it open."""
    certain = edge.judgement is not None and edge.judgement.chained is False
    return f"{'one of' if certain else 'unless'} {', '.join(obstacle.code for obstacle in edge.obstacles)}"


def _kind(plan: Plan, node: int) -> BoxKind:
    operator = plan.stream_graph.by_id[node].operator
    if operator.kind == "source":
        return "source"
    if operator.kind in SINKS:
        return "sink"
    keyed = plan.job.is_keyed(operator) if plan.observed is None else _is_hashed(plan, node)
    return "keyed" if keyed else "operator"


def _is_hashed(plan: Plan, node: int) -> bool:
    """Whether a key decides which records an operator of an export gets: the nearest to keyed that one tells."""
    return any(plan.stream_graph.edges[at].partitioner == "HASH" for at in plan.stream_graph.in_edges[node])
