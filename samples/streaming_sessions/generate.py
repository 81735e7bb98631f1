"""Writes clicks into files, out of order and some of them very late: python generate.py [FILES]."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent / "output" / "clicks"
START = 1_767_225_600_000  # 2026-01-01


def main(files: int) -> None:
    """One file after the other; a job that runs meanwhile picks them up."""
    chosen = random.Random(7)
    FOLDER.mkdir(parents=True, exist_ok=True)
    now = START
    for number in range(files):
        lines = []
        for _ in range(40):
            now += chosen.randint(0, 1_500)
            behind = chosen.choice((0, 0, 0, 0, chosen.randint(0, 4_000), chosen.randint(30_000, 90_000)))
            lines.append(f"{chosen.choice(('ann', 'bob', 'eve'))},{now - behind}\n")
        (FOLDER / f".{number:03d}").write_text("".join(lines))
        (FOLDER / f".{number:03d}").rename(FOLDER / f"{number:03d}.csv")  # whole, or not there
        time.sleep(0.05)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6)
