"""What a user asked of one run: the job and the options, as plain data that a detached process reads back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from planner.errors import OptionError
from planner.settings.quantities import parse_duration
from spark_runner.clusters.master import parse_master

__all__ = ["Mode", "RunRequest", "Trigger", "parse_trigger"]

Mode = Literal["batch", "streaming"]

REDACTED = "*********(redacted)"  # as Spark writes it
_SECRET = "(?i)secret|password|token|access[.]?key"  # Spark's own default for spark.redaction.regex
_TOKEN_OF_MASTER = re.compile(r"(?i)(;token=)[^;]*")  # sc://host/;token=...


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """How often a streaming run looks for input: whatever there is and then end, or again and again."""

    available_now: bool = True
    interval: int = 0  # milliseconds, where it is not available_now
    once: bool = False  # one batch


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One run as the command line gave it. Paths are as written, relative to `folder`."""

    job: str  # a file, or file:NAME
    folder: str
    master: str = "local[*]"
    conf: tuple[tuple[str, str], ...] = ()
    deploy_mode: Literal["client", "cluster"] = "client"
    py_files: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    mode: Mode | None = None  # None: batch where every source is bounded
    checkpoint: str | None = None
    trigger: str | None = None
    timeout: int | None = None  # milliseconds
    flink: str | None = None  # the version of Flink to plan for; None: as in the settings, else the newest
    allow_lost_state: tuple[str, ...] = ()  # operators whose state in the checkpoint is given up
    report: str | None = None  # where the report is written when the run is over
    arguments: tuple[str, ...] = ()  # for the job's own file
    parallelism: int | None = None  # of a Python job that sets none itself

    def __post_init__(self) -> None:
        parse_master(self.master)
        if self.trigger is not None:
            parse_trigger(self.trigger)

    def to_dict(self) -> dict[str, Any]:
        """The request as JSON-ready data."""
        return asdict(self)

    def redacted(self) -> RunRequest:
        """The request as it may be kept and shown: without values that look like secrets by Spark's own pattern."""
        secret = _pattern(dict(self.conf).get("spark.redaction.regex", _SECRET))
        return replace(
            self,
            master=_TOKEN_OF_MASTER.sub(rf"\g<1>{REDACTED}", self.master),
            conf=tuple(
                (key, REDACTED if key != "spark.redaction.regex" and secret.search(f"{key}={value}") else value)
                for key, value in self.conf
            ),
            arguments=tuple(_redacted_arguments(self.arguments, secret)),
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RunRequest:
        """The request that `to_dict` gave, after JSON turned its tuples into lists."""
        values = dict(data)
        values["conf"] = tuple((key, value) for key, value in data.get("conf", ()))
        values["py_files"] = tuple(data.get("py_files", ()))
        values["packages"] = tuple(data.get("packages", ()))
        values["allow_lost_state"] = tuple(data.get("allow_lost_state", ()))
        values["arguments"] = tuple(data.get("arguments", ()))
        return cls(**values)


def _pattern(written: str) -> re.Pattern[str]:
    try:
        return re.compile(written)
    except re.error:  # Java's syntax knows more; Spark itself will say what is wrong with it
        return re.compile(_SECRET)


def _redacted_arguments(arguments: tuple[str, ...], secret: re.Pattern[str]) -> Iterator[str]:
    """`--password=x` keeps its name only, and `--password x` loses the word after it."""
    hide_next = False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if hide_next and not argument.startswith("-"):
            yield REDACTED
        elif equals and secret.search(argument):
            yield f"{name}={REDACTED}" if secret.search(name) else REDACTED
        else:
            yield argument
        hide_next = not equals and argument.startswith("-") and bool(secret.search(argument))


def parse_trigger(written: str) -> Trigger:
    """The trigger of `available-now`, `once` or `processing-time=5s`."""
    kind, _, value = written.partition("=")
    if kind in ("available-now", "once") and not value:
        return Trigger(once=kind == "once")
    if kind in ("real-time", "continuous"):
        raise OptionError(
            f"--trigger {written}: Spark's {kind} mode does not run Python operators",
            hint="use processing-time=0s, which starts a batch as soon as the last one is over",
        )
    if kind == "processing-time" and value:
        try:
            return Trigger(available_now=False, interval=parse_duration(value))
        except ValueError as error:
            raise OptionError(f"--trigger {written}: {error}") from error
    raise OptionError(f"--trigger {written!r} is unknown", hint="give available-now, once, or processing-time=5s")
