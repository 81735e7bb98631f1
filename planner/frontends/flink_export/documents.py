"""Which export a text is, by its content: a stream plan, a job plan, an answer of `/jobs/ID`, or text around one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from planner.errors import JobDefinitionError
from planner.frontends.flink_export.fields import JsonObject, is_object, parse_json
from planner.frontends.flink_export.job_plan import JobPlan, is_job_plan, read_job_plan
from planner.frontends.flink_export.running import RunningFacts, is_job_details, read_facts
from planner.frontends.flink_export.stream_plan import StreamPlan, is_stream_plan, read_stream_graph, read_stream_plan
from planner.records import record

_NO_EXPORT = "no export of Flink"
_HINT = (
    "save what env.getExecutionPlan(), flink info, EXPLAIN JSON_EXECUTION_PLAN or GET /jobs/ID/plan print, "
    "or give the address of a cluster"
)
_MARKS = ("Execution Plan -", "== Physical Execution Plan ==")
_CHANGELOG = re.compile(r"changelogMode=\[")


@record(slots=False)
class Export:
    """What was read: any of the three parts may be missing, never all."""

    where: str
    stream: StreamPlan | None = None
    job: JobPlan | None = None
    facts: RunningFacts | None = None
    batch: bool | None = None  # where only the text around a stream plan tells

    def beside(self, other: Export) -> Export:
        """This export, completed by another one of the same job."""
        return replace(
            self,
            stream=self.stream or other.stream,
            job=self.job or other.job,
            facts=self.facts or other.facts,
            batch=other.batch if self.batch is None else self.batch,
        )


def read_export(content: str, where: str) -> Export:
    """The export in a text."""
    begin = content.lstrip("\ufeff \t\r\n")
    if begin.startswith("{"):
        return read_document(parse_json(begin, where), where)
    return _inside_of_text(content, where)


def looks_like_export(content: str) -> bool:
    """Whether a text is one of Flink's exports, without reading all of it into shape."""
    begin = content.lstrip("\ufeff \t\r\n")
    if not begin.startswith("{"):
        return any(mark in content for mark in _MARKS)
    try:
        document = json.loads(begin)
    except (ValueError, RecursionError):
        return '"pact"' in begin or '"jid"' in begin  # broken, but meant to be one: its own message is better
    return is_object(document) and _kind(document) is not None


def read_document(document: Any, where: str, metric_names: Mapping[str, Sequence[str]] | None = None) -> Export:
    """The export in a JSON document."""
    kind = _kind(document) if is_object(document) else None
    if kind == "stream plan":
        return Export(where=where, stream=read_stream_plan(document, where))
    if kind == "job plan":
        return Export(where=where, job=read_job_plan(document, where))
    if kind == "job details":
        return _details(document, where, metric_names or {})
    raise JobDefinitionError(f"{where} is {_NO_EXPORT}{_complaint(document)}", hint=_HINT)


def _kind(document: JsonObject) -> str | None:
    if "format" in document:  # of StreamGraphExport.java: that is planned, not observed
        return None
    if is_job_details(document):
        return "job details"
    if is_stream_plan(document):
        return "stream plan"
    return "job plan" if is_job_plan(document) else None


def _details(document: JsonObject, where: str, metric_names: Mapping[str, Sequence[str]]) -> Export:
    graph = document.get("stream-graph")
    inner = graph if is_object(graph) and graph.get("nodes") else None
    return Export(
        where=where,
        stream=read_stream_graph(inner, f"{where}.stream-graph") if inner else None,
        job=read_job_plan(document, where),
        facts=read_facts(document, metric_names, where),
    )


def _inside_of_text(content: str, where: str) -> Export:
    """The plan inside of what `flink info` or EXPLAIN print."""
    at = max((content.find(mark) for mark in _MARKS), default=-1)
    begin = content.find("{", max(at, 0))
    if begin < 0 or (at < 0 and '"nodes"' not in content):
        raise JobDefinitionError(f"{where} is {_NO_EXPORT}: there is no plan in it", hint=_HINT)
    try:
        document, _ = json.JSONDecoder().raw_decode(content, begin)
    except (ValueError, RecursionError) as error:
        raise JobDefinitionError(f"{where}: the plan in this text is not whole: {error}", hint=_HINT) from error
    streaming = False if _CHANGELOG.search(content, 0, begin) else None
    return replace(read_document(document, where), batch=streaming)


def _complaint(document: Any) -> str:
    if is_object(document):
        if "format" in document:
            return " of its own, but a stream graph of StreamGraphExport.java: save it as a .json file"
        errors = document.get("errors")
        if isinstance(errors, list) and errors:
            return f", but an error of Flink: {str(errors[0]).splitlines()[0][:200]}"
        fields = ", ".join(repr(key) for key in list(document)[:5])
        return f": it has the fields {fields}" if fields else ": it is empty"
    return ""
