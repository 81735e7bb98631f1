"""`plan lint`: the lint rules, and with a baseline the chaining and state regressions."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cli import console
from cli.compiler_options import NO_OPTIONS, CompilerOptions
from cli.files import write_whole
from cli.load_options import ApiOption, ParallelismOption, load_options, only_named
from cli.locate import find_job, is_export, load_contents
from cli.options import FlinkOption, complete_job
from cli.render.styled import plain
from planner.errors import OptionError
from planner.frontends.job_files import find_job_files, is_job_file
from planner.lint.engine import LintedJob, Report, plan_files
from planner.lint.engine import lint as lint_jobs
from planner.lint.finding import Finding, at_least
from planner.settings.pyproject import load_config
from planner.snapshots.baseline import FILE_NAME, Baseline

if TYPE_CHECKING:
    from planner.frontends.loading import LoadOptions
    from planner.snapshots.baseline_update import Update

LintFormat = Literal["text", "json", "sarif", "github", "gitlab", "junit", "markdown"]
FailOn = Literal["error", "warning"]


def lint(
    context: typer.Context,
    jobs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[JOB]...",
            help="Job files, job.py:NAME, or folders with job files in them. Default: as for other commands.",
            show_default=False,
            autocompletion=complete_job,
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Compare with this baseline. Default: baseline under [tool.plan.lint]."),
    ] = None,
    savepoint: Annotated[
        str | None,
        typer.Option(
            metavar="SAVEPOINT", help="Also say whether the job restores from this savepoint: folder or file."
        ),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update-baseline", help=f"Record the plans as they are (in {FILE_NAME} by default).")
    ] = False,
    select: Annotated[
        list[str] | None, typer.Option(metavar="CODES", help="Only these codes or prefixes: PL0, or PL101,PL102.")
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="CODES", help="Not these codes or prefixes.")] = None,
    format: Annotated[LintFormat, typer.Option("--format", help="How to print.")] = "text",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the report here, not to stdout.")
    ] = None,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 even where there are findings.")] = False,
    jobs_only: Annotated[
        bool, typer.Option("--jobs-only", help="Pass over files that define no job, as in a list from pre-commit.")
    ] = False,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(help="Exit with 1 from this severity on. Default: fail_on under [tool.plan.lint], else warning."),
    ] = None,
    flink: FlinkOption = None,
    api: ApiOption = None,
    parallelism: ParallelismOption = None,
    compiler: CompilerOptions = NO_OPTIONS,
) -> int:
    """Lint jobs; with a baseline, find broken chains, orphaned state and additional slots.

    Exits with 1 where there are errors or warnings; notes, such as a baseline that is behind, never fail. A job that
    cannot be planned is a finding of its file; a file without any job is an error, unless --jobs-only or a folder found
    it. Ignore a finding with its reason:
    `# plan: ignore[PL102] sources are skewed` in Python, `ignore: {PL102: sources are skewed}` in YAML.

    Examples:
      plan lint job.yaml
      plan lint jobs/ --baseline plan.lock.json
      plan lint jobs/ --baseline plan.lock.json --update-baseline
      plan lint --update-baseline                   # the jobs that the baseline has
      plan lint jobs/ --select PL0,PL101 --format sarif -o plan.sarif
      plan lint --savepoint savepoints/savepoint-4f2a job.py
      plan lint http://localhost:8081
    """
    options = load_options(context.obj, api=api, parallelism=parallelism, flink=flink, compiler=compiler)
    if any(Path(one).is_dir() for one in jobs or ()):
        options = only_named(options, (one for one in jobs or () if not Path(one).is_dir()))
    exports = frozenset(one for one in jobs or [] if is_export(one))
    if exports and (baseline or savepoint or update):
        raise OptionError(
            f"{min(exports)} is what Flink says about a job, without the uids that baselines and savepoints need",
            hint="keep the export itself, and compare it with plan diff OLD NEW",
        )
    recorded = _baseline(baseline, update=update) if not jobs or set(jobs) - exports else None
    if not jobs and recorded is not None and recorded.jobs:
        jobs = _jobs_of(recorded)
        options = only_named(options, ())
    specs, may_lack_job = _specs(jobs or [], jobs_only, exports)
    if update:
        assert recorded is not None
        return _update(recorded, specs, format, output, exit_zero, flink, options, may_lack_job)
    contents = load_contents(savepoint) if savepoint is not None else None
    report = lint_jobs(
        specs,
        select=select or (),
        ignore=ignore or (),
        baseline=recorded,
        savepoint=contents,
        flink=flink,
        options=options,
        may_lack_job=may_lack_job,
        exports=exports,
    )
    for argument, codes in report.skipped:
        console.message(
            f"{argument}: skipped {', '.join(codes)}: Flink does not export what they look at, such as uids and "
            "chaining strategies (docs/java/StreamGraphExport.java does)",
            "dim",
        )
    if report.unrecorded:
        names = ", ".join(repr(name) for name in report.unrecorded)
        console.message(f"not in the baseline yet: {names}; --update-baseline adds what is new", "dim")
    _print(report, format, output)
    least = fail_on or load_config().lint.fail_on
    failed = any(at_least(finding.severity, least) for finding in report.findings)
    return 1 if failed and not exit_zero else 0


def _specs(arguments: Sequence[str], jobs_only: bool, exports: Collection[str]) -> tuple[list[str], frozenset[str]]:
    """The job files that the arguments stand for, and which of them may turn out to have no job.

    A folder stands for the files in it that look like jobs, as a list does with `jobs_only`: loading a file runs it. A
    file that was named is a job, and says so if it is none.
    """
    if not arguments:
        return [find_job(None)], frozenset()
    specs: list[str] = []
    found_here: list[str] = []
    for argument in arguments:
        if argument in exports:
            specs.append(argument)
            continue
        if not Path(argument).is_dir():
            named = os.path.normpath(argument)
            if jobs_only and is_job_file(Path(named)):
                found_here.append(named)
            elif jobs_only and Path(named).is_file():
                continue
            specs.append(named)
            continue
        found = find_job_files(Path(argument))
        if not found and not jobs_only:
            raise OptionError(f"there is no job file under {argument!r}", hint="name a file, or another folder")
        specs += found
        found_here += found
    return specs, frozenset(found_here)


def _jobs_of(recorded: Baseline) -> list[str]:
    """The job that is meant where none is named, and those that the baseline knows: its advice needs no file names."""
    files = recorded.files()
    try:
        first = [find_job(None)]
    except OptionError:
        if not files:
            raise
        first = []
    return list(dict.fromkeys([*map(os.path.normpath, first), *files]))


def _baseline(given: Path | None, *, update: bool) -> Baseline | None:
    """The baseline of the command line, else of the settings, else (to be written) the default."""
    path = given or _configured()
    if path is None and not update:
        return None
    from planner.snapshots.baseline_file import load_baseline  # most lint runs have none

    if path is None:
        path = Path(FILE_NAME)
    if path.is_file():
        return load_baseline(path)
    if not update:
        raise OptionError(f"there is no baseline {str(path)!r}", hint="write it with plan lint --update-baseline")
    return Baseline(path=path)


def _configured() -> Path | None:
    config = load_config()
    return config.folder / config.lint.baseline if config.lint.baseline else None


def _update(
    recorded: Baseline,
    specs: Sequence[str],
    format: LintFormat,
    output: Path | None,
    exit_zero: bool,
    flink: str | None,
    options: LoadOptions,
    may_lack_job: frozenset[str],
) -> int:
    """Write the baseline; entries of files that cannot be planned stay as they are, and the files are findings."""
    from planner.snapshots.baseline_update import update_baseline
    from planner.snapshots.snapshot import take_snapshot

    jobs, failures = plan_files(specs, flink, options, may_lack_job=may_lack_job)
    partial = [finding.location.file for finding in failures] + [job.file for job in jobs if not job.whole]
    updated = update_baseline(recorded, [(job.file, take_snapshot(job.plan)) for job in jobs], partial)
    if not recorded.path.is_file() or recorded.path.read_text(encoding="utf-8") != updated.text:
        write_whole(recorded.path, updated.text)
    console.message(f"{recorded.path}: {_counted(updated)}")
    if failures or format != "text":
        _print(_failed(jobs, failures, specs), format, output)
    return 1 if failures and not exit_zero else 0


def _counted(updated: Update) -> str:
    counts = ((len(getattr(updated, word)), word) for word in ("added", "changed", "kept", "pruned"))
    return ", ".join(f"{count} {word}" for count, word in counts)


def _failed(jobs: Sequence[LintedJob], failures: Sequence[Finding], specs: Sequence[str]) -> Report:
    ordered = tuple(sorted(failures, key=Finding.order))
    return Report(findings=ordered, jobs=tuple(jobs), files=tuple(dict.fromkeys(specs)), ignored=0)


def _print(report: Report, format: LintFormat, output: Path | None) -> None:
    if format == "text" and output is None:
        from cli.render.text.findings import report_lines, summary

        console.write_lines(report_lines(report))
        if report.jobs and not report.findings:
            console.message(summary(report), "dim")
        return
    text = _rendered(report, format)
    if output is not None:
        write_whole(output, text)
    elif text:
        console.write_text(text)


def _rendered(report: Report, format: LintFormat) -> str:
    """Only the renderer that is asked for is imported."""
    match format:
        case "text":
            from cli.render.text.findings import report_lines

            return plain(report_lines(report))
        case "json":
            from cli.render.findings.json import report_document

            return json.dumps(report_document(report), indent=2, ensure_ascii=False) + "\n"
        case "sarif":
            from cli.render.findings.sarif import report_document

            return json.dumps(report_document(report), indent=2, ensure_ascii=False) + "\n"
        case "github":
            from cli.render.findings.github import workflow_commands

            return workflow_commands(report.findings)
        case "gitlab":
            from cli.render.findings.gitlab import code_quality

            return json.dumps(code_quality(report), indent=2, ensure_ascii=False) + "\n"
        case "markdown":
            from cli.render.markdown.findings import findings_markdown

            return findings_markdown(report)
        case "junit":
            from cli.render.findings.junit import report_xml

            return report_xml(report)
