"""The Nexmark queries as somebody writes them with mapInArrow: one loop on each side of every exchange.

Each loop is written for its one query and keeps its state in dictionaries. So it has none of what a plan's operators
bring: functions that are called for every record, state by key, timers, event time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

__all__ = ["QUERIES", "SEPARATE"]

Read = Callable[[str], Any]
SECOND = 1_000


def _loop(work: Callable[[Iterator[tuple[Any, ...]]], Iterator[tuple[Any, ...]]]) -> Callable[[Any], Any]:
    """A loop over all records of a partition, in and out by columns."""

    def run(batches: Any) -> Any:
        import pyarrow as pa

        def records() -> Iterator[tuple[Any, ...]]:
            for batch in batches:
                yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

        made = list(work(records()))
        if made:
            yield pa.RecordBatch.from_arrays(
                [pa.array(column) for column in zip(*made, strict=True)], names=_names(made)
            )

    return run


def _names(made: Sequence[tuple[Any, ...]]) -> list[str]:
    return [f"c{number}" for number in range(len(made[0]))]


def _ddl(*types: str) -> str:
    return ", ".join(f"c{number} {kind}" for number, kind in enumerate(types))


_BID = ("bigint", "bigint", "bigint", "string", "string", "bigint", "string")


def _q0(read: Read) -> Any:
    def run(batches: Any) -> Any:
        import pyarrow as pa

        for batch in batches:
            rows = list(zip(*(column.to_pylist() for column in batch.columns), strict=True))
            arrays = [
                pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), batch.schema.types, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, names=_names(rows))

    return read("bids").mapInArrow(run, _ddl(*_BID))


def _q1(read: Read) -> Any:
    def work(bids: Any) -> Any:
        for auction, bidder, price, _, _, date_time, extra in bids:
            yield auction, bidder, price * 0.908, date_time, extra

    return read("bids").mapInArrow(_loop(work), _ddl("bigint", "bigint", "double", "bigint", "string"))


def _q2(read: Read) -> Any:
    def work(bids: Any) -> Any:
        for auction, _, price, *_ in bids:
            if auction % 123 == 0:
                yield auction, price

    return read("bids").mapInArrow(_loop(work), _ddl("bigint", "bigint"))


def _q2_separate(read: Read) -> Any:
    def keep(bids: Any) -> Any:
        return (bid for bid in bids if bid[0] % 123 == 0)

    def prices(bids: Any) -> Any:
        return ((bid[0], bid[2]) for bid in bids)

    kept = read("bids").mapInArrow(_loop(keep), _ddl(*_BID))
    return kept.mapInArrow(_loop(prices), _ddl("bigint", "bigint"))


def _q3(read: Read) -> Any:
    def work(records: Any) -> Any:
        people: dict[int, tuple[str, str, str]] = {}
        waiting: dict[int, list[int]] = {}
        for person, auction, *named in records:
            if auction is None:
                people[person] = tuple(named)
                yield from ((*named, one) for one in waiting.pop(person, ()))
            elif person in people:
                yield (*people[person], auction)
            else:
                waiting.setdefault(person, []).append(auction)

    near = (
        read("people")
        .where("state IN ('OR', 'ID', 'CA')")
        .selectExpr("id", "cast(null as bigint)", "name", "city", "state")
    )
    empty = ("cast(null as string)",) * 3
    things = read("auctions").where("category = 10").selectExpr("seller", "id", *empty)
    return near.union(things).repartition(2, "id").mapInArrow(_loop(work), _ddl("string", "string", "string", "bigint"))


def _q4(read: Read) -> Any:
    def winners(records: Any) -> Any:
        auctions: dict[int, tuple[int, int, int]] = {}
        offers: dict[int, list[tuple[int, int]]] = {}
        for auction, category, begin, end, price in records:
            if category is not None:
                auctions[auction] = (category, begin, end)
            else:
                offers.setdefault(auction, []).append((price, begin))
        for auction, (category, begin, end) in auctions.items():
            prices = [price for price, time in offers.get(auction, ()) if begin <= time <= end]
            if prices:
                yield category, max(prices)

    def averages(records: Any) -> Any:
        sums: dict[int, list[int]] = {}
        for category, price in records:
            found = sums.setdefault(category, [0, 0])
            found[0] += price
            found[1] += 1
        return ((category, total / count, count) for category, (total, count) in sums.items())

    none = "cast(null as bigint)"
    auctions = read("auctions").selectExpr("id as auction", "category", "date_time", "expires", none)
    bids = read("bids").selectExpr("auction", none, "date_time", none, "price")
    won = auctions.union(bids).repartition(2, "auction").mapInArrow(_loop(winners), _ddl("bigint", "bigint"))
    return won.repartition(2, "c0").mapInArrow(_loop(averages), _ddl("bigint", "double", "bigint"))


def _q5(read: Read) -> Any:
    def count(records: Any) -> Any:
        counts: dict[tuple[int, int], int] = {}
        for auction, time in records:
            first = time // (2 * SECOND) * 2 * SECOND + 2 * SECOND
            for end in range(first, first + 10 * SECOND, 2 * SECOND):
                counts[auction, end] = counts.get((auction, end), 0) + 1
        return ((auction, bids, end) for (auction, end), bids in counts.items())

    def most(records: Any) -> Any:
        best: dict[int, list[tuple[int, int, int]]] = {}
        for one in records:
            held = best.setdefault(one[2], [])
            if not held or one[1] == held[0][1]:
                held.append(one)
            elif one[1] > held[0][1]:
                best[one[2]] = [one]
        return (one for held in best.values() for one in held)

    counts = read("bids").select("auction", "date_time").repartition(2, "auction")
    ddl = _ddl("bigint", "bigint", "bigint")
    return counts.mapInArrow(_loop(count), ddl).repartition(1).mapInArrow(_loop(most), ddl)


def _q7(read: Read) -> Any:
    def highest(records: Any) -> Any:
        best: dict[int, list[tuple[int, ...]]] = {}
        for bid in records:
            window = bid[3] // (10 * SECOND)
            held = best.setdefault(window, [])
            if not held or bid[2] == held[0][2]:
                held.append(bid)
            elif bid[2] > held[0][2]:
                best[window] = [bid]
        return (bid for held in best.values() for bid in held)

    bids = read("bids").select("auction", "bidder", "price", "date_time").repartition(2, "auction")
    ddl = _ddl("bigint", "bigint", "bigint", "bigint")
    return bids.mapInArrow(_loop(highest), ddl).repartition(1).mapInArrow(_loop(highest), ddl)


def _q8(read: Read) -> Any:
    def new_sellers(records: Any) -> Any:
        joined: dict[tuple[int, int], str] = {}
        opened: set[tuple[int, int]] = set()
        for person, name, time in records:
            where = (person, time // (10 * SECOND))
            if name is None:
                opened.add(where)
            else:
                joined[where] = name
        return ((p, name, at * 10 * SECOND) for (p, at), name in joined.items() if (p, at) in opened)

    people = read("people").select("id", "name", "date_time")
    auctions = read("auctions").selectExpr("seller", "cast(null as string)", "date_time")
    both = people.union(auctions).repartition(2, "id")
    return both.mapInArrow(_loop(new_sellers), _ddl("bigint", "string", "bigint"))


def _q11(read: Read) -> Any:
    def sessions(records: Any) -> Any:
        times: dict[int, list[int]] = {}
        for bidder, time in records:
            times.setdefault(bidder, []).append(time)
        for bidder, found in times.items():
            found.sort()
            begin = 0
            for at, time in enumerate(found):
                if at + 1 == len(found) or found[at + 1] > time + 10 * SECOND:
                    yield bidder, at + 1 - begin, found[begin], time
                    begin = at + 1

    bids = read("bids").select("bidder", "date_time").repartition(2, "bidder")
    return bids.mapInArrow(_loop(sessions), _ddl("bigint", "bigint", "bigint", "bigint"))


def _q12(read: Read) -> Any:
    def count(records: Any) -> Any:
        import time

        counts: dict[tuple[int, int], int] = {}
        for (bidder,) in records:
            where = (bidder, int(time.time() * 1_000) // (10 * SECOND))
            counts[where] = counts.get(where, 0) + 1
        return ((b, n, at * 10 * SECOND, (at + 1) * 10 * SECOND) for (b, at), n in counts.items())

    bids = read("bids").select("bidder").repartition(2, "bidder")
    return bids.mapInArrow(_loop(count), _ddl("bigint", "bigint", "bigint", "bigint"))


QUERIES: dict[str, Callable[[Read], Any]] = {
    "q0": _q0, "q1": _q1, "q2": _q2, "q3": _q3, "q4": _q4,
    "q5": _q5, "q7": _q7, "q8": _q8, "q11": _q11, "q12": _q12,
}  # fmt: skip
# Where a query has several operators in a row: one loop for each of them.
SEPARATE: dict[str, Callable[[Read], Any]] = {"q2": _q2_separate}
