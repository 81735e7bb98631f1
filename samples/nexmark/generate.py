"""Writes the events of an auction house: python generate.py [EVENTS] [--to FOLDER] [--files N] [--pause SECONDS].

Of every fifty events one is a new person, three are new auctions and forty-six are bids. The same seed gives the same
events. Popular auctions, sellers and bidders get most of the traffic, and a few ids are used before they exist.
"""

from __future__ import annotations

import argparse
import random
import string
import time
from collections.abc import Iterator
from pathlib import Path

PERSONS, AUCTIONS, BIDS = 1, 3, 46
ROUND = PERSONS + AUCTIONS + BIDS
START = 1_767_225_600_000  # 2026-01-01
MILLIS = 20  # between two events
FIRST = 1_000  # the first id of people and of auctions
FIRST_CATEGORY, CATEGORIES = 10, 5
ACTIVE_PEOPLE, OPEN_AUCTIONS = 1_000, 100
LEAD = 10  # ids that may be used before they exist
HOT = 100  # every hundredth auction, seller and bidder is a popular one
HOT_AUCTION_BIDS, HOT_SELLER_AUCTIONS, HOT_BIDDER_BIDS = 1 / 2, 3 / 4, 3 / 4

FIRST_NAMES = ("Ada", "Bela", "Chen", "Dana", "Edgar", "Fatma", "Grace", "Hugo", "Ines", "Jonas", "Kofi")
LAST_NAMES = ("Abel", "Brandt", "Costa", "Duval", "Eriksen", "Fischer", "Garcia", "Hale", "Ivanov")
CITIES = ("Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Seattle", "Kent", "Cheyenne")
STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
CHANNELS = ("Apple", "Google", "Facebook", "Baidu")

Record = tuple[str | int, ...]


class Generator:
    """The events in their order, each a table's name and a record of it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def events(self, count: int) -> Iterator[tuple[str, Record]]:
        """The first so many events."""
        for number in range(count):
            at, now = number % ROUND, START + number * MILLIS
            if at < PERSONS:
                yield "people", self._person(number, now)
            elif at < PERSONS + AUCTIONS:
                yield "auctions", self._auction(number, now)
            else:
                yield "bids", self._bid(number, now)

    def _person(self, number: int, now: int) -> Record:
        chosen = self.random
        name = f"{chosen.choice(FIRST_NAMES)} {chosen.choice(LAST_NAMES)}"
        email = f"{self._letters(7)}@{self._letters(5)}.com"
        card = " ".join(f"{chosen.randrange(10_000):04}" for _ in range(4))
        place = (chosen.choice(CITIES), chosen.choice(STATES))
        return FIRST + _last_person(number), name, email, card, *place, now, self._letters(20)

    def _auction(self, number: int, now: int) -> Record:
        chosen = self.random
        last = _last_person(number)
        seller = last // HOT * HOT if chosen.random() < HOT_SELLER_AUCTIONS else self._some_person(number)
        first_price = self._price()
        length = OPEN_AUCTIONS * ROUND // AUCTIONS * MILLIS  # until so many more auctions are opened
        expires = now + 1 + chosen.randrange(2 * length)
        category = FIRST_CATEGORY + chosen.randrange(CATEGORIES)
        texts = (self._letters(12), self._letters(30))
        prices = (first_price, first_price + self._price())
        return FIRST + _last_auction(number), *texts, *prices, now, expires, FIRST + seller, category, self._letters(20)

    def _bid(self, number: int, now: int) -> Record:
        chosen = self.random
        last = _last_auction(number)
        if chosen.random() < HOT_AUCTION_BIDS:
            auction = last // HOT * HOT
        else:
            oldest = max(last - OPEN_AUCTIONS, 0)
            auction = oldest + chosen.randrange(last - oldest + 1 + LEAD)
        if chosen.random() < HOT_BIDDER_BIDS:
            bidder = _last_person(number) // HOT * HOT + 1
        else:
            bidder = self._some_person(number)
        channel = chosen.choice(CHANNELS)
        url = f"https://www.nexmark.example/item?id={chosen.randrange(10_000)}"
        return FIRST + auction, FIRST + bidder, self._price(), channel, url, now, self._letters(10)

    def _some_person(self, number: int) -> int:
        people = _last_person(number) + 1
        active = min(people, ACTIVE_PEOPLE)
        return people - active + self.random.randrange(active + LEAD)

    def _price(self) -> int:
        """Cents: from one dollar to a million, all magnitudes alike."""
        return round(100 * 10 ** (6 * self.random.random()))

    def _letters(self, length: int) -> str:
        return "".join(self.random.choices(string.ascii_lowercase, k=length))


def _last_person(number: int) -> int:
    """The newest person when this event happens, counted from 0."""
    return number // ROUND * PERSONS


def _last_auction(number: int) -> int:
    """The newest auction when this event happens, counted from 0; itself, if the event is one."""
    rounds, at = divmod(number, ROUND)
    return rounds * AUCTIONS + min(at - PERSONS, AUCTIONS - 1) if at >= PERSONS else rounds * AUCTIONS - 1


def write(folder: Path, *, events: int, files: int = 1, seed: int = 42, pause: float = 0) -> None:
    """The three tables, each a folder of CSV files; a running stream picks up one file after the other."""
    made = Generator(seed).events(events)
    for number in range(files):
        lines: dict[str, list[str]] = {"people": [], "auctions": [], "bids": []}
        for _ in range(number * events // files, (number + 1) * events // files):
            table, record = next(made)
            lines[table].append(",".join(map(str, record)) + "\n")
        for table, written in lines.items():
            (folder / table).mkdir(parents=True, exist_ok=True)
            hidden = folder / table / f".{number:05}.csv"
            hidden.write_text("".join(written), encoding="utf-8")
            hidden.rename(folder / table / f"{number:05}.csv")  # whole, or not there
        time.sleep(pause)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Write the events of an auction house as CSV files.")
    parser.add_argument("events", nargs="?", type=int, default=100_000)
    parser.add_argument("--to", type=Path, default=Path(__file__).parent / "output" / "events", metavar="FOLDER")
    parser.add_argument("--files", type=int, default=4, help="of each table")
    parser.add_argument("--pause", type=float, default=0, help="seconds between two files")
    parser.add_argument("--seed", type=int, default=42)
    options = parser.parse_args()
    write(options.to, events=options.events, files=options.files, seed=options.seed, pause=options.pause)
    print(f"{options.events} events in {options.to}")


if __name__ == "__main__":
    main()
