"""Operator ids that are proven: where Flink's own hash, computed from the plan, meets an id that Flink told.

The id of a chain's head is told: it is the vertex id. A generated id mixes in the ids of all inputs, so a head whose
computed id equals its vertex id proves every id upstream. Ids after the last such head stay untold, because a
`uid` would change them unseen. Two things are not in the exports and are tried out: which operators have a uid, and the
order of an operator's outputs.

With the same hash `find_origins` tells which operator of a chain feeds an exchange, where only the job plan is known:
the operator for which the computed id is the vertex id.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations, product

from planner.frontends.flink_export.job_plan import JobPlan
from planner.frontends.flink_export.stream_plan import PlanEdge, PlanNode, StreamPlan
from planner.graphs.operator_ids import generated_id

MOST_ORDERS = 400  # of outputs that are tried
MOST_NODES = 200_000  # hashed in all tries together
Order = Mapping[int, tuple[int, ...]]


def prove_ids(
    plan: StreamPlan, chained: Sequence[bool | None], heads: Mapping[int, str], siblings: Mapping[int, Sequence[int]]
) -> dict[int, str]:
    """Operator ids by position in the plan: of heads, as told in `heads`, and of what is upstream of a proven head.

    `siblings` has, by operator, its chained targets in the order in which Flink lists them.
    """
    told = dict(heads)
    if any(verdict is None for verdict in chained):
        return told
    known = {node: bytes.fromhex(text) for node, text in heads.items()}
    for order in _orders(plan, siblings):
        told |= _proven(plan, chained, known, order)[1]
        if len(told) == len(plan.nodes):
            break
    return told


def wholly_proven(
    plan: StreamPlan, chained: Sequence[bool | None], heads: Mapping[int, str], siblings: Mapping[int, Sequence[int]]
) -> tuple[frozenset[int], dict[int, str]]:
    """The heads that are proven together with all heads upstream of them, by one order of outputs, and the ids then.

    Stricter than `prove_ids`: for graphs that are themselves a guess, where a wrong one may fit a single id by chance.
    """
    known = {node: bytes.fromhex(text) for node, text in heads.items()}
    best: tuple[frozenset[int], dict[int, str]] = frozenset(), {}
    for order in islice(_orders(plan, siblings), 2):
        hashes, computed = _walk(plan, chained, known, order, set())
        proven = frozenset(
            node
            for node in known
            if plan.into[node] and all(computed.get(one) == known[one] for one in _heads_up_to(plan, node, known))
        )
        if len(proven) > len(best[0]):
            told = {node: hashes[node].hex() for node in _upstream_of(plan, set(proven), {}) if node in hashes}
            best = proven, told
    return best


def _heads_up_to(plan: StreamPlan, node: int, known: Mapping[int, bytes]) -> list[int]:
    """A head and all heads upstream of it."""
    return [one for one in _upstream_of(plan, {node}, {}) if one in known]


def provable_heads(
    plan: StreamPlan,
    chained: Sequence[bool | None],
    heads: Mapping[int, str],
    siblings: Mapping[int, Sequence[int]],
    most_nodes: int,
) -> Iterator[frozenset[int]]:
    """By order of outputs, the heads that get exactly the id that Flink told. At most `most_nodes` ids are computed."""
    known = {node: bytes.fromhex(text) for node, text in heads.items()}
    for order in _orders(plan, siblings, most_nodes):
        yield frozenset(_proven(plan, chained, known, order)[0])


def _proven(
    plan: StreamPlan, chained: Sequence[bool | None], known: Mapping[int, bytes], order: Order
) -> tuple[set[int], dict[int, str]]:
    """The heads and the ids that one order proves. Heads that do not fit are taken to have a uid, one by one."""
    named: set[int] = set()
    while True:
        hashes, computed = _walk(plan, chained, known, order, named)
        proven = {node for node, digest in computed.items() if known.get(node) == digest}
        wrong = [node for node in hashes if node in known and node not in proven and node not in named]
        if not wrong or len(named) > 20:
            break
        named.add(wrong[0])
    return proven, {node: hashes[node].hex() for node in _upstream_of(plan, proven, known) if node in hashes}


def _walk(
    plan: StreamPlan, chained: Sequence[bool | None], known: Mapping[int, bytes], order: Order, named: set[int]
) -> tuple[dict[int, bytes], dict[int, bytes]]:
    """Flink's breadth-first walk: the id used for each operator, and the generated ones before a told id took over."""
    hashes: dict[int, bytes] = {}
    computed: dict[int, bytes] = {}
    sources = (node for node in range(len(plan.nodes)) if not plan.into[node])
    waiting = deque(sorted(sources, key=lambda node: plan.nodes[node].id))
    seen = set(waiting)
    while waiting:
        node = waiting.popleft()
        if node not in named:
            inputs = [plan.edges[edge].source for edge in plan.into[node]]
            if any(source not in hashes for source in inputs):
                seen.discard(node)
                continue
            links = sum(bool(chained[e]) and len(plan.into[plan.edges[e].target]) == 1 for e in plan.out[node])
            computed[node] = generated_id(len(hashes), links, [hashes[source] for source in inputs])
        hashes[node] = known.get(node) or computed[node]
        for target in order[node]:
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return hashes, computed


def _upstream_of(plan: StreamPlan, proven: set[int], known: Mapping[int, bytes]) -> set[int]:
    """The proven heads and all upstream of them, up to a head whose own id was told and not computed."""
    found = set(proven)
    waiting = list(proven)
    while waiting:
        for edge in plan.into[waiting.pop()]:
            source = plan.edges[edge].source
            if source not in found and source not in known:
                found.add(source)
                waiting.append(source)
    return found


def _orders(plan: StreamPlan, siblings: Mapping[int, Sequence[int]], most_nodes: int = MOST_NODES) -> Iterator[Order]:
    """Possible orders of every operator's outputs, the likely ones first, and no more than can be tried."""
    tries = max(1, min(MOST_ORDERS, most_nodes // max(1, len(plan.nodes))))
    return islice(_all_orders(plan, siblings), tries)


def _all_orders(plan: StreamPlan, siblings: Mapping[int, Sequence[int]]) -> Iterator[Order]:
    by_id = {node: tuple(plan.edges[edge].target for edge in edges) for node, edges in enumerate(plan.out)}
    yield by_id
    yield _sinks_first(plan)
    choices = [list(_permuted(plan, targets, siblings.get(node, ()))) for node, targets in by_id.items()]
    for chosen in product(*choices):
        yield dict(zip(by_id, chosen, strict=True))


def _permuted(plan: StreamPlan, targets: tuple[int, ...], listed: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The orders of one operator's outputs that keep chained outputs as Flink lists them, and twins by their ids."""
    if len(targets) > 5:
        yield targets
        return
    twins: dict[str, list[int]] = {}
    for target in targets:
        twins.setdefault(plan.nodes[target].description, []).append(target)
    fixed = [tuple(one for one in listed if one in targets), *(tuple(one) for one in twins.values())]
    for order in permutations(targets):
        if all(tuple(target for target in order if target in kept) == kept for kept in fixed):
            yield order


def _sinks_first(plan: StreamPlan) -> Order:
    """The order in which SQL adds operators: from each sink back through its inputs, an operator after its inputs."""
    added: list[int] = []
    done: set[int] = set()
    ends = sorted((n for n in range(len(plan.nodes)) if not plan.out[n]), key=lambda n: plan.nodes[n].id)
    stack = [(node, iter(plan.into[node])) for node in reversed(ends)]
    while stack:
        node, inputs = stack[-1]
        following = next((plan.edges[e].source for e in inputs if plan.edges[e].source not in done), None)
        if following is not None:
            stack.append((following, iter(plan.into[following])))
            continue
        stack.pop()
        if node not in done:
            done.add(node)
            added.append(node)
    rank = {node: place for place, node in enumerate(added)}
    return {
        node: tuple(sorted((plan.edges[edge].target for edge in edges), key=rank.__getitem__))
        for node, edges in enumerate(plan.out)
    }


_HASH = re.compile("[0-9a-f]{32}")
MOST_OPERATORS = 500  # of a job: the search takes the square of it
MOST_INPUTS = 4  # of a vertex whose inputs are tried in every order
TriedInputs = tuple[tuple[int, int], ...]  # of a vertex, in the order in which Flink counts them: input and its origin


def find_origins(job: JobPlan) -> tuple[dict[tuple[int, int], int], dict[int, str]]:
    """By vertex and input, the operator that feeds it; and the operator ids that are proven with these origins.

    Operators are counted over all vertices in their order.
    """
    first = _first_operators(job)
    if sum(len(vertex.links) for vertex in job.vertices) > MOST_OPERATORS:
        return {}, {}
    heads = {first[place]: vertex.id for place, vertex in enumerate(job.vertices) if _HASH.fullmatch(vertex.id)}
    chosen = {
        place: tuple((number, _last(job, first, one.source)) for number, one in enumerate(vertex.inputs))
        for place, vertex in enumerate(job.vertices)
    }
    for place, vertex in enumerate(job.vertices):  # an id depends only on what is upstream: earlier choices stay
        if not vertex.inputs or first[place] in _proven_with(job, first, chosen, heads)[0]:
            continue
        for inputs in _alternatives(job, first, place):
            tried = {**chosen, place: inputs}
            if first[place] in _proven_with(job, first, tried, heads)[0]:
                chosen = tried
                break
    proven, ids = _proven_with(job, first, chosen, heads)
    certain = {
        (place, number): origin
        for place, inputs in chosen.items()
        for number, origin in inputs
        if first[place] in proven
    }
    return certain, ids


def _last(job: JobPlan, first: Sequence[int], vertex: int) -> int:
    return first[vertex] + len(job.vertices[vertex].links) - 1


def _first_operators(job: JobPlan) -> list[int]:
    found, count = [], 0
    for vertex in job.vertices:
        found.append(count)
        count += len(vertex.links)
    return found


def _proven_with(
    job: JobPlan, first: Sequence[int], chosen: Mapping[int, TriedInputs], heads: Mapping[int, str]
) -> tuple[frozenset[int], dict[int, str]]:
    plan, chained = _plan_with(job, first, chosen)
    return wholly_proven(plan, chained, heads, _listed_targets(job, first))


def _alternatives(job: JobPlan, first: Sequence[int], place: int) -> Iterator[TriedInputs]:
    """Other inputs for one vertex: every order of them, and at most one origin that is not the end of its chain."""
    inputs = job.vertices[place].inputs
    ends = tuple((number, _last(job, first, one.source)) for number, one in enumerate(inputs))
    for order in permutations(ends) if len(ends) <= MOST_INPUTS else (ends,):
        yield order
        for at, (number, end) in enumerate(order):
            begin = first[inputs[number].source]
            for origin in range(begin, end):
                yield (*order[:at], (number, origin), *order[at + 1 :])


def _plan_with(
    job: JobPlan, first: Sequence[int], chosen: Mapping[int, TriedInputs]
) -> tuple[StreamPlan, list[bool | None]]:
    """The stream plan that the job would have with these origins."""
    nodes: list[PlanNode] = []
    edges: list[PlanEdge] = []
    chained: list[bool | None] = []
    turns = _turns(job)
    for place, vertex in enumerate(job.vertices):
        for number, origin in chosen[place]:
            edges.append(PlanEdge(source=origin, target=first[place], ship=vertex.inputs[number].ship))
            chained.append(False)
        for number, link in enumerate(vertex.links):
            node = first[place] + number
            turn = turns[place] if link.parent is None and not vertex.inputs else node
            nodes.append(PlanNode(id=turn, name=link.label, description=link.label, parallelism=vertex.parallelism))
            if link.parent is not None:
                edges.append(PlanEdge(source=first[place] + link.parent, target=node, ship="FORWARD"))
                chained.append(True)
    return StreamPlan(nodes=tuple(nodes), edges=tuple(edges)), chained


def _turns(job: JobPlan) -> list[int]:
    """By vertex, a number in the order in which Flink begins at the sources: the id of a source tells its turn."""
    total = sum(len(vertex.links) for vertex in job.vertices)
    found = []
    for place, vertex in enumerate(job.vertices):
        links = sum(link.parent == 0 for link in vertex.links)
        turns = (turn for turn in range(total) if generated_id(turn, links, ()).hex() == vertex.id)
        found.append(next(turns, total + place) - 2 * total if not vertex.inputs else place)
    return found


def _listed_targets(job: JobPlan, first: Sequence[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for place, vertex in enumerate(job.vertices):
        for number, link in enumerate(vertex.links):
            if link.parent is not None:
                found.setdefault(first[place] + link.parent, []).append(first[place] + number)
    return found
