"""Reports as Markdown: read by a parser of Markdown, with names that try to get out of their place."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from cli.app import main
from cli.render.markdown.document import LIMIT, Section, block, code, document, text, with_names

HOSTILE = (
    "a|b|c",
    "`x` ``y``",
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "@someone and #1 GH-1 org/repo#2",
    "one\ntwo\n# heading\n- list",
    "https://evil.example/x www.evil.example",
    "[link](javascript:alert(1)) ![i](http://e/x.png)",
    "</details></td><b>bold</b> **bold** _em_ ~~gone~~",
    "\u202egnp.exe :smile: $x$ &amp; &lt;",
    '--> end ```\nclick n1 href "javascript:alert(1)"',
    '"];n1:::x %%{init: {}}%%',
    "1. x",
    "\\",
)
OUR_HTML = re.compile(r"</?(details|summary|sub|code|br)( open)?/?>")


def tokens(markdown: str) -> Iterator[Token]:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    waiting = list(parser.parse(markdown))
    for token in waiting:
        yield token
        yield from token.children or ()


def rendered(markdown: str) -> str:
    """What a reader sees, without markup."""
    return "".join(token.content for token in tokens(markdown) if token.type in ("text", "code_inline"))


def jobs(folder: Path) -> tuple[str, str]:
    operators = [{"id": "s", "type": "source", "name": HOSTILE[0], "uid": HOSTILE[1]}]
    for number, name in enumerate(HOSTILE):
        before = operators[-1]["id"]
        operators.append({"id": f"m{number}", "type": "map", "name": name, "input": before, "uid": f"{name}{number}"})
    operators.append({"id": "sum", "type": "sum", "name": HOSTILE[2], "input": operators[-1]["id"], "key_by": "k"})
    old = {"name": "".join(HOSTILE[1:5]), "operators": operators}
    new = json.loads(json.dumps(old))
    for at, operator in enumerate(new["operators"]):
        if at % 2:
            operator["parallelism"] = 3
    del new["operators"][7]
    new["operators"][7]["input"] = "m5"
    for name, job in (("old", old), ("new", new)):
        (folder / f"{name}.yaml").write_text(json.dumps(job), encoding="utf-8")
    return "old.yaml", "new.yaml"


@pytest.mark.parametrize("command", ["diff", "explain", "lint"])
def test_hostile_names_are_inert(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    old, new = jobs(tmp_path)
    main([command, *([old] if command == "diff" else []), new, "--format", "markdown"])
    markdown = capsys.readouterr().out
    found = list(tokens(markdown))
    assert not [
        token for token in found if token.type in ("link_open", "image", "em_open", "s_open", "ordered_list_open")
    ]
    html = "".join(token.content for token in found if token.type in ("html_inline", "html_block"))
    assert not re.findall("<[^<>]*>", OUR_HTML.sub("", html))
    alive = re.compile(r"@\w|(?<!&)#\d|\bGH-\d|https?:|www\.")
    outside = "".join(token.content for token in found if token.type == "text")
    assert not alive.search(outside)
    fences = Counter(token.info for token in found if token.type == "fence")
    assert fences == ({} if command == "lint" else {"mermaid": 1})


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_shown_as_it_is_in_a_sentence_a_span_and_a_table(name: str) -> None:
    seen = name.replace("\n", "\\n").replace("\u202e", "\\u202e")
    assert rendered(f"x {code(name)} y").replace("\u200b", "") == f"x {seen} y"
    assert rendered(f"x {text(name)} y").replace("\u200b", "") == f"x {seen} y"
    cells = list(tokens(f"| h | i |\n| --- | --- |\n| {code(name)} | {text(name)} |"))
    assert sum(token.type == "td_open" for token in cells) == 2, "no cell more"
    (fence,) = [token for token in tokens(block(f"{name}\n```\nx")) if token.type == "fence"]
    assert fence.content == f"{name}\n```\nx\n"


def test_names_in_a_sentence_are_code_spans() -> None:
    words = with_names("the id of a_b (x) changed, a_b too", ["a_b (x)", "a_b"])
    assert words == "the id of `a_b (x)` changed, `a_b` too"


def test_a_document_keeps_what_is_short_and_tells_the_rest() -> None:
    sections = [Section(f"## {number}", "x" * 400, f"`{number}`") for number in range(20)]
    written = document(sections, limit=5_000)
    assert len(written) <= 5_000
    assert "## 19" in written
    assert "Left out, since a comment holds at most 5000 characters: details of" in written
    assert "Left out" not in document(sections)
    many = document([Section("y" * 100, "", f"`{number}`") for number in range(1_000)], limit=5_000)
    assert len(many) <= 5_000
    assert re.search(r"`\d+`, 9\d\d more\. Run the command", many)


@pytest.mark.parametrize("command", ["diff", "explain", "lint"])
def test_a_large_job_stays_below_the_limit(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, key in (("old.yaml", "user"), ("new.yaml", "country")):
        operators = [{"id": "s", "type": "source", "name": "s"}]
        for number in range(400):
            name = f"a long name of operator number {number} {'x' * 60}"
            operators.append(
                {"id": f"m{number}", "type": "sum", "name": name, "input": "s", "key_by": f"{key}{number}"}
            )
        job = {"name": "wide", "parallelism": 2 if file == "old.yaml" else 3, "operators": operators}
        Path(file).write_text(json.dumps(job), encoding="utf-8")
    main([command, *(["old.yaml"] if command == "diff" else []), "new.yaml", "--format", "markdown"])
    markdown = capsys.readouterr().out
    assert 1_000 < len(markdown) <= LIMIT
    told = "Left out, since" if command != "diff" else "and 370 more"
    assert told in markdown


def test_a_large_graph_is_folded_to_what_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    operators: list[dict[str, object]] = [{"id": "s", "type": "source", "name": "s"}]
    for number in range(99):
        operators.append({"id": f"m{number}", "type": "map", "name": f"step {number}", "input": operators[-1]["id"]})
    for file in ("old.yaml", "new.yaml"):
        Path(file).write_text(json.dumps({"name": "long", "operators": operators}), encoding="utf-8")
        operators[51]["parallelism"] = 4
    assert main(["diff", "old.yaml", "new.yaml", "--format", "markdown"]) == 0
    markdown = capsys.readouterr().out
    (drawing,) = [token.content for token in tokens(markdown) if token.type == "fence"]
    assert re.findall(r'\["(step \d+)', drawing) == ["step 49", "step 50", "step 51"]
    assert re.findall(r"(\d+) more operators", drawing) == ["50", "47"]
    assert "3 of 100 operators are drawn: what changed, and its neighbours." in markdown
    assert 'subgraph c1["task 2, parallelism 4"]' in drawing
    assert "class n52 is_changed" in drawing
    assert "was FORWARD, chained" in drawing


def test_gitlab_reads_the_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text(
        "name: x\noperators:\n  - {id: s, type: source, name: s}\n  - {id: t, type: sum, input: s, key_by: u}\n",
        encoding="utf-8",
    )
    assert main(["lint", "--select", "PL101", "--format", "gitlab"]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert first["check_name"] == "PL101 stateful-without-uid"
    assert (first["severity"], first["location"]) == ("major", {"path": "job.yaml", "lines": {"begin": 3}})
    assert first["fingerprint"] != second["fingerprint"]
    assert "Fix: give it a uid" in first["description"]
    assert "\n" not in first["description"]
    assert main(["lint", "--select", "PL106", "--format", "gitlab"]) == 0
    assert json.loads(capsys.readouterr().out) == []
