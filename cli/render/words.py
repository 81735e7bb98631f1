"""Small pieces of wording that the text renderers share."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 channel", "2 channels"."""
    ending = "" if number == 1 else "es" if noun.endswith(("x", "s")) else "s"
    return f"{number:,} {noun}{ending}".replace(",", " ") if number >= 10_000 else f"{number} {noun}{ending}"


def shell_word(word: str) -> str:
    """The word as a shell would read it back."""
    from shlex import quote  # only for advice

    return quote(word)


def parallelism_words(parallelism: int) -> str:
    """A parallelism in words; batch mode may leave it open."""
    return f"parallelism {parallelism}" if parallelism > 0 else "parallelism decided at run time"


def max_parallelism_words(max_parallelism: int) -> str:
    """A max parallelism in words."""
    return str(max_parallelism) if max_parallelism > 0 else "unset"


def records_words(number: int | None) -> str:
    """A number of records; a running job may not tell it."""
    return "?" if number is None else f"{number:,}".replace(",", " ")


def memory_words(size: int, *, up: bool = False) -> str:
    """Bytes in words: "96 KiB", "1.5 MiB"; rounded up where it says what to give."""
    unit, power = next(
        (
            (name, 1 << shift)
            for name, shift in (("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10))
            if size >= 1 << shift
        ),
        ("bytes", 1),
    )
    tenths = -(-size * 10 // power) if up else (size * 10 + power // 2) // power
    return f"{tenths // 10} {unit}" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10} {unit}"
