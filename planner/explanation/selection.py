"""Picking edges by `A:B`, where A and B are what a user calls the two operators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.errors import OptionError
from planner.explanation.edges import EdgeExplanation
from planner.operators import OperatorRef, matches, no_operator

__all__ = ["select_edges", "splits"]


def select_edges(edges: Sequence[EdgeExplanation], wanted: str) -> list[EdgeExplanation]:
    """The edges between two operators; an OptionError where none or different ones are meant."""
    operators = {ref.node: ref for edge in edges for ref in (*edge.sources, edge.target)}
    readings = list(splits(wanted))
    if not readings:
        raise OptionError(f"--edge {wanted}: not of the form A:B", hint="for example --edge map:sink")
    for before, after in readings:
        sources = {ref.node for ref in matches(before, operators.values())}
        targets = {ref.node for ref in matches(after, operators.values())}
        found = [
            edge for edge in edges if edge.target.node in targets and any(ref.node in sources for ref in edge.sources)
        ]
        if found:
            return _same_ends(found, wanted)
    raise _nothing(edges, list(operators.values()), readings, wanted)


def splits(wanted: str) -> Iterator[tuple[str, str]]:
    """Every way to read A:B: names such as "Source: Orders" have colons of their own."""
    for position, character in enumerate(wanted):
        before, after = wanted[:position].strip(), wanted[position + 1 :].strip()
        if character == ":" and before and after:
            yield before, after


def _same_ends(found: list[EdgeExplanation], wanted: str) -> list[EdgeExplanation]:
    ends = {(edge.source.node, edge.target.node) for edge in found}
    if len(ends) == 1:
        return found
    listed = "\n".join(
        f"--edge {edge.source.node}:{edge.target.node}  {edge.source.label} -> {edge.target.label}" for edge in found
    )
    raise OptionError(f"--edge {wanted}: it matches {len(ends)} edges", hint=f"name one:\n{listed}")


def _nothing(
    edges: Sequence[EdgeExplanation], operators: list[OperatorRef], readings: list[tuple[str, str]], wanted: str
) -> OptionError:
    for before, after in readings:
        upstream, downstream = matches(before, operators), matches(after, operators)
        if upstream and downstream:
            nodes = {ref.node for ref in upstream}
            fed = [edge.target.label for edge in edges if edge.source.node in nodes]
            hint = f"{before} feeds {', '.join(fed)}" if fed else f"{before} feeds nothing"
            return OptionError(f"--edge {wanted}: there is no edge from {before} to {after}", hint=hint)
    before, after = readings[0]
    missing = after if matches(before, operators) else before
    message, hint = no_operator(missing, operators)
    return OptionError(f"--edge {wanted}: {message}", hint=hint)
