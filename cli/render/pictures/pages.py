"""Several pictures as the pages of one PDF."""

from __future__ import annotations

import io
from collections.abc import Iterable

from planner.errors import OptionError

__all__ = ["as_pages"]


def as_pages(pages: Iterable[bytes]) -> bytes:
    """One PDF document with a page for each."""
    try:
        from pypdf import PdfReader, PdfWriter
    except ImportError:
        raise OptionError(
            "a PDF of several pages needs the pypdf package",
            hint="pip install 'plan-inspector[draw]', or add --no-wrap for one long page",
        ) from None
    writer = PdfWriter()
    for page in pages:
        writer.append(PdfReader(io.BytesIO(page)))
    whole = io.BytesIO()
    writer.write(whole)
    return whole.getvalue()
