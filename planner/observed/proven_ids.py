"""Operator ids that are proven: where Flink's own hash, computed from the plan, meets an id that Flink told.

The id of a chain's head is told: it is the vertex id. A generated id mixes in the ids of all inputs, so a head whose
computed id equals its vertex id proves every id in front of it. Ids behind the last such head stay untold, because a
`uid` would change them unseen. Two things are not in the exports and are tried out: which operators have a uid, and the
order of an operator's outputs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations, product

from planner.frontends.flink_export.stream_plan import StreamPlan
from planner.graphs.operator_ids import generated_id

MOST_ORDERS = 400  # of outputs that are tried
MOST_NODES = 200_000  # hashed in all tries together
Order = Mapping[int, tuple[int, ...]]


def prove_ids(
    plan: StreamPlan, chained: Sequence[bool | None], heads: Mapping[int, str], siblings: Mapping[int, Sequence[int]]
) -> dict[int, str]:
    """Operator ids by position in the plan: of heads, as told in `heads`, and of what stands in front of a proven head.

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
    """The heads that are proven together with all heads in front of them, by one order of outputs, and the ids then.

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
            told = {node: hashes[node].hex() for node in _in_front_of(plan, set(proven), {}) if node in hashes}
            best = proven, told
    return best


def _heads_up_to(plan: StreamPlan, node: int, known: Mapping[int, bytes]) -> list[int]:
    """A head and all heads in front of it."""
    return [one for one in _in_front_of(plan, {node}, {}) if one in known]


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
    return proven, {node: hashes[node].hex() for node in _in_front_of(plan, proven, known) if node in hashes}


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


def _in_front_of(plan: StreamPlan, proven: set[int], known: Mapping[int, bytes]) -> set[int]:
    """The proven heads and all in front of them, up to a head whose own id was told and not computed."""
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
    """The order in which SQL adds operators: from each sink back through its inputs, an operator behind its inputs."""
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
