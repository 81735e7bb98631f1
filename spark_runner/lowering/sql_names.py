"""Which columns a SQL expression reads, where that is plain to see. Spark itself reads SQL only once it has started.

Anything beyond operators, literals and ordinary calls is left to Spark: a wrong guess would refuse a good job.
"""

from __future__ import annotations

import re

__all__ = ["columns_read"]

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<text>'(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.)*") | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[A-Za-z]{0,2}\b)
    | (?P<quoted>`(?:[^`]|``)+`) | (?P<name>[A-Za-z_]\w*) | (?P<sign><=>|<>|!=|<=|>=|==|\|\||[-+*/%=<>!(),])
    )""",
    re.VERBOSE,
)
_WORDS = frozenset(("and", "or", "not", "is", "null", "in", "between", "like", "rlike", "true", "false", "div"))
_WITHOUT_PARENTHESES = re.compile(r"(?i)(?:current_|local|session_)\w+|user|_metadata")
# calls and words with a grammar of their own: what stands around them may be types, units or keywords
_SPECIAL = re.compile(
    r"(?i)(?:try_)?cast|extract|trim|position|overlay|substr(?:ing)?|timestamp(?:add|diff)|date_?(?:add|diff)"
    r"|(?:named_)?struct|transform|filter|exists|aggregate|reduce|interval|case|when|then|else|end|date|timestamp"
)


def columns_read(sql: str) -> frozenset[str] | None:
    """The names an expression reads as columns; None where only Spark can tell."""
    tokens = _tokens(sql)
    if tokens is None:
        return None
    found = set()
    for at, (kind, token) in enumerate(tokens):
        before, after = (tokens[n] if 0 <= n < len(tokens) else ("", "") for n in (at - 1, at + 1))
        if kind == "quoted":
            found.add(token[1:-1].replace("``", "`"))
        if kind != "name" or token.lower() in _WORDS:
            continue
        if _SPECIAL.fullmatch(token) or _is_operand(before) or (_is_operand(after) and after[1] != "("):
            return None
        if after[1] != "(" and not _WITHOUT_PARENTHESES.fullmatch(token):
            found.add(token)
    return frozenset(found)


def _is_operand(token: tuple[str, str]) -> bool:
    """Whether a name next to this token cannot be a column: two operands never stand side by side."""
    kind, text = token
    return kind in ("text", "number", "quoted") or (kind == "name" and text.lower() not in _WORDS)


def _tokens(sql: str) -> list[tuple[str, str]] | None:
    found, at, end = [], 0, len(sql.rstrip())
    while at < end:
        match = _TOKEN.match(sql, at)
        if match is None or match.end() == at:
            return None
        kind = str(match.lastgroup)
        found.append((kind, match[kind]))
        at = match.end()
    return found
