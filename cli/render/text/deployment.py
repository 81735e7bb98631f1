"""A deployment as text: where the slots are, what is missing, what it costs."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.folding import fold_groups, span
from cli.render.names import vertex_labels
from cli.render.styled import Line, Span, indented, line, table
from cli.render.task_manager_runs import PlacedSlot, manager_runs, placed_slots, progression
from cli.render.text.schedule import ranges, schedule_lines
from cli.render.words import count, memory_words, shell_word
from planner.deployment.cluster import Cluster
from planner.deployment.costs import Costs, EdgeCost
from planner.deployment.deployment import Deployment
from planner.deployment.failover import RELEASE_OPTION, Failover, RegionRestart, RestartReason, ResultPart
from planner.deployment.layout import Layout
from planner.deployment.placement import Placement
from planner.deployment.shortage import Shortage
from planner.deployment.starting import FLINK_SAYS
from planner.deployment.undecided import Undecided
from planner.flink.network_buffers import NETWORK_MEMORY_OPTIONS, Buffers

MOST_RESTARTED = 20
REASONS: dict[RestartReason, str] = {
    "failed": "failed",
    "task-manager-lost": "ran on the lost task manager",
    "result-lost": "its result was lost and is needed again",
    "result-released": "its result was released when its readers had finished, and is needed again",
    "consumer": "reads a restarting region",
}


def failover_lines(failover: Failover, layout: Layout, names: Sequence[str]) -> list[Line]:
    """One failure, and what follows from it."""
    vertex, subtask = failover.subtask
    lost = f" with task manager {failover.lost_task_manager}" if failover.lost_task_manager is not None else ""
    figures = f"{count(failover.subtasks, 'subtask')} in {count(len(failover.restarts), 'region')} restart"
    figures += "s" if len(failover.restarts) == failover.subtasks == 1 else ""
    lines = [
        line(("Failure", "title"), f" of {names[vertex]}[{subtask}]{lost}: {figures}, {failover.untouched} do not")
    ]
    lines += indented(_restarts(failover.restarts, layout, names))
    return [*lines, *indented(_again(failover, layout, names))]


def _restarts(restarts: Sequence[RegionRestart], layout: Layout, names: Sequence[str]) -> list[Line]:
    """Regions restarted for one reason, neighbours that follow a pattern folded."""
    rows: list[Sequence[str | Span]] = []
    for reason in REASONS:
        chosen = [restart.region for restart in restarts if restart.reason == reason]
        for run in fold_groups([layout.physical.failover_regions[region] for region in chosen], names):
            label = f"region{'' if run.length == 1 else 's'} {_numbers(chosen[run.first : run.last + 1])}"
            rows.append((label, (REASONS[reason], "bad" if reason == "failed" else ""), run.text))
    more = len(rows) - MOST_RESTARTED
    return [*table(rows[:MOST_RESTARTED]), *([line((f"... and {count(more, 'row')} more", "dim"))] if more > 0 else [])]


def _numbers(regions: Sequence[int]) -> str:
    neighbours = regions[-1] - regions[0] + 1 == len(regions)
    return span(regions[0], regions[-1]) if neighbours else f"{regions[0]}..{regions[-1]} ({len(regions)} of them)"


def _again(failover: Failover, layout: Layout, names: Sequence[str]) -> list[Line]:
    since = "from its beginning" if layout.job_graph.dynamic else "since the last checkpoint"
    rows: list[Sequence[str | Span]] = []
    if failover.read_again:
        sources = ", ".join(f"{names[vertex]}[{ranges(subtasks)}]" for vertex, subtasks in failover.read_again)
        rows.append(("read again:", f"the input of {sources}, {since}"))
    rows += [("computed again:", _part(part, names)) for part in failover.recomputed[:MOST_RESTARTED]]
    rows += [("kept, read once more:", _part(part, names)) for part in failover.kept[:MOST_RESTARTED]]
    if failover.waiting:
        rows.append(("not begun:", f"{count(failover.waiting, 'subtask')} downstream, which keep their first attempt"))
    if any(restart.reason == "result-released" for restart in failover.restarts):
        rows.append(("to keep results:", f"{RELEASE_OPTION}: false (they stay until the job ends)"))
    return table(rows)


def _part(part: ResultPart, names: Sequence[str]) -> str:
    return f"{names[part.producer]}[{ranges(part.partitions)}] for {names[part.consumer]}"


MOST_TASK_MANAGERS = 40
MOST_SUBTASKS = 20  # of one slot


def task_manager_lines(placement: Placement, layout: Layout, names: Sequence[str]) -> list[Line]:
    """Which subtasks run in which slot of which task manager."""
    managers = placed_slots(placement, layout)
    rows: list[Sequence[str | Span]] = []
    shown = 0
    for first, last in manager_runs(managers):
        if len(rows) >= MOST_TASK_MANAGERS:
            break
        rows += _rows(managers, first, last, names, in_turns=placement.last_turn > 0)
        shown = last + 1
    rest = len(managers) - shown
    return [*table(rows), *([line((f"... and {count(rest, 'task manager')} more", "dim"))] if rest else [])]


def _rows(
    managers: Sequence[list[PlacedSlot]], first: int, last: int, names: Sequence[str], *, in_turns: bool
) -> list[Sequence[str | Span]]:
    label = f"task manager{'' if first == last else 's'} {span(first, last)}"
    if not managers[first]:
        return [(label, "", "", ("idle", "dim"))]
    rows: list[Sequence[str | Span]] = []
    for position, slot in enumerate(managers[first]):
        ends = list(zip(slot.subtasks, managers[last][position].subtasks, strict=True))
        length = last - first + 1
        shown = [f"{names[v]}[{progression(low, high, length)}]" for (v, low), (_, high) in ends[:MOST_SUBTASKS]]
        text = ", ".join(shown) + (f" and {len(ends) - len(shown)} more" if len(ends) > len(shown) else "")
        turn = f"turn {slot.turn + 1}" if in_turns else ""
        rows.append((label if position == 0 else "", turn, f"slot {slot.number}", text))
    return rows


MOST_EDGES = 12
MOST_NAMES = 20


def deployment_lines(deployment: Deployment, spec: str | None = None) -> list[Line]:
    """Every part that was asked for, one below the other."""
    names = vertex_labels(deployment.plan)
    parts: list[list[Line]] = []
    if deployment.undecided:
        parts.append(_undecided(deployment.undecided, names))
    if deployment.placement and deployment.layout:
        parts.append(_placement(deployment.placement, deployment, names))
    if deployment.shortage and deployment.cluster:
        starting = _starting(deployment.shortage, deployment.layout, names) if deployment.layout else []
        parts.append(_shortage(deployment.shortage, deployment.cluster, starting, spec))
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
    used = f"{slots} of {cluster.total_slots} slots used, load balance {placement.mode}"
    lines = [line(("Deployment", "title"), (f" ({_cluster_words(cluster)}; {used})", "dim"))]
    if placement.last_turn:
        lines[0] = line(("Deployment", "title"), (f" ({_cluster_words(cluster)})", "dim"))
        lines.append(
            line(
                f"  {count(slots, 'slot')} in {placement.last_turn + 1} turns: blocking results let slots be used one "
                "after the other, each turn when the one before is finished"
            )
        )
    if placement.mode == "tasks":
        lines.append(line(("  slots are shared so that each gets about as many subtasks, not as listed above", "dim")))
    lines += indented(task_manager_lines(placement, deployment.layout, names))
    return [*lines, line((f"  {_certainty(placement)}", "dim"))]


def _certainty(placement: Placement) -> str:
    if placement.certain:
        return "Flink places the slots like this in every run; only the numbers of the task managers may differ"
    slots = ", ".join(str(used) for used in sorted(placement.slots_used, reverse=True)[:MOST_NAMES])
    more = f" and {placement.cluster.task_managers - MOST_NAMES} more" if len(placement.slots_used) > MOST_NAMES else ""
    sure = f"certain is how many slots each task manager gives ({slots}{more})"
    if placement.last_turn or placement.cluster.task_managers == 1:
        sure = "which slot is used again by what is not fixed"
    other = "--seed 1 shows another" if placement.seed is None else f"this is --seed {placement.seed}"
    return f"one possible placement: {sure}; {other}"


def _starting(shortage: Shortage, layout: Layout, names: Sequence[str]) -> list[Line]:
    """What starts with the slots that are there, and what does not."""
    rows: list[Sequence[str | Span]] = []
    for word, regions in (
        ("starts:", shortage.starting.starts),
        ("stays SCHEDULED:", shortage.starting.waits),
        ("stays CREATED:", shortage.starting.never),
    ):
        groups = [layout.physical.failover_regions[region] for region in sorted(regions)]
        for number, run in enumerate(fold_groups(groups, names)[:MOST_NAMES]):
            rows.append((word if number == 0 else "", run.text))
    said = f'after slot.request.timeout Flink says "{FLINK_SAYS}"'
    return [*indented(table(rows)), line((f"  {said}", "dim"))]


def _shortage(shortage: Shortage, cluster: Cluster, starting: list[Line], spec: str | None) -> list[Line]:
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
    lines = [head, *indented(table(rows, right=(1, 2))), *starting]
    lines.append(line("  each of these would fit:" if shortage.changes else "  no single change would fit"))
    job = f"{shell_word(spec)} " if spec else ""
    for change in shortage.changes:
        lines.append(line("    - ", (change.sentence, "change")))
        shown = " ".join(f"--set {shell_word(setting)}" for setting in change.settings[:MOST_NAMES])
        if shown:
            more = len(change.settings) - MOST_NAMES
            lines.append(line((f"      see plan explain {job}{shown}{f' and {more} more' if more > 0 else ''}", "dim")))
    return lines


def _costs(costs: Costs, names: Sequence[str]) -> list[Line]:
    where = "" if costs.task_managers else ", all on one task manager"
    title = f" ({count(costs.channels, 'channel')}; network buffers: {_both(costs.buffers)}{where})"
    lines = [line(("Costs", "title"), (title, "dim"))]
    lines += indented(_edge_costs(costs, names))
    return [*lines, *_fullest(costs)]


def _both(buffers: Buffers) -> str:
    return f"{buffers.fewest} to start, {buffers.wanted} to run well"


def _edge_costs(costs: Costs, names: Sequence[str]) -> list[Line]:
    if not costs.edges:
        return [line("no exchange between tasks: no channel, no network buffer")]
    by_cost = sorted(costs.edges, key=lambda edge: (-edge.buffers.fewest, edge.edge))
    shown = sorted(by_cost[:MOST_EDGES], key=lambda edge: edge.edge)
    heads = ("", "from", "to", "", "channels", "remote", "buffers in", "out", "run well", "")
    rows: list[Sequence[str | Span]] = [tuple((word, "dim") for word in heads)]
    rows += [_edge_row(edge, costs, names) for edge in shown]
    rest = len(costs.edges) - len(shown)
    more = [line((f"... and {count(rest, 'cheaper edge')}", "dim"))] if rest else []
    return [*table(rows, right=(4, 5, 6, 7, 8)), *more]


def _edge_row(edge: EdgeCost, costs: Costs, names: Sequence[str]) -> Sequence[str | Span]:
    most = max(other.buffers.fewest for other in costs.edges)
    dearest = edge.buffers.fewest == most and any(other.buffers.fewest < most for other in costs.edges)
    return (
        f"{edge.source + 1} -> {edge.target + 1}",
        names[edge.source],
        names[edge.target],
        (edge.ship_strategy, "code"),
        str(edge.channels),
        _remote(edge.remote_channels),
        str(edge.inputs.fewest),
        str(edge.outputs.fewest),
        str(edge.buffers.wanted),
        ("most", "warning") if dearest else "",
    )


def _remote(bounds: tuple[int, int] | None) -> str:
    if bounds is None:
        return ""
    return str(bounds[0]) if bounds[0] == bounds[1] else f"between {bounds[0]} and {bounds[1]}"


def _fullest(costs: Costs) -> list[Line]:
    fullest = costs.fullest
    if fullest is None or not fullest.buffers.fewest:
        return []
    here = "" if costs.certain else ", in this placement"
    size = costs.buffer_size
    need = f"task manager {fullest.task_manager} takes most{here}: {_both(fullest.buffers)} "
    need += f"({memory_words(fullest.buffers.fewest * size)}, {memory_words(fullest.buffers.wanted * size)})"
    if costs.available is None:
        hint = "network_memory under [tool.plan.cluster] in pyproject.toml would be checked against it"
        return [line(f"  {need}"), line((f"  {hint}", "dim"))]
    have = f"  it has {costs.available} ({memory_words(costs.available * size)}): "
    both = " and ".join(NETWORK_MEMORY_OPTIONS)
    if costs.overloaded:
        wanted = memory_words(fullest.buffers.fewest * size, up=True)
        return [
            line(f"  {need}"),
            line(have, ("too few, the job does not start", "error"), f"; set {both} to {wanted} or more"),
        ]
    if costs.hungriest > costs.available:
        wanted = memory_words(costs.hungriest * size, up=True)
        return [
            line(f"  {need}"),
            line(have, ("it starts, but has fewer than it wants", "warning"), f"; set {both} to {wanted}"),
        ]
    return [line(f"  {need}"), line(have, ("enough to run well", "good"))]


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
        readers = _listed(failure.consumers, names) or "nothing"
        lines.append(line(f"    if a subtask of {names[failure.vertex]} fails, what pipelined channels join to it"))
        lines.append(line(f"    restarts, of {_listed(failure.region, names)}, and what reads that: {readers}"))
    return lines


def _listed(vertices: Sequence[int], names: Sequence[str]) -> str:
    shown = ", ".join(names[vertex] for vertex in vertices[:MOST_NAMES])
    return shown if len(vertices) <= MOST_NAMES else f"{shown} and {len(vertices) - MOST_NAMES} more"
