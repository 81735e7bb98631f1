"""`plan render` for Flink's exports: the chains, and of a running job how hot each is."""

from __future__ import annotations

from pathlib import Path

from cli.render.pictures.observed import observed_picture
from cli.render.pictures.picture import Picture
from planner.errors import OptionError
from planner.frontends.flink_export.live import read_live
from planner.observed.chains import chains_of
from planner.observed.loading import answering, is_address, load_observed
from planner.observed.verdicts import decide


def picture_of_export(argument: str, *, stage: str, format: str) -> Picture:
    """The picture of a job that Flink described."""
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
