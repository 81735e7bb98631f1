"""Small pieces of wording that the text renderers share."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 channel", "2 channels"."""
    ending = "" if number == 1 else "es" if noun.endswith(("x", "s")) else "s"
    return f"{number:,} {noun}{ending}".replace(",", " ") if number >= 10_000 else f"{number} {noun}{ending}"


def parallelism_words(parallelism: int) -> str:
    """A parallelism in words; batch mode may leave it open."""
    return f"parallelism {parallelism}" if parallelism > 0 else "parallelism decided at run time"


def max_parallelism_words(max_parallelism: int) -> str:
    """A max parallelism in words."""
    return str(max_parallelism) if max_parallelism > 0 else "unset"
