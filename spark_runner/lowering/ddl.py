"""The columns that an operator declares, as Spark DDL."""

from __future__ import annotations

__all__ = ["declared_columns"]


def declared_columns(ddl: str) -> tuple[str, ...]:
    """The column names of a Spark DDL string."""
    names, depth, part, quoted = [], 0, "", False
    for character in ddl + ",":
        quoted ^= character == "`"
        if not quoted:
            depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0 and not quoted:
            text = part.strip()
            names.append(
                text[1:].split("`")[0] if text.startswith("`") else text.replace(":", " ").split()[0] if text else ""
            )
            part = ""
        else:
            part += character
    return tuple(names)
