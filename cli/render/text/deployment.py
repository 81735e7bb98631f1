"""A deployment as text: where the slots are, what is missing, what it costs."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.names import vertex_labels
from cli.render.styled import Line, Span, indented, line, table
from cli.render.text.failover import failover_lines
from cli.render.text.schedule import schedule_lines
from cli.render.text.task_managers import task_manager_lines
from cli.render.words import count, memory_words, shell_word
from planner.deployment.cluster import Cluster
from planner.deployment.costs import Costs, EdgeCost
from planner.deployment.deployment import Deployment
from planner.deployment.placement import Placement, Spread
from planner.deployment.shortage import Shortage
from planner.deployment.undecided import Undecided

__all__ = ["deployment_lines"]

MOST_EDGES = 12
MOST_NAMES = 20
SPREAD_WORDS: dict[Spread, str] = {"evenly": "evenly spread", "packed": "packed"}


def deployment_lines(deployment: Deployment) -> list[Line]:
    """Every part that was asked for, one below the other."""
    names = vertex_labels(deployment.plan)
    parts: list[list[Line]] = []
    if deployment.undecided:
        parts.append(_undecided(deployment.undecided, names))
    if deployment.placement and deployment.layout:
        parts.append(_placement(deployment.placement, deployment, names))
    if deployment.shortage and deployment.cluster:
        parts.append(_shortage(deployment.shortage, deployment.cluster))
    if deployment.schedule:
        parts.append(schedule_lines(deployment.schedule, names))
    if deployment.layout:
        parts += [failover_lines(failover, deployment.layout, names) for failover in deployment.failovers]
    if deployment.costs and deployment.cluster:
        parts.append(_costs(deployment.costs, names))
    return [spans for part in parts for spans in ((), *part)]


def _cluster_words(cluster: Cluster) -> str:
    words = f"{count(cluster.task_managers, 'task manager')} with {count(cluster.slots, 'slot')}"
    words += " each" if cluster.task_managers > 1 else ""
    return words + (", as many as are needed" if cluster.as_needed else "")


def _placement(placement: Placement, deployment: Deployment, names: Sequence[str]) -> list[Line]:
    assert deployment.layout is not None
    cluster, slots = placement.cluster, len(placement.turns)
    used = f"{slots} of {cluster.total_slots} slots used, {SPREAD_WORDS[placement.spread]}"
    lines = [line(("Deployment", "title"), (f" ({_cluster_words(cluster)}; {used})", "dim"))]
    if placement.last_turn:
        lines[0] = line(("Deployment", "title"), (f" ({_cluster_words(cluster)})", "dim"))
        lines.append(
            line(
                f"  {count(slots, 'slot')} in {placement.last_turn + 1} turns: blocking results let slots be used one "
                "after the other, each turn when the one before is finished"
            )
        )
    lines += indented(task_manager_lines(placement, deployment.layout, names))
    return [*lines, *_preferences(placement)]


def _preferences(placement: Placement) -> list[Line]:
    met, full = placement.preferences.count("met"), placement.preferences.count("full")
    if not met and not full:
        return []
    words = [f"{count(met, 'slot')} beside their inputs" if met > 1 else "1 slot beside its inputs"] if met else []
    words += [f"{count(full, 'slot')} elsewhere, since the inputs' task managers were full"] if full else []
    return [line((f"  {', '.join(words)}", "dim"))]


def _shortage(shortage: Shortage, cluster: Cluster) -> list[Line]:
    missing = shortage.required - shortage.offered
    head = line(
        ("Deployment", "title"), ": ", ("too few slots", "error"),
        f", {shortage.required} required and {shortage.offered} offered ({_cluster_words(cluster)}): {missing} missing",
    )  # fmt: skip
    rows: list[Sequence[str | Span]] = [tuple((word, "dim") for word in ("slot sharing group", "required", "offered"))]
    rows += [
        (need.group, str(need.required), (str(need.offered), "bad" if need.offered < need.required else ""))
        for need in shortage.groups
    ]
    lines = [head, *indented(table(rows, right=(1, 2)))]
    lines.append(line("  each of these would fit:" if shortage.changes else "  no single change would fit"))
    for change in shortage.changes:
        lines.append(line("    - ", (change.sentence, "change")))
        shown = " ".join(f"--set {shell_word(setting)}" for setting in change.settings[:MOST_NAMES])
        if shown:
            more = len(change.settings) - MOST_NAMES
            lines.append(line((f"      see plan explain {shown}{f' and {more} more' if more > 0 else ''}", "dim")))
    return lines


def _costs(costs: Costs, names: Sequence[str]) -> list[Line]:
    title = f" ({count(costs.channels, 'channel')}, {count(costs.buffers, 'network buffer')}, "
    title += f"{memory_words(costs.buffers * costs.buffer_size)})"
    lines = [line(("Costs", "title"), (title, "dim"))]
    lines += indented(_edge_costs(costs, names))
    return [*lines, *_fullest(costs)]


def _edge_costs(costs: Costs, names: Sequence[str]) -> list[Line]:
    if not costs.edges:
        return [line("no exchange between tasks: no channel, no network buffer")]
    by_cost = sorted(costs.edges, key=lambda edge: (-edge.buffers, edge.edge))
    shown = sorted(by_cost[:MOST_EDGES], key=lambda edge: edge.edge)
    heads = ("", "from", "to", "", "channels", "remote", "buffers in", "out", "memory", "")
    rows: list[Sequence[str | Span]] = [tuple((word, "dim") for word in heads)]
    rows += [_edge_row(edge, costs, names) for edge in shown]
    rest = len(costs.edges) - len(shown)
    more = [line((f"... and {count(rest, 'cheaper edge')}", "dim"))] if rest else []
    return [*table(rows, right=(4, 5, 6, 7, 8)), *more]


def _edge_row(edge: EdgeCost, costs: Costs, names: Sequence[str]) -> Sequence[str | Span]:
    most = max(other.buffers for other in costs.edges)
    dearest = edge.buffers == most and any(other.buffers < most for other in costs.edges)
    return (
        f"{edge.source + 1} -> {edge.target + 1}",
        names[edge.source],
        names[edge.target],
        (edge.ship_strategy, "code"),
        str(edge.channels),
        "" if edge.remote_channels is None else str(edge.remote_channels),
        str(edge.input_buffers),
        str(edge.output_buffers),
        memory_words(edge.buffers * costs.buffer_size),
        ("costs most", "warning") if dearest else "",
    )


def _fullest(costs: Costs) -> list[Line]:
    fullest = costs.fullest
    if fullest is None or not fullest.buffers:
        return []
    need = f"task manager {fullest.task_manager} needs most: {count(fullest.buffers, 'buffer')}, "
    need += memory_words(fullest.buffers * costs.buffer_size)
    if costs.available is None:
        hint = "network_memory under [tool.plan.cluster] in pyproject.toml would be checked against it"
        return [line(f"  {need}"), line((f"  {hint}", "dim"))]
    have = f"{costs.available} buffers, {memory_words(costs.available * costs.buffer_size)}"
    if not costs.overloaded:
        return [line(f"  {need}, of {have}"), line(("  the network memory suffices", "good"))]
    wanted = memory_words(fullest.buffers * costs.buffer_size, up=True)
    return [
        line(f"  {need}, and has {have}"),
        line(
            ("  too little network memory", "error"), f" on {count(len(costs.overloaded), 'task manager')}: "
            f"give each {wanted} (taskmanager.memory.network.max), or lower the parallelism at the dearest edge",
        ),
    ]  # fmt: skip


def _undecided(undecided: Undecided, names: Sequence[str]) -> list[Line]:
    lines = [
        line(("Deployment", "title"), ": not known before the job runs"),
        line("  In batch mode Flink decides at run time, from the data, every parallelism that nobody set."),
        line("  Placement, failures by subtask and costs depend on it. What is known:"),
    ]
    limits = dict(undecided.limits)
    rows: list[Sequence[str | Span]] = []
    known = dict(undecided.known)
    for vertex, name in enumerate(names[:MOST_NAMES]):
        most = f"at most {limits[vertex]}" if vertex in limits else ""
        words = f"parallelism {known[vertex]}" if vertex in known else "decided at run time"
        rows.append((f"{vertex + 1}.", (name, "operator"), words, most))
    lines += indented(table(rows, right=(0,)), 4)
    if len(names) > MOST_NAMES:
        lines.append(line((f"    ... and {count(len(names) - MOST_NAMES, 'task')} more", "dim")))
    together = [
        "+".join(str(vertex + 1) for vertex in region[:MOST_NAMES]) for region in undecided.regions[:MOST_NAMES]
    ]
    lines.append(line(f"    pipelined regions, each of which runs, fails and restarts as one: {', '.join(together)}"))
    lines.append(line(f"    at least {count(undecided.least_slots, 'slot')}"))
    for failure in undecided.failures:
        behind = _listed(failure.consumers, names) or "nothing"
        lines.append(line(f"    if a subtask of {names[failure.vertex]} fails, what pipelined channels join to it"))
        lines.append(line(f"    restarts, of {_listed(failure.region, names)}, and what reads that: {behind}"))
    return lines


def _listed(vertices: Sequence[int], names: Sequence[str]) -> str:
    shown = ", ".join(names[vertex] for vertex in vertices[:MOST_NAMES])
    return shown if len(vertices) <= MOST_NAMES else f"{shown} and {len(vertices) - MOST_NAMES} more"
