"""A cluster that answers from a table, or misbehaves: hangs, lies, redirects, sends too much."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Answer = Any  # JSON-ready data, bytes, or a function that writes the answer itself


class FakeCluster:
    """What the server saw, and where it listens."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.address = f"http://127.0.0.1:{server.server_address[1]}"
        self.requests: list[tuple[str, str, dict[str, str]]] = []  # method, path, headers
        self.ended = threading.Event()  # set when the test is over: what hangs may stop


@contextlib.contextmanager
def fake_cluster(answers: Mapping[str, Answer] | Callable[[str], Answer]) -> Iterator[FakeCluster]:
    """A server on this machine that answers GET requests by their path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            cluster.requests.append(("GET", self.path, dict(self.headers)))
            answer = answers(self.path) if callable(answers) else answers.get(self.path)
            with contextlib.suppress(OSError):  # the client may have gone
                if callable(answer):
                    answer(self)
                elif answer is None:
                    self.reply(404, b'{"errors": ["not found"]}')
                else:
                    self.reply(200, answer if isinstance(answer, bytes) else json.dumps(answer).encode())

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("do_"):
                raise AttributeError(name)
            raise AssertionError(f"only GET may be sent, not {name}")

        def reply(self, status: int, body: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Tests print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    cluster = FakeCluster(server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield cluster
    finally:
        cluster.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


def recorded_answers(folder: Path) -> dict[str, Any]:
    """What a recorded cluster answers, by path."""
    files = {"": "job", "/plan": "plan", "/checkpoints": "checkpoints", "/checkpoints/config": "checkpoints_config"}
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    base = f"/jobs/{job['jid']}"
    found = {f"{base}{path}": json.loads((folder / f"{name}.json").read_text()) for path, name in files.items()}
    found["/jobs/overview"] = {"jobs": [{"jid": job["jid"], "name": job["name"], "state": job["state"]}]}
    for name in ("overview", "taskmanagers", "config"):
        found[f"/{name}"] = json.loads((folder / f"cluster_{name}.json").read_text(encoding="utf-8"))
    details = folder / "checkpoint_details.json"
    if details.is_file():
        document = json.loads(details.read_text(encoding="utf-8"))
        found[f"{base}/checkpoints/details/{document['id']}"] = document
    for vertex in job["vertices"]:
        place = folder / "vertices" / vertex["id"]
        for path, end in (("", ""), ("/backpressure", "_backpressure"), ("/metrics", "_metrics")):
            document = json.loads(place.with_name(f"{place.name}{end}.json").read_text(encoding="utf-8"))
            found[f"{base}/vertices/{vertex['id']}{path}"] = document
    return found
