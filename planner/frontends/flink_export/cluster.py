"""A running cluster: which job an address means, and what the cluster says about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any

from planner.errors import OptionError
from planner.frontends.flink_export.documents import Export, read_document
from planner.frontends.flink_export.fields import JsonObject, is_object, json_objects
from planner.frontends.flink_export.http import Budget, NoSuchAnswer, Server, get_json, parse_server
from planner.frontends.flink_export.saved import names_of
from planner.records import record

# /jobs/ID of the REST API, and #/job/running/ID of the web page, with anything after it.
_JOB = re.compile(
    r"^(?P<path>[^#?]*?)/?(?:#)?/(?:jobs|job(?:/running|/completed)?)/(?P<job>[0-9a-fA-F]{32})(?:[/?#].*)?$"
)
_ROOT = re.compile(r"^(?P<path>(?:(?!/jobs(?:/|$))[^#?])*?)/?(?:/jobs(?:/overview)?/?)?(?:/?#.*)?$")
_ID = re.compile(r"[0-9a-f]{32}")
_ENDED = frozenset({"FINISHED", "CANCELED", "FAILED"})
MOST_LISTED = 20


@record
class RunningJob:
    """One job of one cluster."""

    server: Server
    id: str
    budget: Budget = field(default_factory=Budget, compare=False, repr=False)

    @property
    def address(self) -> str:
        """Where the job is."""
        return f"{self.server.address}/jobs/{self.id}"

    def get(self, path: str = "") -> Any:
        """What the cluster answers about the job under `path`."""
        return get_json(self.server, f"/jobs/{self.id}{path}", budget=self.budget)

    def ask(self, path: str) -> Any | None:
        """The same, or None where this version of Flink has no such answer."""
        try:
            return self.get(path)
        except NoSuchAnswer:
            return None


def find_running(address: str) -> RunningJob:
    """The job that an address means; an address without a job means the only one that runs, or ran."""
    server = parse_server(address)
    rest = re.sub(r"^\w+://[^/?#]*", "", address)
    found = _JOB.match(rest)
    if found:
        return RunningJob(server=replace(server, path=found["path"].rstrip("/")), id=found["job"].lower())
    root = _ROOT.match(rest)
    if root is None:
        raise OptionError(f"{address!r} names no job", hint="write http://HOST:8081, or http://HOST:8081/jobs/ID")
    server = replace(server, path=root["path"].rstrip("/"))
    return RunningJob(server=server, id=_only_one(server))


def read_running(address: str) -> Export:
    """What a cluster says about a job: its plan, its slot sharing groups, the kinds of its sources."""
    job = find_running(address)
    details = job.get()
    if is_object(details) and not is_object(details.get("plan")):
        plan = job.get("/plan")
        details = {**details, "plan": plan.get("plan") if is_object(plan) else None}
    names = {vertex: names_of(job.get(f"/vertices/{vertex}/metrics")) for vertex in source_vertices(details)}
    try:
        return replace(read_document(details, job.address, names), where=job.address)
    except RecursionError as error:
        raise OptionError(f"the answer of {job.address} is nested too deeply") from error


def source_vertices(details: Any) -> list[str]:
    """The ids of the vertices that nothing feeds; only what is an id may become part of a path."""
    plan = details.get("plan") if is_object(details) else None
    if not is_object(plan):
        return []
    entries = [entry for entry, _ in json_objects(plan, "nodes", "plan") if not entry.get("inputs")]
    return [entry["id"] for entry in entries if is_id(entry.get("id"))]


def is_id(value: object) -> bool:
    """Whether a value is an id of Flink: 32 hex digits."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _only_one(server: Server) -> str:
    answer = get_json(server, "/jobs/overview")
    jobs = list(_listed(answer, server))
    running = [job for job in jobs if str(job.get("state")) not in _ENDED]
    shown = running or jobs
    if len(shown) == 1:
        return str(shown[0]["jid"])
    lines = [
        f"{server.address}/jobs/{job['jid']}  {job.get('state')}  {job.get('name')}" for job in shown[:MOST_LISTED]
    ]
    more = [f"... and {len(shown) - MOST_LISTED} more"] if len(shown) > MOST_LISTED else []
    what = f"{len(running)} jobs run on {server.address}" if running else f"no job runs on {server.address}"
    raise OptionError(f"{what}{': which one?' if running else ''}", hint="\n".join([*lines, *more]) or None)


def _listed(answer: Any, server: Server) -> Iterator[JsonObject]:
    if not is_object(answer):
        raise OptionError(f"the answer of {server.address}/jobs/overview is no list of jobs")
    for job, _ in json_objects(answer, "jobs", f"{server.address}/jobs/overview"):
        if is_id(job.get("jid")):
            yield job
