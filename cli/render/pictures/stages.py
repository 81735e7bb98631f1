"""The picture of each stage, in a table."""

from __future__ import annotations

from typing import Protocol

from cli.render.pictures.execution import execution_picture
from cli.render.pictures.operators import job_picture, stream_picture
from cli.render.pictures.overlay import NOTHING, Overlay
from cli.render.pictures.physical import physical_picture
from cli.render.pictures.picture import Picture
from planner.pipeline import Plan, Stage

__all__ = ["PICTURES"]


class Draws(Protocol):
    """Makes the picture of one stage."""

    def __call__(self, plan: Plan, overlay: Overlay = NOTHING) -> Picture:
        """The picture of `plan`."""


PICTURES: dict[Stage, Draws] = {
    "stream": stream_picture,
    "job": job_picture,
    "execution": execution_picture,
    "physical": physical_picture,
}
