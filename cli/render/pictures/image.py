"""DOT laid out as SVG, PNG or PDF: by the `dot` program where there is one, else inside this process."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from planner.errors import OptionError

__all__ = ["ImageFormat", "draw"]

ImageFormat = Literal["svg", "png", "pdf"]
_OPTIONS: dict[ImageFormat, tuple[str, ...]] = {"png": ("-Gdpi=144",)}  # sharp on the screens people have

# Graphviz 2.43, which Debian 12 has, drops the id and the tooltip of a table cell that is no link; nothing on the page
# could be selected then. So every such cell is drawn as a link to nowhere, and the link is taken out of the drawing.
_CELL = re.compile(r'( ID="\w+")( TOOLTIP=")')
_LINK = ' HREF="#"'


def draw(source: str, format: ImageFormat) -> bytes:
    """The picture of a DOT document."""
    program = shutil.which("dot")
    return _with_program(program, source, format) if program else _in_process(source, format)


def _with_program(program: str, source: str, format: ImageFormat) -> bytes:
    given = _CELL.sub(rf"\1{_LINK}\2", source) if format == "svg" else source
    done = subprocess.run(
        [program, f"-T{format}", *_OPTIONS.get(format, ())], input=given.encode(), capture_output=True, check=False
    )
    if done.returncode:
        raise OptionError(
            f"{program} could not draw the picture: {done.stderr.decode(errors='replace').strip()}",
            hint="-f dot prints what it was given",
        )
    return done.stdout.replace(b' xlink:href="#"', b"")


def _in_process(source: str, format: ImageFormat) -> bytes:
    try:
        import pygraphviz
    except ImportError:
        raise OptionError(
            f"drawing {format} needs Graphviz, and there is neither a dot program nor the pygraphviz package",
            hint="pip install 'plan-inspector[draw]', or install Graphviz; -f mermaid and -f dot need neither",
        ) from None
    with warnings.catch_warnings(), _without_chatter():
        warnings.simplefilter("ignore")
        drawn = pygraphviz.AGraph(string=source).draw(
            format=format, prog="dot", args=" ".join(_OPTIONS.get(format, ()))
        )
    assert isinstance(drawn, bytes)
    return drawn


@contextmanager
def _without_chatter() -> Iterator[None]:
    """Keep the C libraries' remarks on fonts and their settings from the user: a picture comes out either way."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
