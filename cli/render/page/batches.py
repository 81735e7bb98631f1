"""The batches of a streaming run, drawn over time: records, seconds, state and lag, one small chart for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["batch_charts"]

_WIDTH, _HEIGHT = 640, 80
_MOST = 1_000  # points of one line
_DATES = 10**11  # milliseconds from which on a watermark is a date of our days


def batch_charts(batches: Sequence[dict[str, Any]]) -> str:
    """Charts of a run's batches; nothing for a run without."""
    if not batches:
        return ""
    shown = batches[:: max(1, len(batches) // _MOST)]
    charts = "".join(_chart(title, [value(batch) for batch in shown]) for title, value in _CHARTS)
    return f'<h2>{_counted(len(batches))}, over time</h2><div class="charts">{charts}</div>'


def _counted(batches: int) -> str:
    return "1 batch" if batches == 1 else f"{batches} batches"


def _records(batch: dict[str, Any]) -> float:
    return float(sum(one["records_in"] for one in batch["vertices"] if one["name"].startswith("Source: ")))


def _lag(batch: dict[str, Any]) -> float | None:
    marks = [one["watermark"] for one in batch["vertices"] if one["watermark"] is not None]
    dates = [mark for mark in marks if _DATES < mark < 2**62]
    return max(0.0, batch["ended"] - min(dates) / 1000) if dates else None


_CHARTS: tuple[tuple[str, Callable[[dict[str, Any]], float | None]], ...] = (
    ("records in", _records),
    ("seconds", lambda batch: float(batch["seconds"])),
    ("keys in state", lambda batch: float(sum(one["keys"] for one in batch["vertices"]))),
    ("watermark lag, seconds", _lag),
)


def _chart(title: str, values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known or max(known) == 0:
        return ""
    top, step = max(known), _WIDTH / max(1, len(values) - 1)
    points = " ".join(
        f"{at * step:.1f},{_HEIGHT - value / top * _HEIGHT:.1f}" for at, value in enumerate(values) if value is not None
    )
    area = f"0,{_HEIGHT} {points} {_WIDTH},{_HEIGHT}"
    return (
        f"<figure><figcaption><b>{title}</b>, up to {_number(top)}, at last {_number(known[-1])}</figcaption>"
        f'<svg viewBox="0 -2 {_WIDTH} {_HEIGHT + 4}" preserveAspectRatio="none" role="img" aria-label="{title}">'
        f'<polygon points="{area}" fill="currentColor" fill-opacity=".12"/>'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5" '
        'vector-effect="non-scaling-stroke"/></svg></figure>'
    )


def _number(value: float) -> str:
    """Large numbers whole, small ones with what can be seen of them."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
