"""The steps of action.yml, run as a runner runs them: in a clone of a repository with two branches, with a stand-in for
GitHub's API that keeps the comments."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
JOB = """name: orders
parallelism: 2
max_parallelism: 128
operators:
  - {id: orders, type: source, name: orders, uid: orders}
  - {id: parse, type: map, name: parse, input: orders, uid: parse}
  - {id: totals, type: sum, name: totals, input: parse, key_by: user, uid: totals}
  - {id: out, type: print, input: totals, uid: out}
"""


class Api:
    """The comments of one pull request, and what was uploaded."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = [{"id": number, "body": f"hello {number}"} for number in range(1, 131)]
        self.calls: list[str] = []
        self.uploads: list[dict[str, Any]] = []
        self.refuses = False

    @property
    def ours(self) -> list[dict[str, Any]]:
        return [one for one in self.comments if "plan-inspector" in one["body"]]

    def answer(self, method: str, path: str, body: dict[str, Any] | None) -> tuple[int, Any]:
        if self.refuses:
            return 403, {"message": "Resource not accessible by integration"}
        asked = re.fullmatch(r"/repos/o/r/issues/7/comments\?per_page=100&page=(\d+)", path)
        if method == "GET" and asked:
            page = int(asked[1])
            return 200, self.comments[(page - 1) * 100 : page * 100]
        if (method, path) == ("POST", "/repos/o/r/issues/7/comments") and body is not None:
            self.comments.append({"id": 1000 + len(self.comments), **body})
            return 201, self.comments[-1]
        edited = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", path)
        if method == "PATCH" and edited and body is not None:
            (known,) = [one for one in self.comments if one["id"] == int(edited[1])]
            known.update(body)
            return 200, known
        if (method, path) == ("POST", "/repos/o/r/code-scanning/sarifs") and body is not None:
            self.uploads.append(body)
            return 202, {"id": "1"}
        return 404, {"message": f"{method} {path}"}


@pytest.fixture
def api() -> Iterator[tuple[Api, str]]:
    kept = Api()

    class Handler(BaseHTTPRequestHandler):
        def _any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            assert self.headers["Authorization"] == "Bearer the-token"
            kept.calls.append(f"{self.command} {self.path}")
            code, answer = kept.answer(self.command, self.path, body)
            written = json.dumps(answer).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        do_GET = do_POST = do_PATCH = _any

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield kept, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@dataclass
class Runner:
    """A checkout and the surroundings that GitHub gives to steps."""

    checkout: Path
    temporary: Path
    api: str
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""
    summary: str = ""

    def run(self, **inputs: str) -> int:
        """The exit code of the first step that fails, or 0."""
        given = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
        given |= {"token": "the-token", "install": "false"} | {name.replace("_", "-"): v for name, v in inputs.items()}
        self.log = self.summary = ""
        self.outputs = {}
        files = {name: self.temporary / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        for step in ACTION["runs"]["steps"]:
            if "if" in step:
                assert step["if"] == "inputs.install == 'true'", "the only condition that this test knows"
                continue
            code = self.step(step, given, files)
            self.summary = files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
            pairs = (line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines())
            self.outputs = dict(pairs)  # type: ignore[arg-type]
            if code:
                return code
        return 0

    def step(self, step: dict[str, Any], inputs: dict[str, str], files: dict[str, Path]) -> int:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an input in a script could be more than a word"

        def value(written: str) -> str:
            return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], written)

        surroundings = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.temporary),
            "RUNNER_TEMP": str(self.temporary),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_API_URL": self.api,
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_BASE_REF": "main",
            "GITHUB_SHA": "abc",
            "GITHUB_REF": "refs/pull/7/merge",
            "GITHUB_EVENT_PATH": str(self.temporary / "event.json"),
            **{name: str(file) for name, file in files.items()},
            **{name: value(written) for name, written in step.get("env", {}).items()},
        }
        script = self.temporary / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.checkout, env=surroundings, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.log += done.stdout + done.stderr
        return done.returncode


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def runner(tmp_path: Path, api: tuple[Api, str]) -> Runner:
    """A clone of the branch of a pull request, as deep as actions/checkout makes it: one commit."""
    origin, checkout, temporary = (tmp_path / name for name in ("origin", "checkout", "temporary"))
    origin.mkdir()
    temporary.mkdir()
    git(origin, "init", "-q", "-b", "main")
    (origin / "jobs").mkdir()
    (origin / "jobs" / "orders.yaml").write_text(JOB, encoding="utf-8")
    (origin / "jobs" / "helper.py").write_text("WIDTH = 2\n", encoding="utf-8")
    git(origin, "add", ".")
    git(origin, "commit", "-qm", "first")
    git(origin, "checkout", "-qb", "change")
    git(tmp_path, "clone", "-q", "--depth=1", "--branch=change", f"file://{origin}", str(checkout))
    event = {"pull_request": {"number": 7}}
    (temporary / "event.json").write_text(json.dumps(event), encoding="utf-8")
    return Runner(checkout=checkout, temporary=temporary, api=api[1])


def change(runner: Runner, old: str, new: str) -> None:
    job = runner.checkout / "jobs" / "orders.yaml"
    job.write_text(job.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    git(runner.checkout, "commit", "-qam", f"{old} -> {new}")


def test_a_change_is_one_comment_that_is_kept_up_to_date(runner: Runner, api: tuple[Api, str]) -> None:
    kept, _ = api
    assert runner.run(paths="jobs") == 0, runner.log
    assert kept.ours == [], "nothing changed"
    assert runner.outputs["verdict"] == "no changes"
    assert "### plan: no job changed" in runner.summary

    change(runner, "name: parse,", "name: parse, parallelism: 4,")
    assert runner.run(paths="jobs") == 0, runner.log
    (comment,) = kept.ours
    assert comment["body"].startswith("<!-- plan-inspector")
    assert "🟡 performance" in comment["body"]
    assert "parallelism 2 -> 4" in comment["body"]
    assert "```mermaid" in comment["body"]
    assert runner.summary.startswith("### plan: 🟡 performance")
    assert "### plan lint:" in runner.summary
    assert runner.outputs["verdict"] == "performance"

    kept.calls.clear()
    assert runner.run(paths="jobs") == 0, runner.log
    assert not [call for call in kept.calls if not call.startswith("GET")], "it is up to date"

    change(runner, "parallelism: 4", "parallelism: 6")
    assert runner.run(paths="jobs") == 0, runner.log
    assert kept.ours == [comment], "the same comment"
    assert "parallelism 2 -> 6" in comment["body"]

    change(runner, "name: parse, parallelism: 6,", "name: parse,")
    assert runner.run(paths="jobs") == 0, runner.log
    assert kept.ours == [comment], "taken back: the comment says so"
    assert "no job changed" in comment["body"]


def test_state_that_is_lost_fails_after_it_was_told(runner: Runner, api: tuple[Api, str]) -> None:
    kept, _ = api
    change(runner, ", uid: totals", "")
    assert runner.run(paths="jobs") == 1
    assert "::error::plan diff: state-breaking" in runner.log
    assert "🔴 state-breaking" in kept.ours[0]["body"]
    assert "🔴 state-breaking" in runner.summary
    assert runner.run(paths="jobs", fail_on="never") == 0, runner.log
    assert runner.run(paths="jobs", fail_on="error") == 0, runner.log
    assert runner.run(paths="jobs", fail_on="warning", comment="false") == 1, "PL101"
    assert "::warning file=jobs/orders.yaml,line=7" in runner.log
    assert runner.run(paths="jobs", fail_on="wanring") == 1
    assert "fail-on: there is no 'wanring'" in runner.log


def test_a_baseline_and_a_version_reach_lint(runner: Runner) -> None:
    plan = Path(sys.executable).parent / "plan"
    subprocess.run([plan, "lint", "jobs", "--update-baseline"], cwd=runner.checkout, check=True, capture_output=True)
    change(runner, "name: parse,", "name: parse, parallelism: 4,")
    assert runner.run(paths="jobs", baseline="plan.lock.json", fail_on="warning", flink="1.20") == 1
    assert "PL001 edge-no-longer-chained" in runner.log
    assert runner.run(paths="jobs", flink="0.9") == 2
    assert "0.9" in runner.log


def test_a_job_that_cannot_be_planned_is_told_and_fails(runner: Runner, api: tuple[Api, str]) -> None:
    kept, _ = api
    change(runner, "input: parse", "input: pasre")
    assert runner.run(paths="jobs") == 1
    assert "❌ cannot be planned" in kept.ours[0]["body"]
    assert "did you mean" in kept.ours[0]["body"]


def test_findings_are_uploaded_where_that_is_asked_for(runner: Runner, api: tuple[Api, str]) -> None:
    kept, _ = api
    change(runner, ", uid: totals", "")
    assert runner.run(paths="jobs", sarif="true", fail_on="never") == 0, runner.log
    (upload,) = kept.uploads
    assert (upload["commit_sha"], upload["ref"]) == ("abc", "refs/pull/7/merge")
    document = json.loads(gzip.decompress(base64.b64decode(upload["sarif"])))
    assert document["runs"][0]["results"]


def test_a_token_that_may_not_write_is_a_warning(runner: Runner, api: tuple[Api, str]) -> None:
    api[0].refuses = True
    change(runner, "name: parse,", "name: parse, parallelism: 4,")
    assert runner.run(paths="jobs") == 0, runner.log
    assert "::warning::plan could not comment: GitHub answered 403" in runner.log
    assert "pull-requests: write" in runner.log


def test_every_input_is_used_and_documented() -> None:
    written = (ROOT / "action.yml").read_text(encoding="utf-8")
    guide = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    for name in ACTION["inputs"]:
        assert f"inputs.{name}" in written
        assert f"`{name}`" in guide
    assert not re.findall(r"uses:", written), "no action of others"
