"""PyFlink's part of an explanation as text: merged operators, pairs that stayed apart, operators it put in."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.styled import Line, Span, indented, line, table
from cli.render.words import count
from planner.explanation.python_layer import MergedExplanation, PairExplanation, PartRef, PythonExplanation
from planner.rules import Checked

__all__ = ["merge_conditions_lines", "python_layer_lines"]


def python_layer_lines(layer: PythonExplanation) -> list[Line]:
    """The whole section."""
    origin = f" ({layer.parallelism_origin})" if layer.parallelism_origin else ""
    lines = [
        line(
            ("Python operators", "title"),
            (" (PyFlink merges neighbours before Flink chains anything; all eleven conditions must hold)", "dim"),
        ),
        line((f"  default parallelism {layer.parallelism}{origin}", "dim")),
    ]
    for one in layer.merged:
        lines += indented(_merged(one))
    for pair in layer.apart:
        lines += indented(pair_lines(pair))
    lines += indented(_listed("put in by PyFlink, and not merged", layer.helpers))
    lines += indented(_listed("not part of the job: execute_and_collect drops them", layer.dropped))
    if layer.connectors:
        rows: list[Sequence[str | Span]] = [(part.key, (calls, "dim")) for part, calls in layer.connectors]
        lines += [line(("  connectors", "dim")), *indented(table(rows), 4)]
    if layer.recorded:
        lines.append(line(("  only for runs: ", "dim"), ("; ".join(layer.recorded), "dim")))
    return lines


def pair_lines(pair: PairExplanation) -> list[Line]:
    """Two operators that stayed apart, and why."""
    rows: list[Sequence[str | Span]] = [((o.code, "code"), f"{o.slug}:", o.values) for o in pair.obstacles]
    ends = line((pair.upstream.label, "operator"), " | ", (pair.downstream.label, "operator"), "  ",
                (str(pair.downstream.location), "place"))  # fmt: skip
    verdict = line(("not merged", "needed" if pair.needed or not pair.changes else "broken"), " because of")
    return [ends, *indented([verdict, *indented(table(rows, gap=1)), *_advice(pair)])]


def merge_conditions_lines(
    upstream: PartRef, downstream: PartRef, conditions: Sequence[Checked], merged: bool
) -> list[Line]:
    """One pair with all merge conditions and how each came out."""
    rows: list[Sequence[str | Span]] = [
        (("ok", "good") if one.holds else ("NO", "broken"), (one.code, "code"), one.slug, one.found)
        for one in conditions
    ]
    held = sum(one.holds is True for one in conditions)
    verdict = ("merged", "chained") if merged else ("not merged", "broken")
    ends = line((upstream.label, "operator"), " | ", (downstream.label, "operator"), "  ",
                (str(downstream.location), "place"))  # fmt: skip
    said = line(f"{held} of {len(conditions)} merge conditions hold: ", verdict)
    return [ends, *indented([said, *indented(table(rows))])]


def _merged(one: MergedExplanation) -> list[Line]:
    rows: list[Sequence[str | Span]] = [
        (part.key, part.name, (part.helper or part.function or "", "dim"), (str(part.location), "place"))
        for part in one.parts
    ]
    return [line((one.name, "operator"), ("  merged", "chained")), *indented([line(one.reason), *table(rows)])]


def _advice(pair: PairExplanation) -> list[Line]:
    if pair.needed:
        return [line(("leave it: the exchange between them is part of what the job computes", "needed"))]
    if not pair.changes:
        return [line(("nothing that the job can say would merge them", "needed"))]
    first, *others = pair.changes
    lines = [line("to merge them: ", (first, "change"))]
    return lines + [line("           and: ", (change, "change")) for change in others]


def _listed(title: str, parts: Sequence[PartRef]) -> list[Line]:
    if not parts:
        return []
    rows: list[Sequence[str | Span]] = [
        (part.key, part.name, (part.helper or "", "dim"), (str(part.location), "place")) for part in parts
    ]
    return [line((f"{count(len(parts), 'operator')} {title}", "dim")), *indented(table(rows))]
