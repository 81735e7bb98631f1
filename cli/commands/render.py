"""`plan render`: draws a stage."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import console
from cli.compiler_options import NO_OPTIONS, CompilerOptions
from cli.deployment_options import (
    LoadBalanceOption,
    SeedOption,
    SlotsOption,
    SpreadOption,
    TaskManagersOption,
    load_balance,
    show_deployment,
)
from cli.files import write_whole
from cli.load_options import ApiOption, ParallelismOption, load_options
from cli.locate import cluster_buffers, find_job, load_plan, refuse_for_exports, refuse_stage
from cli.options import FlinkOption, JobArgument, complete_job
from cli.run_ids import complete_run
from planner.deployment.request import DeploymentRequest
from planner.errors import OptionError
from planner.pipeline import Plan, Stage

if TYPE_CHECKING:
    from cli.render.pictures.dot import Look
    from cli.render.pictures.picture import Picture
    from planner.deployment.deployment import Deployment
    from planner.frontends.flink_export.live import LiveFigures
    from planner.frontends.loading import LoadOptions

Format = Literal["svg", "png", "pdf", "dot", "mermaid", "html"]
FORMATS: tuple[Format, ...] = ("svg", "png", "pdf", "dot", "mermaid", "html")
SUFFIXES: dict[str, Format] = {f".{name}": name for name in FORMATS} | {".gv": "dot", ".mmd": "mermaid", ".htm": "html"}
MANY_BOXES = 1_000  # about a second and a half of layout; three times as many take twenty
BINARY: tuple[Format, ...] = ("png", "pdf")


def render(
    context: typer.Context,
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
    theme: Annotated[Literal["light", "dark"], typer.Option(help="Colours of a picture; html has both.")] = "light",
    direction: Annotated[Literal["down", "right"], typer.Option(help="Where arrows lead.")] = "down",
    wrap: Annotated[
        bool | None,
        typer.Option(
            "--wrap/--no-wrap",
            help="Break a long graph into parts side by side; in a PDF, pages. Default: where it is long.",
            show_default=False,
        ),
    ] = None,
    task_managers: TaskManagersOption = None,
    slots: SlotsOption = None,
    load_balance_mode: LoadBalanceOption = None,
    seed: SeedOption = None,
    spread: SpreadOption = None,
    diff: Annotated[
        str | None,
        typer.Option(
            metavar="OLD", help="html: mark what changed since OLD (a job, a baseline, git:REV:path).",
            show_default=False, autocompletion=complete_job,
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="html: with this run's figures. --stage physical: where its subtasks ran. Or its report's file.",
            autocompletion=complete_run,
            show_default=False,
        ),
    ] = None,
    flink: FlinkOption = None,
    api: ApiOption = None,
    parallelism: ParallelismOption = None,
    compiler: CompilerOptions = NO_OPTIONS,
) -> None:  # fmt: skip
    """Draw a stage: chains as frames, edges with their ship strategy and the first obstacle, broken chains in red.

    html is one page with all stages: select an operator, an edge or a subtask to see its reasons, follow it through the
    stages, try the changes that `plan explain` proposes. With --diff the changes since another version are marked, with
    --run the figures of a run are shown.

    The physical stage can be drawn on a cluster (--task-managers, --slots), or as it ran (--run). Without
    Graphviz on this machine, install the extra: pip install 'plan-inspector[draw]'.

    Examples:
      plan render job.yaml -o job.svg
      plan render job.py --stage execution -f png -o execution.png --theme dark
      plan render job.py --stage physical --task-managers 2 --slots 4 -o cluster.svg
      plan render job.yaml -f html -o plan.html --open
      plan render job.yaml -o plan.html --diff git:main:job.yaml
      plan render job.yaml -o job.mmd --direction right
      plan render http://localhost:8081 --stage job -o running.svg
    """
    from cli.render.pictures.dot import Look

    options = load_options(context.obj, api=api, parallelism=parallelism, flink=flink, compiler=compiler)
    chosen = format or _format_of(output)
    request = DeploymentRequest(
        task_managers=task_managers,
        slots=slots,
        load_balance=load_balance(load_balance_mode, spread),
        seed=seed,
    )
    if diff is not None and chosen != "html":
        raise OptionError(f"--diff marks changes in a page, not in {chosen}", hint="add -f html, or use plan diff")
    if run is not None and chosen != "html":
        spec = f"run-{Path(run).stem}"
        content = _in_format(_run_picture(run, stage), chosen, Look(theme=theme, direction=direction), wrap)
    else:
        spec = find_job(job)
        compiled = load_plan(spec, options, until="physical" if chosen == "html" else _until(stage), flink=flink)
        live = _live(spec, compiled)
        if chosen == "html":
            if compiled.observed is not None:
                refuse_for_exports(spec, **{"--diff": diff, "--run": run})
            content = _page(compiled, spec, request, diff, run, options, live)
        else:
            refuse_stage(spec, compiled, stage)
            picture = _picture(compiled, stage, request, live)
            content = _in_format(picture, chosen, Look(theme=theme, direction=direction), wrap)
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
    raise OptionError(f"{output}: unknown picture format", hint=f"choose one with -f {'|'.join(FORMATS)}")


def _needs_file(format: Format) -> bool:
    """Whether stdout would be the wrong place: a picture on a terminal is noise."""
    return sys.stdout.isatty() and format in (*BINARY, "html")


def _default_file(spec: str, stage: Stage, format: Format) -> Path:
    stem = Path(spec.split(":")[0]).stem
    name = stem if format == "html" else f"{stem}-{stage}"
    return Path(f"{name}.{'mmd' if format == 'mermaid' else format}")


def _live(spec: str, compiled: Plan) -> LiveFigures | None:
    """How busy a running job is; a file that Flink wrote does not tell."""
    if compiled.observed is None:
        return None
    from planner.frontends.flink_export.live import read_live
    from planner.observed.loading import answering, is_address

    return read_live(answering(spec)) if is_address(spec) or Path(spec).is_dir() else None


def _page(
    compiled: Plan,
    spec: str,
    request: DeploymentRequest,
    diff: str | None,
    run: str | None,
    options: LoadOptions,
    live: LiveFigures | None,
) -> str:
    from cli.render.page.figures import check_report
    from cli.render.page.plan import PageRequest, to_html

    report = _report(run) if run is not None else None
    if report is not None and run is not None:
        check_report(report, run)
    wanted = PageRequest(
        spec=spec,
        deployment=_deployment(compiled, request) if compiled.physical else None,
        comparison=_comparison(compiled, diff, options) if diff is not None else None,
        compared_with=diff,
        report=report,
        live=live,
        **cluster_buffers(compiled),
    )
    return to_html(compiled, wanted)


def _comparison(compiled: Plan, old: str, options: LoadOptions) -> Any:
    from planner.diff.comparison import compare
    from planner.diff.versions import Version, load_version, pair_jobs
    from planner.snapshots.snapshot import take_snapshot

    new = Version(argument=compiled.job.location.file, snapshots=(take_snapshot(compiled),))
    known = load_version(old, lambda _: compiled.flink, replace(options, flink=compiled.flink.version))
    pairs = [(before, after) for before, after in pair_jobs(known, new) if before and after]
    if not pairs:
        raise OptionError(f"--diff {old}: this job is not in it", hint="name one that is, as job.py:NAME")
    return compare(*pairs[0])


def _deployment(compiled: Plan, request: DeploymentRequest) -> Deployment | None:
    """The deployment that is asked for; None where none is, or where the configured cluster is too small for it."""
    deployment = show_deployment(compiled, ("physical",), request)
    if deployment is None or deployment.layout is None:
        return None
    need = deployment.shortage
    if need is not None:
        message = f"the job needs {need.required} slots, and the cluster has {need.offered}"
        if request != DeploymentRequest():
            raise OptionError(message, hint="\n".join(change.sentence for change in need.changes) or None)
        console.message(f"{message}: its slots are drawn without task managers", "warning")
        return None
    return deployment


def _picture(compiled: Plan, stage: Stage, request: DeploymentRequest, live: LiveFigures | None) -> Picture:
    from cli.render.pictures.live import live_overlay
    from cli.render.pictures.overlay import NOTHING
    from cli.render.pictures.stages import PICTURES

    if stage != "physical":
        show_deployment(compiled, (stage,), request)  # refuses options of another stage
        return PICTURES[stage](compiled, live_overlay(compiled, live) if live else NOTHING)
    deployment = _deployment(compiled, request)
    if deployment is None:
        return PICTURES[stage](compiled)
    from cli.render.pictures.task_managers import task_manager_picture

    assert deployment.placement is not None and deployment.layout is not None
    return task_manager_picture(compiled, deployment.placement, deployment.layout)


def _in_format(picture: Picture, format: Format, look: Look, wrap: bool | None) -> str | bytes:
    from cli.render.pictures.formats import in_format

    assert format != "html"
    if len(picture.boxes) > MANY_BOXES and format not in ("dot", "mermaid"):
        console.message(
            f"laying out {len(picture.boxes)} boxes takes its time; -f dot and -f mermaid do without", "warning"
        )
    return in_format(picture, format, look, wrap=wrap)


def _run_picture(run: str, stage: Stage) -> Picture:
    from cli.render.pictures.run import run_picture

    if stage != "physical":
        raise OptionError(
            f"a run has no {stage} graph of its own", hint="add --stage physical, or -f html for the whole page"
        )
    try:
        return run_picture(_report(run))
    except (KeyError, TypeError) as error:
        raise OptionError(f"{run} is not the report of a run: {error}", hint="plan runs lists the runs") from error


def _report(run: str) -> dict[str, Any]:
    import json

    file = _report_file(run)
    try:
        report = json.loads(file.read_bytes())
    except ValueError as error:
        raise OptionError(f"{file} is not the report of a run: {error}", hint="plan runs lists the runs") from error
    if not isinstance(report, dict) or not isinstance(report.get("vertices"), list):
        raise OptionError(f"{file} is not the report of a run: it has no vertices", hint="plan runs lists the runs")
    return report


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
