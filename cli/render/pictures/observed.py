"""An observed job as a picture: its chains as frames, and with live figures the hot ones coloured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cli.render.pictures.picture import Arrow, ArrowKind, Box, BoxKind, Cluster, Picture
from cli.render.words import count, parallelism_words
from planner.frontends.flink_export.live import LiveFigures, VertexFigures
from planner.observed.document import ObservedChain
from planner.observed.job import ObservedEdge, ObservedJob
from planner.observed.pressure import flow_of, heat_of
from planner.observed.verdicts import Verdict

_LOADS = ("busy", "backpressured")
LEGEND: tuple[ArrowKind, ...] = ("chained", "broken", "needed", "fixed")


def observed_picture(
    job: ObservedJob,
    verdicts: Sequence[Verdict],
    chains: Sequence[ObservedChain],
    live: LiveFigures | None,
    *,
    detailed: bool,
) -> Picture:
    """Every chain as a card with its operators as rows, or (detailed) as a frame around them."""
    figures = {vertex.id: vertex for vertex in live.vertices} if live else {}
    boxes = [
        _box(job, one, place, depth, figures.get(chain.id or ""))
        for place, chain in enumerate(chains)
        for one, depth in zip(chain.members, _branches(chain), strict=True)
    ]
    arrows = [_arrow(job, edge, verdict) for edge, verdict in zip(job.edges, verdicts, strict=True)]
    used = {arrow.kind for arrow in arrows if detailed or arrow.kind != "chained"}  # cards have no arrows inside
    state = "" if job.deployed else ", expected: nothing was deployed yet"
    return Picture(
        title=job.name,
        subtitle=f"{job.origin}: {count(len(boxes), 'operator')} in {count(len(chains), 'chain')}{state}",
        boxes=tuple(boxes),
        clusters=tuple(_cluster(chain, place, figures) for place, chain in enumerate(chains)),
        arrows=tuple(arrows),
        arrangement="graph" if detailed else "cards",
        legend=tuple(kind for kind in LEGEND if kind in used),
    )


def _cluster(chain: ObservedChain, place: int, figures: Mapping[str, VertexFigures]) -> Cluster:
    own = figures.get(chain.id or "")
    shares = {word: own.most(word) if own else None for word in _LOADS}
    known = [f"{word} {share * 100:.0f}%" for word, share in shares.items() if share is not None]
    facts = [parallelism_words(chain.parallelism), *known]
    return Cluster(
        id=f"c{place}",
        title=f"task {place + 1}",
        subtitle=", ".join(facts),
        heat=_heat(own) if own and known else None,  # a finished job has no load any more
        tooltip=f"{chain.id or 'not deployed yet'}\n{', '.join(facts)}",
    )


def _heat(figures: VertexFigures) -> float:
    """How hot a vertex is drawn: by how busy it is; one that is only blocked is as warm as it waits, up to a half."""
    busy, blocked = figures.most("busy") or 0.0, figures.most("backpressured") or 0.0
    return max(busy, min(blocked, 0.5) if heat_of(figures) == "blocked" else 0.0)


def _branches(chain: ObservedChain) -> list[int]:
    """By member, how far it is indented in a card: only where the chain branches."""
    straight = list(chain.depth) == list(range(len(chain.depth)))
    return [0] * len(chain.depth) if straight else list(chain.depth)


def _box(job: ObservedJob, operator: int, chain: int, depth: int, figures: VertexFigures | None) -> Box:
    entry = job.operators[operator]
    flow = flow_of(figures, entry.running_name or entry.name) if figures else None
    lines = (f"{_records(flow.records_in)} in, {_records(flow.records_out)} out",) if flow else ()
    return Box(
        id=f"n{operator}",
        title=entry.name,
        lines=lines,
        kind=_kind(job, operator),
        cluster=f"c{chain}",
        depth=depth,
        tooltip=f"{entry.description}\noperator id {entry.operator_id or 'not proven'}",
    )


def _kind(job: ObservedJob, operator: int) -> BoxKind:
    if job.operators[operator].source:
        return "source"
    if not job.out[operator]:
        return "sink"
    hashed = any(job.edges[edge].ship.startswith("HASH") for edge in job.into[operator])
    return "keyed" if hashed else "operator"


def _arrow(job: ObservedJob, edge: ObservedEdge, verdict: Verdict) -> Arrow:
    words = dict(verdict.facts)
    codes = verdict.reasons or verdict.possible
    told = [
        f"{verdict.certainty}: {'chained' if verdict.chained else 'not chained'}",
        *(words.get(c, c) for c in codes),
    ]
    source = f"n{edge.sources[-1]}"  # a job plan alone does not tell which one feeds the exchange: mostly the last
    if verdict.chained:
        mark = ("expected",) if verdict.certainty == "expected" else ()
        return Arrow(source=source, target=f"n{edge.target}", kind="chained", lines=mark, tooltip="\n".join(told))
    open_codes = verdict.likely or verdict.possible
    label = (
        ", ".join(verdict.reasons) or f"{'one of' if verdict.chained is False else 'unless'} {', '.join(open_codes)}"
    )
    return Arrow(
        source=source,
        target=f"n{edge.target}",
        kind="needed" if verdict.reasons else "fixed",
        label=edge.shipped or edge.ship,
        lines=(label,),
        tooltip="\n".join(told),
    )


def _records(number: int | None) -> str:
    return "?" if number is None else f"{number:,}".replace(",", " ")
