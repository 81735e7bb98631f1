"""`plan show` and `plan order` for Flink's exports."""

from __future__ import annotations

from cli import console
from cli.render.styled import Line, line
from cli.render.text.observed_stages import job_lines, order_lines, place_words, stream_lines
from planner.errors import OptionError
from planner.observed.chains import ObservedChain, chains_of
from planner.observed.document import explanation_document
from planner.observed.job import ObservedJob
from planner.observed.loading import load_observed
from planner.observed.verdicts import decide

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
