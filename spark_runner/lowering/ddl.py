"""The columns that an operator declares, as Spark DDL."""

from __future__ import annotations

__all__ = ["declared_columns", "declared_fields"]


def declared_columns(ddl: str) -> tuple[str, ...]:
    """The column names of a Spark DDL string."""
    return tuple(name for name, _ in declared_fields(ddl))


def declared_fields(ddl: str) -> tuple[tuple[str, str], ...]:
    """The names and types of a Spark DDL string."""
    fields, depth, part, quoted = [], 0, "", False
    for character in ddl + ",":
        quoted ^= character == "`"
        if not quoted:
            depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0 and not quoted:
            fields.append(_field(part.strip()))
            part = ""
        else:
            part += character
    return tuple(fields)


def _field(text: str) -> tuple[str, str]:
    if text.startswith("`"):
        name, _, rest = text[1:].partition("`")
        return name, rest.strip().removeprefix(":").strip()
    words = text.replace(":", " ", 1).split(maxsplit=1)
    return words[0] if words else "", words[1].strip() if len(words) > 1 else ""
