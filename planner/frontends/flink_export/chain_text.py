"""The operators of a vertex, from the text that Flink puts into a job plan.

Flink writes a chain as a tree, one operator per line:

    Source: a<br/>+- parse<br/>   :- x<br/>   :  +- Sink: y<br/>   +- z<br/>

or, with `pipeline.vertex-description-mode: CASCADING`, in one line: `Source: a -&gt; parse -&gt; (x -&gt; Sink: y, z)`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from html import unescape

from planner.records import record

_BREAK = "<br/>"
_BRANCH = re.compile(r"((?::  |   )*)(:- |\+- )")
_INDEX = re.compile(r"^\[vertex-\d+\]")
_ARROW = " -> "
_OPENING, _CLOSING = "([{", ")]}"


@record
class NamedLink:
    """One operator of a chain; `parent` is the position of the upstream operator, None at the head."""

    label: str
    parent: int | None


def read_chain(description: str) -> tuple[NamedLink, ...]:
    """The operators of a vertex, head first, each after its parent."""
    lines = description.split(_BREAK)
    if lines and not lines[-1]:
        lines.pop()
        return tuple(_tree(lines)) or (NamedLink(label="", parent=None),)  # an operator may have no name
    return _cascade(unescape(description).strip())


def read_known_chain(description: str, labels: Collection[str]) -> tuple[NamedLink, ...] | None:
    """The operators of a vertex in one line, where their descriptions are known: these may hold arrows and brackets."""
    line = unescape(description).strip()
    links: list[NamedLink] = []
    forks: list[int] = []
    longest_first = sorted(labels, key=len, reverse=True)
    parent: int | None = None
    at = 0
    while True:
        found = _known_label(line, at, longest_first)
        if found is None:
            return None
        links.append(NamedLink(label=found, parent=parent))
        parent, at = len(links) - 1, at + len(found)
        at += line.startswith((" , ", " )"), at)  # Flink leaves a blank after a chain inside of a fork
        while forks and line.startswith(")", at):
            forks.pop()
            at += 1
        if at == len(line):
            return tuple(links)
        if forks and line.startswith(", ", at):
            parent, at = forks[-1], at + 2
        elif line.startswith(_ARROW, at):
            at += len(_ARROW)
            if line.startswith("(", at) and _known_label(line, at, longest_first) is None:
                forks.append(parent)
                at += 1
        else:
            return None


def _known_label(line: str, at: int, labels: Sequence[str]) -> str | None:
    """The longest label that stands here, with the sources in brackets that a multi-input operator took in."""
    for label in labels:
        if not line.startswith(label, at):
            continue
        end = at + len(label)
        if _ends_label(line, end):
            return label
        if line.startswith(" [", end) and (closed := _known_sources(line, end + 2, labels)) is not None:
            return line[at:closed]
    return None


def _ends_label(line: str, at: int) -> bool:
    return at == len(line) or line.startswith((_ARROW, ", ", ")", " , ", " )"), at)


def _known_sources(line: str, at: int, labels: Sequence[str]) -> int | None:
    """Where the brackets end that hold known labels: `a, b]`. Labels may hold commas and brackets too."""
    seen = {at}
    waiting = [at]
    while waiting:
        begin = waiting.pop()
        for label in labels:
            end = begin + len(label)
            if not label or not line.startswith(label, begin):
                continue
            if line.startswith("]", end) and _ends_label(line, end + 1):
                return end + 1
            if line.startswith(", ", end) and end + 2 not in seen:
                seen.add(end + 2)
                waiting.append(end + 2)
    return None


def read_names(vertex_name: str) -> list[str]:
    """The operators' names in a vertex name, `a -> (b, c)`, in the order of the tree."""
    return [link.label for link in _cascade(_INDEX.sub("", vertex_name))]


def _tree(lines: list[str]) -> Iterator[NamedLink]:
    labels: list[list[str]] = []
    parents: list[int | None] = []
    path: list[int] = []  # the last operator met at each depth
    for line in lines:
        branch = _BRANCH.match(line) if labels else None  # the head has nothing before its name
        if branch is None and labels:  # a name that spans lines
            labels[-1].append(line)
            continue
        depth = 0 if branch is None else len(branch[1]) // 3 + 1
        del path[depth:]
        parents.append(path[-1] if path else None)
        path.append(len(labels))
        labels.append([line if branch is None else line[branch.end() :]])
    for words, parent in zip(labels, parents, strict=True):
        yield NamedLink(label=unescape("\n".join(words)), parent=parent)


def _cascade(line: str) -> tuple[NamedLink, ...]:
    """`a -> b -> (c, d -> e)`; brackets inside of names are skipped as long as they are balanced."""
    links: list[NamedLink] = []
    waiting: list[tuple[str, int | None]] = [(line, None)]
    while waiting:
        part, parent = waiting.pop()
        pieces = _split(part, _ARROW)
        fork = pieces.pop() if len(pieces) > 1 and _is_fork(pieces[-1]) else None
        for piece in pieces:
            links.append(NamedLink(label=piece.rstrip(" "), parent=parent))
            parent = len(links) - 1
        if fork is not None:
            waiting += [(branch, parent) for branch in reversed(_split(fork[1:-1], ", "))]
    return tuple(links)


def _is_fork(piece: str) -> bool:
    return piece.startswith("(") and piece.endswith(")") and len(_split(piece[1:-1], ", ")) > 1


def _split(line: str, separator: str) -> list[str]:
    """The parts of a line between separators that stand outside of all brackets."""
    parts, depth, begin, at = [], 0, 0, 0
    while at < len(line):
        letter = line[at]
        if letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            depth = max(depth - 1, 0)
        elif depth == 0 and line.startswith(separator, at):
            parts.append(line[begin:at])
            at += len(separator)
            begin = at
            continue
        at += 1
    return [*parts, line[begin:]]
