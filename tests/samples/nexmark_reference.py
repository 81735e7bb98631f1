"""The Nexmark queries in plain Python over whole tables: what every run has to give, as rows in no particular order."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

SECOND = 1_000


class Person(NamedTuple):
    id: int
    name: str
    email_address: str
    credit_card: str
    city: str
    state: str
    date_time: int
    extra: str


class Auction(NamedTuple):
    id: int
    item_name: str
    description: str
    initial_bid: int
    reserve: int
    date_time: int
    expires: int
    seller: int
    category: int
    extra: str


class Bid(NamedTuple):
    auction: int
    bidder: int
    price: int
    channel: str
    url: str
    date_time: int
    extra: str


class Tables(NamedTuple):
    """Everything that was generated."""

    people: list[Person]
    auctions: list[Auction]
    bids: list[Bid]


Row = dict[str, object]


def read(folder: Path) -> Tables:
    """The tables that the generator wrote."""
    return Tables(
        people=[Person(*row) for row in _rows(folder / "people", Person)],
        auctions=[Auction(*row) for row in _rows(folder / "auctions", Auction)],
        bids=[Bid(*row) for row in _rows(folder / "bids", Bid)],
    )


def _rows(folder: Path, kind: type[tuple[object, ...]]) -> Iterator[list[object]]:
    types = kind.__annotations__.values()
    for file in sorted(folder.glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.reader(lines):
                yield [int(text) if "int" in str(each) else text for text, each in zip(row, types, strict=True)]


def q0(tables: Tables) -> list[Row]:
    return [bid._asdict() for bid in tables.bids]


def q1(tables: Tables) -> list[Row]:
    return [
        {
            "auction": bid.auction,
            "bidder": bid.bidder,
            "price": bid.price * 0.908,
            "date_time": bid.date_time,
            "extra": bid.extra,
        }
        for bid in tables.bids
    ]


def q2(tables: Tables) -> list[Row]:
    return [{"auction": bid.auction, "price": bid.price} for bid in tables.bids if bid.auction % 123 == 0]


def q3(tables: Tables) -> list[Row]:
    near = {person.id: person for person in tables.people if person.state in {"OR", "ID", "CA"}}
    return [
        {"name": near[a.seller].name, "city": near[a.seller].city, "state": near[a.seller].state, "auction": a.id}
        for a in tables.auctions
        if a.category == 10 and a.seller in near
    ]


def q4(tables: Tables) -> list[Row]:
    offered = defaultdict(list)
    for bid in tables.bids:
        offered[bid.auction].append(bid)
    won = defaultdict(list)
    for auction in tables.auctions:
        prices = [bid.price for bid in offered[auction.id] if auction.date_time <= bid.date_time <= auction.expires]
        if prices:
            won[auction.category].append(max(prices))
    return [{"category": c, "average": sum(prices) / len(prices), "auctions": len(prices)} for c, prices in won.items()]


def q5(tables: Tables) -> list[Row]:
    windows: dict[int, Counter[int]] = defaultdict(Counter)
    for bid in tables.bids:
        first_end = bid.date_time // (2 * SECOND) * 2 * SECOND + 2 * SECOND
        for end in range(first_end, first_end + 10 * SECOND, 2 * SECOND):
            windows[end][bid.auction] += 1
    return [
        {"auction": auction, "bids": count, "until": end}
        for end, counted in windows.items()
        for auction, count in counted.items()
        if count == max(counted.values())
    ]


def q7(tables: Tables) -> list[Row]:
    windows = defaultdict(list)
    for bid in tables.bids:
        windows[bid.date_time // (10 * SECOND)].append(bid)
    return [
        {"auction": bid.auction, "bidder": bid.bidder, "price": bid.price, "date_time": bid.date_time}
        for offered in windows.values()
        for bid in offered
        if bid.price == max(each.price for each in offered)
    ]


def q8(tables: Tables) -> list[Row]:
    opened = {(auction.seller, auction.date_time // (10 * SECOND)) for auction in tables.auctions}
    return [
        {"person": person.id, "name": person.name, "since": window * 10 * SECOND}
        for person in tables.people
        for window in [person.date_time // (10 * SECOND)]
        if (person.id, window) in opened
    ]


def q11(tables: Tables) -> list[Row]:
    times = defaultdict(list)
    for bid in tables.bids:
        times[bid.bidder].append(bid.date_time)
    sessions: list[Row] = []
    for bidder, moments in times.items():
        moments.sort()
        begin = 0
        for at, moment in enumerate(moments):
            # a session's windows touch: one that begins where another ends still belongs to it
            if at + 1 == len(moments) or moments[at + 1] > moment + 10 * SECOND:
                found = {"bidder": bidder, "bids": at + 1 - begin, "first_bid": moments[begin], "last_bid": moment}
                sessions.append(found)
                begin = at + 1
    return sessions


def q12(tables: Tables) -> list[Row]:
    """Windows of the clock differ from run to run: only their sums are known."""
    return [{"bidder": bidder, "bids": count} for bidder, count in Counter(bid.bidder for bid in tables.bids).items()]


QUERIES: dict[str, Callable[[Tables], list[Row]]] = {
    "q0": q0, "q1": q1, "q2": q2, "q3": q3, "q4": q4, "q5": q5, "q7": q7, "q8": q8, "q11": q11, "q12": q12,
}  # fmt: skip


def comparable(query: str, rows: list[Row], *, updates: bool = False) -> list[tuple[object, ...]]:
    """Rows of a run or of the reference, so that equal results are equal lists."""
    if query == "q12":
        rows = _summed(rows)
    if query == "q4" and updates:  # a stream gives an average again with every auction that closes: the last one counts
        latest = {row["category"]: row for row in sorted(rows, key=lambda row: str(row["auctions"]).zfill(12))}
        rows = list(latest.values())
    return sorted(tuple(sorted(row.items())) for row in rows)


def _summed(rows: list[Row]) -> list[Row]:
    sums: Counter[object] = Counter()
    for row in rows:
        assert "end" not in row or (row["end"] - row["begin"], row["end"] % (10 * SECOND)) == (10 * SECOND, 0)  # type: ignore[operator]
        sums[row["bidder"]] += row["bids"]  # type: ignore[assignment,operator]
    return [{"bidder": bidder, "bids": count} for bidder, count in sums.items()]
