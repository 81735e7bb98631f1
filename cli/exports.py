"""The commands for jobs that Flink's exports describe: `cli/commands` enters here when its argument is an export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cli import console
from cli.locate import is_export
from cli.render.styled import Line, line
from cli.render.text.exports import (
    drift_lines,
    edge_lines,
    job_lines,
    live_lines,
    observed_lines,
    order_lines,
    place_words,
    stream_lines,
)
from planner.errors import OptionError
from planner.frontends.flink_export.live import read_live
from planner.observed.document import ObservedChain, chains_of, edge_document, explanation_document, live_document
from planner.observed.drift import DeployedJob, deployed_observed, deployed_snapshot, find_drift
from planner.observed.job import ObservedEdge, ObservedJob
from planner.observed.loading import answering, is_address, load_observed
from planner.observed.verdicts import decide
from planner.snapshots.snapshot import Snapshot

if TYPE_CHECKING:
    from cli.render.pictures.picture import Picture
    from planner.lint.engine import Report


def explain_export(
    argument: str, *, others: list[str], edge: str | None, only_broken: bool, live: bool, format: str
) -> None:
    """Explain a job that Flink described."""
    job = load_observed(argument, *others)
    verdicts = decide(job)
    if edge is not None:
        chosen = select_edges(job, edge)
        if format == "json":
            edges = [edge_document(job, job.edges[one], verdicts[one]) for one in chosen]
            console.write_json({"name": job.name, "edges": edges})
            return
        for number, one in enumerate(chosen):
            console.write_lines([*([()] if number else []), *edge_lines(job, one, verdicts[one])])
        return
    figures = read_live(answering(argument)) if live else None
    if format == "json":
        document = explanation_document(job, verdicts, only_broken=only_broken)
        console.write_json(document if figures is None else {**document, "live": live_document(job, figures)})
        return
    lines = observed_lines(job, verdicts, only_broken=only_broken)
    console.write_lines(lines if figures is None else [*lines, (), *live_lines(job, figures)])


def select_edges(job: ObservedJob, wanted: str) -> list[int]:
    """The edges that `A:B` means; A and B are operators' ids or names. Names may hold colons themselves."""
    found = [
        position
        for position, edge in enumerate(job.edges)
        if any(_ends(job, edge, wanted[:at], wanted[at + 1 :]) for at, letter in enumerate(wanted) if letter == ":")
    ]
    if found:
        return found
    listed = ", ".join(f"{job.operators[e.sources[0]].id}:{job.operators[e.target].id}" for e in job.edges[:8])
    raise OptionError(
        f"there is no edge {wanted!r}", hint=f"the edges are {listed}{' ...' if len(job.edges) > 8 else ''}"
    )


def _ends(job: ObservedJob, edge: ObservedEdge, source: str, target: str) -> bool:
    fits = [job.operators[one] for one in edge.sources]
    last = job.operators[edge.target]
    return target in (str(last.id), last.name) and any(source in (str(one.id), one.name) for one in fits)


_STAGES = ("stream", "job", "all")


def show_export(argument: str, *, stage: str, format: str) -> None:
    """Print the stream graph, the job graph, or both."""
    if stage not in _STAGES:
        raise OptionError(
            f"{argument} is what Flink says about a job, and has no {stage} graph",
            hint="use --stage stream or --stage job; plan explain --live has the running subtasks",
        )
    job = load_observed(argument)
    verdicts = decide(job)
    if format == "json":
        document = explanation_document(job, verdicts)
        keys = {"stream": ("operators", "edges"), "job": ("vertices",)}.get(stage, ("operators", "edges", "vertices"))
        console.write_json({key: document[key] for key in ("name", "origin", "mode", *keys)})
        return
    lines: list[Line] = [line((job.name, "title"), (f"  {job.origin}", "dim"))]
    if stage in ("stream", "all"):
        lines += [(), *stream_lines(job, verdicts)]
    if stage in ("job", "all"):
        lines += [(), *job_lines(job, chains_of(job, verdicts))]
    console.write_lines(lines)


def order_export(argument: str, *, format: str) -> None:
    """Print the chains in source-first order."""
    job = load_observed(argument)
    chains = chains_of(job, decide(job))
    if format == "json":
        order = [_placed(job, chain, place) for place, chain in enumerate(chains)]
        console.write_json({"name": job.name, "origin": job.origin, "expected": not job.deployed, "order": order})
    else:
        console.write_lines(order_lines(job, chains))


def _placed(job: ObservedJob, chain: ObservedChain, place: int) -> dict[str, object]:
    return {
        "position": place,
        "id": chain.id,
        "operators": [job.operators[one].name for one in chain.members],
        "inputs": list(chain.inputs),
        "sentence": place_words(chain),
    }


def picture_of_export(argument: str, *, stage: str, format: str) -> Picture:
    """The picture of a job that Flink described."""
    from cli.render.pictures.observed import observed_picture  # only this command draws

    if stage not in ("stream", "job"):
        raise OptionError(
            f"{argument} is what Flink says about a job, and has no {stage} graph", hint="use --stage job"
        )
    if format == "html":
        raise OptionError("what Flink says about a job is drawn as one picture, not as a page", hint="use -f svg")
    job = load_observed(argument)
    verdicts = decide(job)
    measured = is_address(argument) or Path(argument).is_dir()
    live = read_live(answering(argument)) if measured else None
    return observed_picture(job, verdicts, chains_of(job, verdicts), live, detailed=stage == "stream")


# Rules that look only at edges, parallelism and channels; the second kind also needs the slot sharing groups.
_OF_EDGES = ("PL104", "PL105")
_OF_SLOTS = ("PL106",)


def lint_exports(arguments: list[str], *, select: list[str], ignore: list[str]) -> Report:
    """Lint jobs that Flink described."""
    from planner.lint.engine import LintedJob, Report  # only this command needs the rules
    from planner.lint.finding import Finding
    from planner.lint.registry import BY_CODE, select_rules
    from planner.lint.rule import Subject
    from planner.observed.as_plan import as_plan
    from planner.settings.pyproject import load_config

    wanted = select_rules(select, ignore)
    findings: list[Finding] = []
    jobs: list[LintedJob] = []
    for argument in arguments:
        job = load_observed(argument)
        plan = as_plan(job, decide(job), argument)
        config = load_config().for_job(job.name, argument)
        jobs.append(LintedJob(file=argument, plan=plan, config=config))
        known = [*_OF_EDGES, *(_OF_SLOTS if _groups_known(job) else ())]
        for code in known:
            rule = BY_CODE[code]
            if code in wanted and rule.find is not None:
                findings += rule.find(rule, Subject(plan=plan, config=config))
        _tell_skipped(argument, [code for code in sorted(wanted) if code not in known and code[:3] == "PL1"])
    ordered = tuple(sorted(findings, key=Finding.order))
    return Report(findings=ordered, jobs=tuple(jobs), files=tuple(arguments), ignored=0)


def _groups_known(job: ObservedJob) -> bool:
    return bool(job.vertices) and all(vertex.group for vertex in job.vertices) and job.batch is False


def _tell_skipped(argument: str, codes: list[str]) -> None:
    if codes:
        console.message(
            f"{argument}: skipped {', '.join(codes)}: Flink does not export what they look at, such as uids and "
            "chaining strategies (docs/java/StreamGraphExport.java does)",
            "dim",
        )


Snapshots = Callable[[str], tuple[Snapshot, ...]]


def diff_exports(planned: str, running: str, *, snapshots: Snapshots, exit_code: bool, format: str) -> int:
    """Compare two sides of which at least one is an export of Flink."""
    if planned == running == "-":
        raise OptionError("both sides cannot be stdin")
    after = _side(running, snapshots, None)
    before = _side(planned, snapshots, after.name)
    drift = find_drift(before, after)
    if format == "json":
        console.write_json(
            {
                "version": 1,
                "old": planned,
                "new": running,
                "same": not drift,
                "vertices": {"planned": len(before.vertices), "running": len(after.vertices)},
                "drift": [one.to_dict() for one in drift],
                "state": any(one.state for one in drift),
            }
        )
    else:
        console.write_lines(drift_lines(planned, running, before, after, drift))
    return 1 if exit_code and drift else 0


def _side(argument: str, snapshots: Snapshots, wanted: str | None) -> DeployedJob:
    if is_export(argument):
        return deployed_observed(load_observed(argument))
    jobs = snapshots(argument)
    named = [job for job in jobs if job.name == wanted] if wanted else []
    if len(jobs) == 1 or named:
        return deployed_snapshot((named or list(jobs))[0])
    names = ", ".join(sorted(job.name for job in jobs))
    raise OptionError(f"{argument} has {len(jobs)} jobs, and none is called {wanted!r}", hint=f"it has {names}")
