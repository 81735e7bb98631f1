"""A few calls to the Kubernetes API, for the tests' own use."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

PODS = "/api/v1/pods"


class Api:
    """The API server as somebody who knows a token sees it."""

    def __init__(self, url: str, authority: Path, token: str) -> None:
        self.url, self.token = url, token
        self._trust = ssl.create_default_context(cafile=str(authority))

    def call(self, method: str, path: str, body: dict[str, Any] | None = None, **query: str) -> dict[str, Any]:
        """The answer to one request; urllib.error.HTTPError where it is refused."""
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        address = f"{self.url}{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
        request = urllib.request.Request(
            address,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": kind},
        )
        with urllib.request.urlopen(request, timeout=30, context=self._trust) as answer:
            text = answer.read()
        found: dict[str, Any] = json.loads(text) if text.startswith(b"{") else {}
        return found

    def ready(self) -> bool:
        """Whether the server answers."""
        try:
            self.call("GET", "/readyz")
        except OSError:
            return False
        return True

    def ensure(self, path: str, body: dict[str, Any]) -> None:
        """Create something that may be there already."""
        try:
            self.call("POST", path, body)
        except urllib.error.HTTPError as refusal:
            if refusal.code != 409:
                raise

    def items(self, path: str, **query: str) -> list[dict[str, Any]]:
        """The things of one kind."""
        found: list[dict[str, Any]] = self.call("GET", path, **query)["items"]
        return found
