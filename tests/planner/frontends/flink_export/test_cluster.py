"""Clusters: what is asked of them, and that none of their answers does harm."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import pytest

from planner.errors import OptionError, PlanError
from planner.frontends.flink_export import http
from planner.frontends.flink_export.cluster import find_running, read_running
from planner.observed.judgement import decide
from planner.observed.loading import observe
from tests.support import flink_exports
from tests.support.fake_cluster import FakeCluster, fake_cluster, recorded_answers

JOB = "5971b69d51440001311f09b2e9e4f42c"


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PLAN_FLINK_TOKEN", "PLAN_FLINK_USER", "PLAN_FLINK_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", flink_exports.recorded())
def test_a_running_job_is_read_like_its_recording(name: str) -> None:
    answers = recorded_answers(flink_exports.unpacked() / name)
    with fake_cluster(answers) as cluster:
        by_address = observe(read_running(cluster.address))
    assert by_address.vertices
    assert all(vertex.group for vertex in by_address.vertices)
    assert all(verdict.chained is not None for verdict in decide(by_address))
    assert {method for method, _, _ in cluster.requests} == {"GET"}


@pytest.mark.parametrize(
    "rest",
    [
        f"/jobs/{JOB}",
        f"/jobs/{JOB}/",
        f"/jobs/{JOB}/plan",
        f"/#/job/running/{JOB}/overview",
        f"/#/job/{JOB}/exceptions",
    ],
)
@pytest.mark.parametrize("proxy", ["", "/flink/eu"])
def test_an_address_of_the_api_or_of_the_web_page_names_the_job(rest: str, proxy: str) -> None:
    job = find_running(f"https://host:8443{proxy}{rest}")
    assert job.address == f"https://host:8443{proxy}/jobs/{JOB}"


@pytest.mark.parametrize("rest", ["", "/", "/jobs", "/jobs/", "/jobs/overview", "/#/overview"])
def test_an_address_without_a_job_means_the_only_one_that_runs(rest: str) -> None:
    jobs = [{"jid": JOB, "state": "RUNNING", "name": "a"}, {"jid": "0" * 32, "state": "FINISHED", "name": "b"}]
    with fake_cluster({"/jobs/overview": {"jobs": jobs}}) as cluster:
        assert find_running(cluster.address + rest).id == JOB


def test_several_jobs_are_listed_to_choose_from() -> None:
    jobs = [{"jid": str(number) * 32, "state": "RUNNING", "name": f"job {number}"} for number in (1, 2)]
    with fake_cluster({"/jobs/overview": {"jobs": jobs}}) as cluster, pytest.raises(OptionError) as caught:
        find_running(cluster.address)
    assert "2 jobs run" in caught.value.message
    assert caught.value.hint is not None
    assert f"{cluster.address}/jobs/{'1' * 32}  RUNNING  job 1" in caught.value.hint


def test_a_cluster_without_jobs_says_so() -> None:
    with fake_cluster({"/jobs/overview": {"jobs": []}}) as cluster, pytest.raises(OptionError, match="no job runs"):
        find_running(cluster.address)


def fails(answer: Any, path: str = f"/jobs/{JOB}") -> str:
    """What reading a job says when its cluster gives this answer."""
    with fake_cluster({path: answer}) as cluster, pytest.raises(PlanError) as caught:
        read_running(f"{cluster.address}/jobs/{JOB}")
    return str(caught.value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "is not JSON"),
        (b"<html>login</html>", "is not JSON"),
        (b'{"plan": ', "is not JSON"),
        (b"\xff\xfe", "is no text"),
        (b"[" * 200_000, "nested too deeply"),
        ([], "no export of Flink"),
        ({}, "404"),
        ({"errors": ["Job not found"]}, "404"),
        ({"vertices": [], "plan": {"nodes": 3}}, "must be a list"),
        ({"vertices": [], "plan": {"nodes": [{"id": "../../etc"}]}}, "description must be text"),
        ({"vertices": [7], "plan": {"jid": "x", "nodes": []}}, "has no nodes"),
        ({"vertices": {}, "plan": {"jid": "x", "nodes": [{"id": 7}]}}, "must be text"),
    ],
)
def test_an_answer_of_any_shape_ends_in_a_message(answer: Any, said: str) -> None:
    assert said in fails(answer)


def test_an_id_that_is_none_never_becomes_part_of_a_path() -> None:
    answer = {
        "vertices": [],
        "plan": {"jid": "x", "nodes": [{"id": "../x", "description": "a<br/>", "parallelism": 1}]},
    }
    with fake_cluster({f"/jobs/{JOB}": answer}) as cluster:
        read_running(f"{cluster.address}/jobs/{JOB}")
        assert [path for _, path, _ in cluster.requests] == [f"/jobs/{JOB}"]


def test_a_redirect_to_another_host_is_not_followed() -> None:
    with fake_cluster({}) as other:
        message = fails(lambda handler: handler.reply(307, b"", Location=f"{other.address}/jobs/{JOB}"))
        assert "redirects to another host" in message
        assert other.requests == []


@pytest.mark.parametrize("location", ["//evil/", "https://127.0.0.1:1/", "file:///etc/passwd", "http://[", ""])
def test_odd_redirects_are_refused(location: str) -> None:
    message = fails(lambda handler: handler.reply(302, b"", Location=location))
    assert "redirects" in message


def test_a_redirect_on_the_same_host_is_followed_but_not_forever() -> None:
    assert "in a circle" in fails(lambda handler: handler.reply(302, b"", Location=f"/jobs/{JOB}"))
    name = "rest/2.3/tuned-heavy-alone"
    answers = recorded_answers(flink_exports.unpacked() / name)
    moved = {f"/old{path}": (lambda to: lambda h: h.reply(302, b"", Location=to))(path) for path in answers}
    with fake_cluster({**answers, **moved}) as cluster:
        assert read_running(f"{cluster.address}/old/jobs/{JOB}").job is not None


def test_an_answer_that_is_too_large_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred times the bound, without a length: reading stops at the bound."""
    monkeypatch.setattr(http, "MOST_BYTES", 1 << 20)
    sent = []

    def endless(handler: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b" " * (1 << 20))
            sent.append(1)

    assert "answers more than 1 MiB" in fails(endless)
    assert len(sent) < 100


def test_a_cluster_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "TIME_OUT", 0.2)
    clusters: list[FakeCluster] = []

    def hang(_: Any) -> None:
        clusters[0].ended.wait(20)

    with fake_cluster({f"/jobs/{JOB}": hang}) as cluster, pytest.raises(OptionError, match="sent nothing for"):
        clusters.append(cluster)
        read_running(f"{cluster.address}/jobs/{JOB}")


def test_a_cluster_that_drips_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "DEADLINE", 0.5)

    def drip(handler: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(200):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)

    assert "did not answer within" in fails(drip)


@pytest.mark.parametrize(
    ("bound", "value", "said"), [("ALL_SECONDS", 0.3, "took more than"), ("ALL_BYTES", 1 << 20, "MiB in all")]
)
def test_a_cluster_that_names_no_end_of_vertices_is_given_up(
    bound: str, value: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer alone is small and quick."""
    monkeypatch.setattr(http, bound, value)
    asked: list[str] = []

    def metrics(handler: Any) -> None:
        asked.append(handler.path)
        time.sleep(0.01)
        handler.reply(200, b"[" + b" " * 20_000 + b"]")

    ids = [f"{number:032x}" for number in range(2_000)]
    nodes = [{"id": one, "parallelism": 1, "description": "Source"} for one in ids]
    details = json.dumps({"jid": JOB, "plan": {"nodes": nodes}}).encode()
    answers: dict[str, Any] = {f"/jobs/{JOB}/vertices/{one}/metrics": metrics for one in ids}
    answers[f"/jobs/{JOB}"] = lambda handler: handler.reply(200, details)
    with fake_cluster(answers) as cluster, pytest.raises(OptionError, match=said):
        read_running(f"{cluster.address}/jobs/{JOB}")
    assert 0 < len(asked) < 1_000


@pytest.mark.parametrize("status", [201, 400, 401, 403, 404, 500, 503])
def test_other_answers_are_told(status: int) -> None:
    message = fails(lambda handler: handler.reply(status, b"secret"))
    assert f"answers {status}" in message
    assert "secret" not in message


def test_what_is_no_http_is_told() -> None:
    assert "does not speak HTTP" in fails(lambda handler: handler.wfile.write(b"SSH-2.0\r\n\r\n"))


def test_nobody_listens() -> None:
    with fake_cluster({}) as cluster:
        address = cluster.address
    with pytest.raises(OptionError, match="refuses the connection"):
        read_running(f"{address}/jobs/{JOB}")


@pytest.mark.parametrize("address", ["http://", "http://user:secret@host", "http://h:99999", "ftp://h", "http://[::1"])
def test_wrong_addresses_are_refused_without_repeating_a_password(address: str) -> None:
    with pytest.raises(OptionError) as caught:
        find_running(address)
    assert "secret" not in str(caught.value)


def test_credentials_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_cluster({"/jobs/overview": {"jobs": [{"jid": JOB, "state": "RUNNING"}]}}) as cluster:
        monkeypatch.setenv("PLAN_FLINK_USER", "anna")
        monkeypatch.setenv("PLAN_FLINK_PASSWORD", "secret")
        find_running(cluster.address)
        monkeypatch.setenv("PLAN_FLINK_TOKEN", "token")
        find_running(cluster.address)
        sent = [headers["Authorization"] for _, _, headers in cluster.requests]
    assert sent == ["Basic " + base64.b64encode(b"anna:secret").decode(), "Bearer token"]


def test_credentials_are_not_sent_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAN_FLINK_TOKEN", "secret")
    with pytest.raises(OptionError) as caught:
        find_running("http://flink.example:8081")
    assert "is not https" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_token_that_no_request_can_hold_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAN_FLINK_TOKEN", "secret\nX: y")
    with fake_cluster({}) as cluster, pytest.raises(OptionError) as caught:
        find_running(cluster.address)
    assert "secret" not in str(caught.value)
    assert cluster.requests == []


def test_a_certificate_that_nobody_signed_is_not_trusted() -> None:
    with fake_cluster({}) as cluster, pytest.raises(OptionError, match=r"cannot be (trusted|read)"):
        read_running(f"{cluster.address.replace('http', 'https')}/jobs/{JOB}")
