"""The Python front end's names in one place; `from planner import ...` takes them from here."""

from __future__ import annotations

from planner.api.environment import *  # noqa: F403
from planner.api.event_time import *  # noqa: F403
from planner.api.functions import *  # noqa: F403
from planner.api.streams import *  # noqa: F403
from planner.api.types import *  # noqa: F403
