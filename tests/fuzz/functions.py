"""What the functions of random jobs compute, as Python expressions that scripts and the model share.

`r` is the record. A map is three expressions, one per field.
"""

from __future__ import annotations

__all__ = [
    "ALL_SELECTORS",
    "FILTERS",
    "FLATS",
    "MANY",
    "MAPS",
    "NEWER_SELECTORS",
    "SELECTORS",
    "filters",
    "maps",
]

SAME = ("r[0]", "r[1]", "r[2]")

MAPS: dict[str, dict[str, tuple[str, str, str]]] = {
    "any": {
        "same": SAME,
        "add": ("r[0]", "r[1] + 1", "r[2]"),
        "times": ("r[0]", "r[1] * 3 - 7", "r[2]"),
        "negative": ("r[0]", "-r[1]", "r[2]"),
        "floor": ("r[0]", "r[1] // 4", "r[2]"),
        "rest": ("r[0]", "r[1] % 5", "r[2]"),
        "absolute": ("r[0]", "abs(r[1])", "r[2]"),
        "chosen": ("r[0]", "r[1] if r[1] > 5 else 0", "r[2]"),
        "age": ("r[0]", "r[2] - r[1]", "r[2]"),
    },
    "string": {
        "upper": ("r[0].upper()", "r[1]", "r[2]"),
        "called": ("r[0] + '!'", "r[1]", "r[2]"),
        "first": ("r[0][:1]", "r[1]", "r[2]"),
        "stripped": ("r[0].strip()", "r[1]", "r[2]"),
        "doubled": ("r[0] * 2", "r[1]", "r[2]"),
        "replaced": ("r[0].replace('a', 'ü')", "r[1]", "r[2]"),
        "length": ("r[0]", "len(r[0])", "r[2]"),
        "written": ("f'{r[0]}-{r[1]}'", "r[1]", "r[2]"),
        "numbered": ("r[0] + str(r[1] % 2)", "r[1]", "r[2]"),
    },
    "long": {
        "key_twice": ("r[0] * 2", "r[1]", "r[2]"),
        "key_floor": ("r[0] // 3", "r[1]", "r[2]"),
        "key_rest": ("r[0] % 4", "r[1]", "r[2]"),
        "swapped": ("r[1]", "r[0] % 1000", "r[2]"),
    },
    "double": {"half": ("r[0] / 2", "r[1]", "r[2]")},
    "boolean": {"inverse": ("not r[0]", "r[1]", "r[2]")},
}

FILTERS: dict[str, dict[str, str]] = {
    "any": {
        "even": "r[1] % 2 == 0",
        "large": "r[1] > 10",
        "outside": "r[1] < 0 or r[1] > 3",
        "all": "True",
        "nothing": "False",
        "times": "r[2] % 3 != 1",
    },
    "string": {
        "not_a": "r[0] != 'a'",
        "with_a": "'a' in r[0]",
        "begins": "r[0].startswith('a')",
        "behind_b": "r[0] > 'b'",
    },
    "nullable": {"known": "r[0] is not None"},
    "boolean": {"true": "r[0]"},
}

# records of one record: how many times, and which number the i-th has
FLATS: dict[str, tuple[str, str]] = {
    "twice": ("2", "r[1] + i"),
    "some": ("abs(r[1]) % 3", "i"),
    "none": ("0", "r[1]"),
    "rare": ("1 if r[1] % 4 == 0 else 0", "r[1]"),
}

MANY = {"many": ("300", "r[1] * 300 + i")}

# how a record's key is found; the type is declared where it has one
SELECTORS: dict[str, tuple[str, str | None]] = {
    "field": ("r[0]", None),
    "rest": ("r[1] % 3", "Types.LONG()"),
    "pair": ("(r[0], r[1] % 2)", None),
    "one": ("0", "Types.LONG()"),
    "text": ("'k' + str(r[1] % 4)", "Types.STRING()"),
}
NEWER_SELECTORS: dict[str, tuple[str, str | None]] = {
    "many": ("r[1] % 997", "Types.LONG()"),
    "half": ("r[1] / 2", "Types.DOUBLE()"),
    "sign": ("r[1] > 3", "Types.BOOLEAN()"),
}
ALL_SELECTORS = {**SELECTORS, **NEWER_SELECTORS}


def maps(keys: str) -> dict[str, tuple[str, str, str]]:
    """The maps of records with this kind of key."""
    return {**MAPS["any"], **MAPS.get(keys, {})}


def filters(keys: str) -> dict[str, str]:
    """The filters of records with this kind of key."""
    return {**FILTERS["any"], **FILTERS.get(keys, {})}
