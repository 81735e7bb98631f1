"""`plan run`: the job on Spark."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import console, locate
from cli.finish import exit_code, leave_at_once
from cli.load_options import ParallelismOption, load_options
from cli.options import FlinkOption, FormatOption, JobArgument, TextOrJson
from cli.pyflink_scripts import is_script_to_run, run_script
from cli.run_report_files import check_report_file, write_report
from planner.errors import OptionError, PlanError
from planner.frontends.job_files import COMPILED, split_name
from planner.settings.quantities import parse_duration

if TYPE_CHECKING:
    from cli.render.text.progress import Collected
    from spark_runner.clusters.request import RunRequest
    from spark_runner.runs.preparation import PreparedRun
    from spark_runner.runs.store import RunFolder
    from spark_runner.runs.supervision import Outcome


def run(
    context: typer.Context,
    job: JobArgument = None,
    master: Annotated[
        str, typer.Option(help="local[N], local[*], spark://host:7077[,host:7077], yarn, k8s://..., sc://host:15002.")
    ] = "local[*]",
    conf: Annotated[list[str] | None, typer.Option(metavar="K=V", help="A Spark setting; repeatable.")] = None,
    deploy_mode: Annotated[Literal["client", "cluster"], typer.Option(help="Where the driver runs.")] = "client",
    py_files: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="More Python files for executors; commas or repeated.")
    ] = None,
    packages: Annotated[
        list[str] | None, typer.Option(metavar="G:A:V", help="Maven packages; commas or repeated.")
    ] = None,
    mode: Annotated[
        Literal["batch", "streaming"] | None,
        typer.Option(help="Default: batch where every source is bounded.", show_default=False),
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="DIR", help="Where a streaming run keeps its place.")
    ] = None,
    trigger: Annotated[
        str | None, typer.Option(metavar="T", help="available-now, once, or processing-time=5s (streaming).")
    ] = None,
    allow_lost_state: Annotated[
        list[str] | None, typer.Option(metavar="OPERATOR", help="Give up this operator's state in the checkpoint.")
    ] = None,
    timeout: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="End the run after 90, 30s, 5min, 1h. A stream without end then finishes, any other run fails.",
        ),
    ] = None,
    id: Annotated[str | None, typer.Option(metavar="ID", help="The run's id; default: a fresh one.")] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Return the run's id once it is accepted.")] = False,
    follow: Annotated[bool, typer.Option("--follow", help="Print every state change of every vertex.")] = False,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Keep the report: .json or .html.")] = None,
    no_native: Annotated[bool, typer.Option("--no-native", hidden=True)] = False,  # all do: for scripts that say it
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the Spark program; start nothing.")] = False,
    format: FormatOption = "text",
    flink: FlinkOption = None,
    parallelism: ParallelismOption = None,
) -> int:
    """Run the job on Spark: progress while it runs, then what it prints and the figures of every vertex.

    Examples:
      plan run job.py
      plan run job.yaml --master local[4] --report report.html
      plan run job.py --master spark://host:7077 --conf spark.cores.max=4 --detach
      plan run job.py --dry-run
      plan run script.py -- --input data.txt

    What functions print() goes to spark.log in the run's folder; `plan runs ID` names it.

    Exit codes: 0 finished; 2 the job or the options are wrong; 3 the run failed; 4 our bug; 130 Ctrl-C.
    """
    from spark_runner.clusters.request import RunRequest
    from spark_runner.runs.preparation import check_machine, prepare
    from spark_runner.runs.store import RunStore

    if report is not None:
        check_report_file(report)
    options = load_options(context.obj, parallelism=parallelism, flink=flink)
    spec = locate.find_job(job)
    if split_name(spec)[0].lower().endswith(COMPILED):
        raise OptionError(
            f"{spec} cannot be run on Spark: plan run takes jobs in Python and YAML",
            hint=f"Flink runs it; its plan: plan explain {spec}",
        )
    request = RunRequest(
        job=spec,
        folder=str(Path.cwd()),
        master=master,
        conf=tuple(_setting(one) for one in conf or ()),
        deploy_mode=deploy_mode,
        py_files=_split(py_files),
        packages=_split(packages),
        mode=mode,
        checkpoint=checkpoint,
        trigger=trigger,
        timeout=_timeout(timeout),
        flink=flink,
        allow_lost_state=_split(allow_lost_state),
        report=report,
        arguments=options.arguments,
        parallelism=parallelism,
    )
    if not (dry_run or detach or deploy_mode == "cluster") and is_script_to_run(request.job):
        return run_script(request, options, lambda *job: _see_through(*job, follow=follow, format=format), run_id=id)
    prepared = prepare(request, options, dry=dry_run)
    locate.tell_notes(prepared.plan.written)
    if dry_run:
        _print_program(prepared, request, format)
        return 0
    check_machine(request)
    store = RunStore.under(Path.cwd())
    name = prepared.plan.job.name
    if detach:
        return _detach(store.submit(request, name=name, run_id=id), request, format)
    folder = store.begin(request, name=name, run_id=id)
    return _see_through(prepared, folder, request, follow=follow, format=format)[0]


def _print_program(prepared: PreparedRun, request: RunRequest, format: TextOrJson) -> None:
    from cli.render.text.spark_program import program_data, program_lines

    if format == "json":
        plan = prepared.plan.to_dict()
        console.write_json({"program": program_data(prepared.program, request.master), "plan": plan})
    else:
        console.write_text("\n".join(program_lines(prepared.program, request.master)))


def _detach(folder: RunFolder, request: RunRequest, format: TextOrJson) -> int:
    from cli.detached import detach
    from spark_runner.runs.store import RunStore

    try:
        record = detach(folder, request)
    except BaseException:
        RunStore(folder.path.parent).discard(folder)
        raise
    if format == "json":
        console.write_json({"id": record.id, "state": record.state})
    else:
        console.write_text(record.id)
        console.message(f"accepted; `plan runs {record.id}` shows it, `plan cancel {record.id}` ends it")
    return 0


def _see_through(
    prepared: PreparedRun, folder: RunFolder, request: RunRequest, *, follow: bool, format: TextOrJson
) -> tuple[int, list[Any]]:
    """The exit code, and the records that the script itself asked for."""
    from spark_runner.runs.supervision import supervise

    audience = _audience(prepared, follow=follow, format=format)
    if prepared.program.mode == "streaming":
        _say_checkpoint(prepared, folder, request)
    outcome = supervise(prepared.program, folder, request, strategy=prepared.strategy, audience=audience)
    if outcome.ended == "pipe closed":
        return exit_code(outcome), []
    document = outcome.report.to_dict()
    if format == "json":
        console.write_json({**document, "printed": [str(record) for record in audience.records]})
    else:
        _print_results(outcome, document)
    report = request.report
    if report is not None:
        write_report(Path(report), document, prepared.plan)
    _speed_up_the_next(outcome)
    code = leave_at_once(outcome) if outcome.abandoned else exit_code(outcome)
    return code, audience.for_script


def _say_checkpoint(prepared: PreparedRun, folder: RunFolder, request: RunRequest) -> None:
    from spark_runner.runs.preparation import checkpoint_of

    checkpoint = checkpoint_of(request, folder.path)
    console.message(f"checkpoint {checkpoint}: --checkpoint with this folder continues the run")
    chunks = prepared.program.chunks
    for note in chunks.notes if chunks is not None else ():
        console.message(note)


def _audience(prepared: PreparedRun, *, follow: bool, format: TextOrJson) -> Collected:
    from cli.render.text.progress import Bars, Collected, Follow, FollowCollecting, Lines, Streaming

    if format == "json":
        return FollowCollecting(sys.stderr) if follow else Collected()
    if follow:
        return Follow(sys.stdout, sys.stdout)
    if console.is_styled(sys.stderr) and sys.stderr.isatty():
        shown = console.build_console(stderr=True)
        return Bars(shown, sys.stdout) if prepared.program.mode == "batch" else Streaming(shown, sys.stdout)
    return Lines(sys.stdout, sys.stderr)


def _print_results(outcome: Outcome, document: dict[str, Any]) -> None:
    from cli.render.text.run_report import report_lines, shown_seconds

    sys.stdout.flush()
    record = outcome.record
    how = f": {record.message}" if record.message and record.state != "FAILED" else ""  # an error is told at the end
    took = shown_seconds(document["seconds"])
    console.message(f"run {record.id} {record.state} on {document['master']} in {took}{how}")
    if record.state == "FINISHED" or document.get("batches"):  # what a stream has written is written, however it ends
        width = shutil.get_terminal_size().columns if sys.stderr.isatty() else None
        console.message("\n".join(report_lines(document, width=width)))


def _speed_up_the_next(outcome: Outcome) -> None:
    """Let the next local run start faster; nothing that goes wrong here is this run's concern."""
    from planner.machine.java import find_java
    from spark_runner.clusters.class_archive import spark_archive

    if outcome.record.state == "FINISHED" and outcome.record.request.master.startswith("local"):
        try:
            spark_archive(find_java()).build_in_background()
        except (OSError, PlanError):
            return


def _setting(written: str) -> tuple[str, str]:
    key, separator, value = written.partition("=")
    if not separator or not key.strip():
        raise OptionError(f"--conf {written!r} is not K=V", hint="for example --conf spark.executor.memory=2g")
    return key.strip(), value


def _split(given: list[str] | None) -> tuple[str, ...]:
    return tuple(part.strip() for one in given or () for part in one.split(",") if part.strip())


def _timeout(written: str | None) -> int | None:
    if written is None:
        return None
    try:
        milliseconds = parse_duration(f"{written}s" if written.strip().isdigit() else written)
    except ValueError as error:
        raise OptionError(f"--timeout: {error}") from error
    if milliseconds <= 0:
        raise OptionError("--timeout must be positive")
    return milliseconds
