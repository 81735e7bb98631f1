"""JSON with parts that are changed, removed or of another type."""

from __future__ import annotations

import copy
import random
from typing import Any

ODD: list[Any] = [None, True, -1, 0, 10**40, 1.5, "", "x", "NaN", [], {}, [[]], {"id": {}}, "9" * 5_000, float("inf")]


def mutated(document: Any, chance: random.Random) -> Any:
    """The document with one to three places changed."""
    changed = copy.deepcopy(document)
    for _ in range(chance.randint(1, 3)):
        holder, key = chance.choice(list(places(changed)))
        match chance.randint(0, 3):
            case 0 if isinstance(holder, dict):
                del holder[key]
            case 1 if isinstance(holder, list) and holder:
                holder.append(copy.deepcopy(chance.choice(holder)))
            case _:
                holder[key] = copy.deepcopy(chance.choice(ODD))
        if not list(places(changed)):
            break
    return changed


def places(document: Any) -> Any:
    """Every place of a document, as its holder and the key in it."""
    waiting = [document]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for key in keys:
            yield holder, key
            waiting.append(holder[key])
