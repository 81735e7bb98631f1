"""Loading what Flink compiles: the jobs of a SQL script, of a jar's main, or of a script that real PyFlink runs."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.errors import PlanError
from planner.flink.versions import read_version
from planner.frontends.flink_compiler.failures import MissingFactory, failure_of, shortly
from planner.frontends.flink_compiler.kept_answers import keep, kept
from planner.frontends.flink_compiler.places import places_in_sql
from planner.frontends.flink_compiler.process import Outcome, run_beside_flink
from planner.frontends.flink_compiler.programs import Asked, jar_asked, script_asked, sql_asked
from planner.frontends.flink_compiler.request import FlinkRequest
from planner.frontends.flink_compiler.sql_script import Statement
from planner.frontends.flink_export.stream_graph import job_of_graph
from planner.frontends.picking import failed_after, numbered, pick, picks_before, with_name
from planner.job import JobDefinition, Location
from planner.records import record

if TYPE_CHECKING:
    from planner.frontends.python_files.handover import LoadOptions

__all__ = ["load_compiled", "load_export"]

_AS_IF_EMPTY = "the program read the result of an earlier job: this one is planned as if that result was empty"


@record
class _Compiled:
    """The jobs of a program, each with Flink's answer; and why there are no more."""

    answers: Sequence[Mapping[str, Any]]
    jobs: Sequence[JobDefinition]
    failure: PlanError | None = None  # after these jobs


def load_compiled(path: Path, options: LoadOptions, name: str | None = None) -> list[JobDefinition]:
    """All jobs of a program, in the order in which it would submit them.

    A SQL script that fails has the jobs before that, for those who ask for one of them by name or number.
    """
    return list(_compiled(path, options, name).jobs)


def load_export(path: Path, name: str | None, options: LoadOptions) -> Mapping[str, Any]:
    """The stream graph of one of a program's jobs, in the format of an export."""
    compiled = _compiled(path, options, name)
    position = list(map(id, compiled.jobs)).index(id(pick(compiled.jobs, path, name)))
    found: Mapping[str, Any] = compiled.answers[position]["job"]
    return found


def _compiled(path: Path, options: LoadOptions, name: str | None) -> _Compiled:
    compiled = _asked(path, options)
    failure = compiled.failure
    if failure is not None and (name is None or with_name(compiled.jobs, path, name) is None):
        failure.hint = "\n".join(filter(None, (failure.hint, picks_before(compiled.jobs, path))))
        raise failure
    return compiled


def _asked(path: Path, options: LoadOptions) -> _Compiled:
    request = options.compiler or FlinkRequest()
    if options.flink is not None:
        request = replace(request, version=read_version(options.flink))
    configuration = dict(request.configuration)
    if options.parallelism is not None:
        configuration["parallelism.default"] = str(options.parallelism)
    while True:
        asked, statements = _question(path, options, request, configuration)
        try:
            answers, failure = _answers(asked, request, statements)
            jobs = numbered([_job(answer, asked, statements) for answer in answers])
            return _Compiled(answers=answers, jobs=jobs, failure=failure)
        except MissingFactory as missing:
            if not request.fetch:
                raise
            request = _with_connector(request, missing, asked.flink)


def _question(
    path: Path, options: LoadOptions, request: FlinkRequest, configuration: Mapping[str, str]
) -> tuple[Asked, list[Statement]]:
    if path.suffix.lower() == ".sql":
        return sql_asked(path, request, configuration)
    if path.suffix.lower() == ".jar":
        return jar_asked(path, options.arguments, request, configuration), []
    return script_asked(path, options.arguments, request, configuration), []


def _with_connector(request: FlinkRequest, missing: MissingFactory, flink: str) -> FlinkRequest:
    """The request with the jar of a connector that was missing."""
    from planner.frontends.flink_compiler.connectors import artifact_of
    from planner.frontends.flink_compiler.maven import fetch

    found = artifact_of(missing.kind, missing.name, flink)
    if found is None:
        raise missing
    jar = fetch(found[0], flink, found[1])
    if jar in request.class_path:  # it is there, and did not help
        raise missing
    return replace(request, class_path=(*request.class_path, jar))


def _answers(
    asked: Asked, request: FlinkRequest, statements: Sequence[Statement]
) -> tuple[list[Mapping[str, Any]], PlanError | None]:
    """The jobs, and what went wrong after them; without any, or where a connector can be fetched, that is raised."""
    found = None if request.fresh else kept(asked.way, asked.depends)
    if found is not None:
        return found, None
    outcome = run_beside_flink(asked.document(), time_limit=request.time_limit, interpreter=asked.interpreter)
    failure = failure_of(outcome, asked, statements, request)
    found = [{**answer, "notes": _notes(answer, outcome, failure)} for answer in outcome.answers if "job" in answer]
    if failure is not None and (not found or (request.fetch and isinstance(failure, MissingFactory))):
        raise failure
    if failure is None and asked.may_keep:
        keep(asked.way, asked.depends, found)
    _speed_up_the_next(asked)
    return [{**answer, "notes": [*answer["notes"], *asked.java_notes()]} for answer in found], failure


def _speed_up_the_next(asked: Asked) -> None:
    """Let Flink answer sooner next time; nothing that goes wrong here is this answer's concern."""
    if asked.installation is not None:
        with contextlib.suppress(OSError):
            asked.archive().build_in_background()


def _notes(answer: Mapping[str, Any], outcome: Outcome, failure: PlanError | None) -> list[str]:
    """What a reader should know: the program may have read results before, or have ended badly afterwards."""
    notes = [_AS_IF_EMPTY] if answer.get("after_result") else []
    if failure is not None:
        return [*notes, failed_after(failure)]
    for late in outcome.of("failure"):
        notes.append(f"the program failed after its jobs: {shortly(late)}")
    return notes


def _job(answer: Mapping[str, Any], asked: Asked, statements: Sequence[Statement]) -> JobDefinition:
    document, file = answer["job"], str(asked.path)
    notes = tuple(answer.get("notes", ()))
    place = answer.get("place")
    location, places = Location(file, 1), dict[int, Location]()
    if asked.way == "sql" and isinstance(place, int):
        location, places = places_in_sql(document, file, statements, place)
    elif isinstance(place, int):
        location = Location(file, place)
    return job_of_graph(document, file, places, location, notes)
