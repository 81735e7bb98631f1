"""What action.yml asks of GitHub's REST API, with the job's own token and nothing but Python.

github_api.py verdict REPORT.json     print the gravest verdict
github_api.py comment REPORT.md WORD  keep the one comment of the pull request up to date; WORD is the verdict
github_api.py sarif FILE              upload findings to code scanning
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MARKER = "<!-- plan-inspector: one comment, kept up to date -->"
VERDICTS = ("cannot be planned", "state-breaking", "result", "performance", "safe", "no changes")
NOTHING = ("", "no changes")


def ask(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """One call of the API."""
    root = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    request = urllib.request.Request(
        f"{root}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}",
        data=None if body is None else json.dumps(body).encode(),
        method=method,
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def comments(number: int) -> Iterator[dict[str, Any]]:
    """All comments of a pull request."""
    page = 1
    while True:
        found = ask("GET", f"issues/{number}/comments?per_page=100&page={page}")
        yield from found
        if len(found) < 100:
            return
        page += 1


def event() -> dict[str, Any]:
    """What started the workflow."""
    path = os.environ.get("GITHUB_EVENT_PATH")
    return dict(json.loads(Path(path).read_text(encoding="utf-8"))) if path and Path(path).is_file() else {}


def comment(report: str, verdict: str) -> None:
    """The first comment, or the same one with new content. Where nothing changed, none is begun."""
    number = event().get("pull_request", {}).get("number")
    if number is None:
        print("this is no pull request: there is nothing to comment on")
        return
    body = f"{MARKER}\n{Path(report).read_text(encoding='utf-8')}"
    known = next((one for one in comments(number) if one["body"].startswith(MARKER)), None)
    if known is None and verdict in NOTHING:
        print("nothing changed: no comment")
    elif known is None:
        ask("POST", f"issues/{number}/comments", {"body": body})
        print("commented")
    elif known["body"] != body:
        ask("PATCH", f"issues/comments/{known['id']}", {"body": body})
        print("the comment was updated")
    else:
        print("the comment is up to date")


def sarif(file: str) -> None:
    """Findings for code scanning, of the commit that was checked out."""
    packed = base64.b64encode(gzip.compress(Path(file).read_bytes())).decode()
    commit, ref = os.environ["GITHUB_SHA"], os.environ["GITHUB_REF"]
    ask("POST", "code-scanning/sarifs", {"commit_sha": commit, "ref": ref, "sarif": packed, "tool_name": "plan"})
    print("findings were uploaded")


def verdict(file: str) -> None:
    """The gravest verdict of all jobs."""
    found = [review["verdict"] for review in json.loads(Path(file).read_text(encoding="utf-8"))["reviews"]]
    print(min(found, key=VERDICTS.index, default="no changes"))


def main() -> int:
    """Run one command. What GitHub refuses is a warning: the gate must not depend on it."""
    command, *arguments = sys.argv[1:]
    needs = {"comment": "pull-requests: write", "sarif": "security-events: write"}
    try:
        {"comment": comment, "sarif": sarif, "verdict": verdict}[command](*arguments)
    except urllib.error.HTTPError as error:
        said = f"GitHub answered {error.code} {error.reason}"
        hint = f"the job needs the permission `{needs[command]}`, which pull requests from forks do not get"
        print(f"::warning::plan could not {'comment' if command == 'comment' else 'upload'}: {said}; {hint}")
    except urllib.error.URLError as error:
        print(f"::warning::plan could not reach GitHub: {error.reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
