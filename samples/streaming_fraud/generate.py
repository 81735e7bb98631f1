"""Writes payments into files: now and then a small one, and right after it a large one."""

from __future__ import annotations

import random
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "output" / "payments"
START = 1_767_225_600_000  # 2026-01-01


def main(files: int) -> None:
    """One file after the other."""
    chosen = random.Random(3)
    FOLDER.mkdir(parents=True, exist_ok=True)
    now = START
    for number in range(files):
        lines = []
        for _ in range(60):
            now += chosen.randint(500, 4_000)
            account, amount = f"account-{chosen.randint(1, 5)}", round(chosen.uniform(5, 400), 2)
            if chosen.random() < 0.1:
                lines.append(f"{account},{0.3},{now}\n")
                now += chosen.choice((1_000, 90_000))
                amount = 900.0
            lines.append(f"{account},{amount},{now}\n")
        (FOLDER / f".{number:03d}").write_text("".join(lines))
        (FOLDER / f".{number:03d}").rename(FOLDER / f"{number:03d}.csv")  # whole, or not there


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
