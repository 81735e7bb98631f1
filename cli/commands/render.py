"""`plan render`: draws a stage."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from cli import console
from cli.files import write_whole
from cli.locate import find_job
from cli.options import JobArgument
from planner.errors import OptionError
from planner.pipeline import Plan, Stage
from planner.pipeline import plan as compile_plan

Format = Literal["svg", "png", "pdf", "dot", "mermaid", "html"]
FORMATS: tuple[Format, ...] = ("svg", "png", "pdf", "dot", "mermaid", "html")
SUFFIXES: dict[str, Format] = {f".{name}": name for name in FORMATS} | {".gv": "dot", ".mmd": "mermaid", ".htm": "html"}
BINARY: tuple[Format, ...] = ("png", "pdf")


def render(
    job: JobArgument = None,
    stage: Annotated[
        Literal["stream", "job", "execution", "physical"], typer.Option(help="What to draw; html has all stages.")
    ] = "job",
    format: Annotated[
        Format | None, typer.Option("--format", "-f", help="Default: by the name of -o, else svg.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to; - is stdout. Default: text formats to stdout."),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the file when it is written.")] = False,
) -> None:
    """Draw a stage: chains as frames, edges with their ship strategy and the first obstacle, broken chains in red.

    Works without a dot program: pictures are laid out in this process then (extra `draw`).

    Examples:
      plan render job.yaml -o job.svg
      plan render job.py --stage execution -f png -o execution.png
      plan render job.yaml -f html -o plan.html --open
      plan render job.yaml -f mermaid >> README.md
    """
    from planner.loading import load_job

    chosen = format or _format_of(output)
    spec = find_job(job)
    target = output or (_default_file(spec, stage, chosen) if open_it or _needs_file(chosen) else None)
    compiled = compile_plan(load_job(spec), until="physical" if chosen == "html" else _until(stage))
    content = _content(compiled, stage, chosen)
    if target is None or str(target) == "-":
        _to_stdout(content)
        return
    write_whole(target, content)
    console.message(f"wrote {target}")
    if open_it:
        _open(target)


def _until(stage: Stage) -> Stage:
    return "job" if stage == "stream" else stage  # the frames of the stream graph are the job's chains


def _format_of(output: Path | None) -> Format:
    if output is None or str(output) == "-":
        return "svg"
    if output.suffix.lower() in SUFFIXES:
        return SUFFIXES[output.suffix.lower()]
    raise OptionError(f"{output}: what format is that?", hint=f"say -f {'|'.join(FORMATS)}")


def _needs_file(format: Format) -> bool:
    """Whether stdout would be the wrong place: a picture on a terminal is noise."""
    return sys.stdout.isatty() and format in (*BINARY, "html")


def _default_file(spec: str, stage: Stage, format: Format) -> Path:
    stem = Path(spec.split(":")[0]).stem
    name = stem if format == "html" else f"{stem}-{stage}"
    return Path(f"{name}.{'mmd' if format == 'mermaid' else format}")


def _content(compiled: Plan, stage: Stage, format: Format) -> str | bytes:
    if format == "html":
        from cli.render.html import to_html

        return to_html(compiled)
    from cli.render.pictures.stages import PICTURES

    picture = PICTURES[stage](compiled)
    if format == "mermaid":
        from cli.render.mermaid import to_mermaid

        return to_mermaid(picture)
    from cli.render.dot import to_dot

    source = to_dot(picture)
    if format == "dot":
        return source
    from cli.render.image import draw

    return draw(source, format)


def _to_stdout(content: str | bytes) -> None:
    if isinstance(content, str):
        console.write_text(content)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def _open(target: Path) -> None:
    if typer.launch(str(target.absolute())):
        console.message(f"could not open {target}: open it yourself", "warning")
