"""`plan render`: draws a stage."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import console
from cli.deployment_options import SlotsOption, SpreadOption, TaskManagersOption, show_deployment
from cli.files import write_whole
from cli.locate import find_job, flink_for
from cli.options import FlinkOption, JobArgument
from planner.deployment.request import DeploymentRequest
from planner.errors import OptionError
from planner.pipeline import Plan, Stage
from planner.pipeline import plan as compile_plan

if TYPE_CHECKING:
    from cli.render.pictures.picture import Picture

Format = Literal["svg", "png", "pdf", "dot", "mermaid", "html"]
FORMATS: tuple[Format, ...] = ("svg", "png", "pdf", "dot", "mermaid", "html")
SUFFIXES: dict[str, Format] = {f".{name}": name for name in FORMATS} | {".gv": "dot", ".mmd": "mermaid", ".htm": "html"}
MANY_BOXES = 1_000  # about a second and a half of layout; three times as many take twenty
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
    task_managers: TaskManagersOption = None,
    slots: SlotsOption = None,
    spread: SpreadOption = None,
    run: Annotated[
        str | None,
        typer.Option(metavar="ID", help="With --stage physical: where this run's subtasks ran. Or its report's file."),
    ] = None,
    flink: FlinkOption = None,
) -> None:
    """Draw a stage: chains as frames, edges with their ship strategy and the first obstacle, broken chains in red.

    The physical stage can be drawn on a cluster (--task-managers, --slots), or as it ran (--run). Works without a dot
    program: pictures are laid out in this process then (extra `draw`).

    Examples:
      plan render job.yaml -o job.svg
      plan render job.py --stage execution -f png -o execution.png
      plan render job.py --stage physical --task-managers 2 --slots 4 -o cluster.svg
      plan render job.yaml -f html -o plan.html --open
      plan render job.yaml -o job.mmd
    """
    chosen = format or _format_of(output)
    request = DeploymentRequest(task_managers=task_managers, slots=slots, spread=spread)
    if run is not None:
        spec = f"run-{Path(run).stem}"
        content = _in_format(_run_picture(run, stage), chosen)
    else:
        spec = find_job(job)
        content = _content(spec, stage, chosen, request, flink)
    target = output or (_default_file(spec, stage, chosen) if open_it or _needs_file(chosen) else None)
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


def _content(spec: str, stage: Stage, format: Format, request: DeploymentRequest, flink: str | None) -> str | bytes:
    from planner.frontends.loading import load_job

    definition = load_job(spec)
    until: Stage = "physical" if format == "html" else _until(stage)
    compiled = compile_plan(definition, until=until, flink=flink_for(flink, definition))
    if format == "html":
        from cli.render.page.plan import to_html

        return to_html(compiled, _picture(compiled, "physical", request) if compiled.physical else None)
    return _in_format(_picture(compiled, stage, request), format)


def _picture(compiled: Plan, stage: Stage, request: DeploymentRequest) -> Picture:
    from cli.render.pictures.stages import PICTURES

    deployment = show_deployment(compiled, (stage,), request)
    if deployment is None or deployment.layout is None:
        return PICTURES[stage](compiled)
    need = deployment.shortage
    if need is not None:
        message = f"the job needs {need.required} slots, and the cluster has {need.offered}"
        if request != DeploymentRequest():
            raise OptionError(message, hint="\n".join(change.sentence for change in need.changes) or None)
        console.message(f"{message}: its slots are drawn without task managers", "warning")
        return PICTURES[stage](compiled)
    from cli.render.pictures.task_managers import task_manager_picture

    assert deployment.placement is not None
    return task_manager_picture(compiled, deployment.placement, deployment.layout)


def _in_format(picture: Picture, format: Format) -> str | bytes:
    if format == "html":
        raise OptionError(
            "--run is drawn as one picture, not as a page", hint="plan run --report FILE.html is the page"
        )
    if format == "mermaid":
        from cli.render.pictures.mermaid import to_mermaid

        return to_mermaid(picture)
    from cli.render.pictures.dot import to_dot

    source = to_dot(picture)
    if format == "dot":
        return source
    from cli.render.pictures.image import draw

    if len(picture.boxes) > MANY_BOXES:
        console.message(
            f"laying out {len(picture.boxes)} boxes takes its time; -f dot and -f mermaid do without", "warning"
        )
    return draw(source, format)


def _run_picture(run: str, stage: Stage) -> Picture:
    import json

    from cli.render.pictures.run import run_picture

    if stage != "physical":
        raise OptionError(f"a run has no {stage} graph of its own", hint="add --stage physical")
    file = _report_file(run)
    try:
        report: dict[str, Any] = json.loads(file.read_bytes())
        return run_picture(report)
    except (ValueError, KeyError, TypeError) as error:
        raise OptionError(f"{file} is not the report of a run: {error}", hint="plan runs lists the runs") from error


def _report_file(run: str) -> Path:
    """The report of a run: a file, or the run's folder by its id or the beginning of it."""
    if Path(run).is_file():
        return Path(run)
    runs = Path(".plan/runs")
    found = sorted(path for path in runs.glob("*/report.json") if path.parent.name.startswith(run)) if run else []
    exact = [path for path in found if path.parent.name == run]
    if len(found) == 1 or exact:
        return (exact or found)[0]
    if found:
        raise OptionError(f"{run!r} fits {len(found)} runs", hint=", ".join(path.parent.name for path in found))
    raise OptionError(f"there is no report of a run {run!r} in {runs}", hint="plan runs lists the runs")


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
