"""The picture of each stage, in a table."""

from __future__ import annotations

from collections.abc import Callable

from cli.render.pictures.execution import execution_picture
from cli.render.pictures.operators import job_picture, stream_picture
from cli.render.pictures.physical import physical_picture
from cli.render.pictures.picture import Picture
from planner.pipeline import Plan, Stage

__all__ = ["PICTURES"]

PICTURES: dict[Stage, Callable[[Plan], Picture]] = {
    "stream": stream_picture,
    "job": job_picture,
    "execution": execution_picture,
    "physical": physical_picture,
}
