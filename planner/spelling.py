"""Suggestions for mistyped words. No suggestion is better than a wild one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["did_you_mean", "nearest", "nearest_or_all"]

_CUTOFF: Final = 0.65  # by difflib: keeps two swapped letters in a word of three, drops `chek` for `schema`
_LONGEST: Final = 100  # comparing takes time that grows with the square of the length
_SHOWN: Final = 20


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` is most likely a misspelling of; None where none is near."""
    import difflib  # only for mistakes

    spelled = {_plain(each): each for each in reversed(list(known))}
    close = difflib.get_close_matches(_plain(word)[:_LONGEST], spelled, n=1, cutoff=_CUTOFF)
    return spelled[close[0]] if close else None


def _plain(word: str) -> str:
    """A word without what people mistype without meaning it: its case, and `-` for `_`."""
    return word.lower().replace("-", "_")


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A hint with the nearest known word; None where none is near."""
    close = nearest(word, known)
    return f"did you mean `{close}`?" if close else None


def nearest_or_all(word: str, known: Iterable[str], what: str = "known") -> str:
    """A hint with the nearest known word, else with the words there are (`what` introduces them)."""
    words = list(dict.fromkeys(known))
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return did_you_mean(word, words) or f"{what}: {', '.join(words[:_SHOWN])}{more}"
