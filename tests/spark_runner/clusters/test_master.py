"""Master URLs: what is taken, what is refused, and that nobody listening is known at once."""

from __future__ import annotations

import socket

import pytest

from planner.errors import ExecutionError, OptionError
from spark_runner.clusters.master import check_reachable, parse_master


@pytest.mark.parametrize(
    ("url", "kind", "addresses"),
    [
        ("local", "local", ()),
        ("local[*]", "local", ()),
        ("local[4]", "local", ()),
        ("local[4,2]", "local", ()),
        ("spark://a:7077", "standalone", (("a", 7077),)),
        ("spark://a:7077,b.example:7078", "standalone", (("a", 7077), ("b.example", 7078))),
        ("spark://[::1]:7077", "standalone", (("::1", 7077),)),
        ("yarn", "yarn", ()),
        ("k8s://https://api:6443", "kubernetes", (("api", 6443),)),
        ("k8s://api", "kubernetes", (("api", 443),)),
        ("sc://host", "connect", (("host", 15002),)),
        ("sc://host:1/;user_id=me", "connect", (("host", 1),)),
    ],
)
def test_masters(url: str, kind: str, addresses: tuple[tuple[str, int], ...]) -> None:
    master = parse_master(url)
    assert (master.kind, master.addresses) == (kind, addresses)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "local[0]",
        "local[x]",
        "spark://",
        "spark://a",
        "spark://a:99999",
        "spark://a:1,",
        "http://a:1",
        "sc://",
        "lokal",
    ],
)
def test_malformed_masters_are_refused_with_the_forms_there_are(url: str) -> None:
    with pytest.raises(OptionError) as refused:
        parse_master(url)
    assert "spark://host:7077" in str(refused.value)


def test_a_master_nobody_listens_at_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ExecutionError, match=rf"127.0.0.1:{port} \(connection refused\)"):
        check_reachable(parse_master(f"spark://127.0.0.1:{port}"))


def test_one_of_several_masters_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        dead = closed.getsockname()[1]
    with socket.create_server(("127.0.0.1", 0)) as open_:
        check_reachable(parse_master(f"spark://127.0.0.1:{dead},127.0.0.1:{open_.getsockname()[1]}"))
