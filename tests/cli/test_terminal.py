"""What a terminal gets: styles, and lines wrapped under their own indent."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import TextIO, cast

import pytest
from rich.console import Console

from cli.render.styled import for_terminal, without_commands
from cli.render.text.progress import Bars, Lines, Streaming
from spark_runner.figures.results import PrintedRecord
from spark_runner.figures.tracking import VertexProgress

ROOT = Path(__file__).parents[2]
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def on_a_terminal(*arguments: str, columns: int, code: int = 0, **environment: str) -> str:
    """The output of the real program when a terminal of that width reads it."""
    main_end, its_end = pty.openpty()
    script = "import sys; from cli.app import main; sys.exit(main())"
    settings = {"COLUMNS": str(columns), "TERM": "xterm-256color", "PYTHONPATH": str(ROOT), **environment}
    clean = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=its_end, stderr=its_end, cwd=ROOT, env={**clean, **settings}
    )
    os.close(its_end)
    found = b""
    while True:
        try:
            part = os.read(main_end, 65_536)
        except OSError:  # Linux: the other end was closed
            break
        if not part:
            break
        found += part
    os.close(main_end)
    assert process.wait() == code
    return found.decode().replace("\r\n", "\n")


def test_text_is_styled_and_wrapped_under_its_indent() -> None:
    text = on_a_terminal("explain", "samples/parallelism_mismatch/job.yaml", columns=60)
    lines = STYLE.sub("", text).split("\n")
    assert STYLE.search(text)
    assert max(len(line) for line in lines) <= 60
    start = next(number for number, line in enumerate(lines) if "REBALANCE comes from" in line)
    assert lines[start].startswith("    REBALANCE") and re.match(r" {8}\S", lines[start + 1])
    assert "" in lines[:4], "sections stay apart"


def test_a_row_that_does_not_fit_is_not_padded() -> None:
    words = ("show", "samples/word_count/job.yaml", "--stage", "physical", "--task-managers", "1", "--slots", "2")
    lines = STYLE.sub("", on_a_terminal(*words, columns=60)).split("\n")
    row = next(line for line in lines if line.lstrip().startswith("1 -> 2"))
    assert row.startswith("  1 -> 2  Source")
    assert max(len(line) for line in lines) <= 60


def shown_at_80(*arguments: str, code: int = 0) -> list[str]:
    lines = STYLE.sub("", on_a_terminal(*arguments, columns=80, code=code)).split("\n")
    assert max(map(len, lines)) <= 80
    return lines


def test_reasons_keep_their_column_at_80() -> None:
    lines = shown_at_80("explain", "samples/order_enrichment/job.py")
    start = next(number for number, line in enumerate(lines) if "CH003 different-slot-sharing-group: " in line)
    column = lines[start].index("slot sharing group default")
    assert lines[start + 1].index("HASH: records") == column
    assert re.match(rf" {{{column}}}\S", lines[start + 2]), "the rest of a reason stands under it"


def test_the_costs_are_aligned_at_80() -> None:
    lines = shown_at_80(
        "show", "samples/order_enrichment/job.py", "--stage", "physical", "--task-managers", "2", "--slots", "4"
    )
    heads = next(line for line in lines if "channels  remote" in line)
    rows = [line for line in lines if re.match(r"  \d -> \d  v", line)]
    end = heads.index("channels") + len("channels")
    assert len(rows) == 6 and all(re.match(r"\d ", row[end - 1 :]) for row in rows)


def test_a_findings_carets_stand_under_its_line_at_80() -> None:
    lines = shown_at_80("lint", "samples/order_enrichment/job.py", code=1)
    marked = [number for number, line in enumerate(lines) if re.match(r" +\| +\^|      ?\| \^", line)]
    assert len(marked) == 4
    for number in marked:
        assert re.match(r"  \d+ \| ", lines[number - 1]), lines[number - 1]


def test_the_page_of_a_rule_fills_its_lines_at_80() -> None:
    lines = shown_at_80("rule", "PL101")
    start = lines.index("What it checks") + 1
    sentences = lines[start : lines.index("", start)]
    assert all(len(line) > 60 and line[:3].strip() for line in sentences[:-1]), "no line is broken twice"
    point = next(number for number, line in enumerate(lines) if line.startswith("  1. "))
    assert re.match(r" {5}\S", lines[point + 1]), "the rest of a point stands under it"


def test_nothing_is_lost_by_wrapping() -> None:
    job = "tests/golden/jobs/every_obstacle.yaml"
    wide = on_a_terminal("explain", job, columns=300)
    narrow = on_a_terminal("explain", job, columns=50)
    assert "".join(STYLE.sub("", wide).split()) == "".join(STYLE.sub("", narrow).split())


def test_no_color_is_plain_on_a_terminal_too() -> None:
    text = on_a_terminal("show", "samples/word_count/job.yaml", columns=80, NO_COLOR="1")
    assert "\x1b" not in text


def test_names_cannot_send_commands_to_the_terminal(tmp_path: Path) -> None:
    job = tmp_path / "job.yaml"
    name = "\\e]0;title\\a\\e[2J"
    job.write_text(f'operators:\n  - {{id: a, type: source, name: "{name}"}}\n  - {{id: b, type: print, input: a}}\n')
    text = on_a_terminal("explain", str(job), columns=200)
    assert "\x1b]" not in text and "\x1b[2J" not in text
    assert "\\x1b]0;title\\x07\\x1b[2J" in text


def test_a_terminal_shows_control_characters_of_records_and_a_pipe_gets_them() -> None:
    record = "a\x1b]0;owned\x07\tb\nc\x9b"
    assert for_terminal(record, cast(TextIO, Terminal())) == "a\\x1b]0;owned\\x07\tb\nc\\x9b"
    assert for_terminal(record, io.StringIO()) == record


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("audience", ["lines", "bars", "streaming"])
def test_printed_records_cannot_command_the_terminal(audience: str) -> None:
    out = Terminal()
    console = Console(file=out, force_terminal=True, color_system=None, width=80)
    shown = {
        "lines": lambda: Lines(out, io.StringIO()),
        "bars": lambda: Bars(console, out),
        "streaming": lambda: Streaming(console, out),
    }[audience]()
    shown.printed(PrintedRecord(operator="print-1", subtask=1, text="x\x1b[31mred"))
    assert "x\\x1b[31mred" in out.getvalue() and "\x1b[31m" not in out.getvalue()


def test_vertices_of_one_name_are_told_apart() -> None:
    said = io.StringIO()
    lines = Lines(io.StringIO(), said)
    for number in (0, 1):
        lines.vertex_changed(
            VertexProgress(vertex=number, name="Source: Custom Source", parallelism=2, state="FINISHED")
        )
    assert said.getvalue().splitlines() == [
        "  0 Source: Custom Source: 2 subtasks done",
        "  1 Source: Custom Source: 2 subtasks done",
    ]


def test_names_in_a_workflow_are_no_commands() -> None:
    text = "a\n::error::x\n  ::stop-commands::y\nb ##[error]z"
    assert without_commands(text) == "a\n\\::error::x\n  \\::stop-commands::y\nb #\\#[error]z"
