"""What every command prints for every sample, held against files: the diff of a change is its story.

`pytest tests/golden --update-golden` rewrites the files, and still fails where they were different.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.app import main

ROOT = Path(__file__).parents[2]
EXPECTED = Path(__file__).parent / "expected"
STAGES = ("stream", "job", "execution", "physical")
COMMANDS: dict[str, tuple[str, ...]] = {
    "explain.txt": ("explain",),
    "explain-only-broken.txt": ("explain", "--only", "broken"),
    "explain.json": ("explain", "--format", "json"),
    "order.txt": ("order",),
    "order.json": ("order", "--format", "json"),
    "show-all.json": ("show", "--stage", "all", "--format", "json"),
    **{f"show-{stage}.txt": ("show", "--stage", stage) for stage in STAGES},
    **{f"render-{stage}.dot": ("render", "--stage", stage, "-f", "dot") for stage in STAGES},
    **{f"render-{stage}.mmd": ("render", "--stage", stage, "-f", "mermaid") for stage in STAGES},
}
# Large or only there for one thing: what they are there for is enough.
NARROW: dict[str, tuple[str, ...]] = {
    "forty_operators": ("explain.txt", "order.txt", "show-job.txt", "render-job.mmd"),
    "two_hundred_subtasks": ("explain.txt", *(name for name in COMMANDS if "execution" in name or "physical" in name)),
    "awkward_names": ("explain.txt", "explain.json", "show-stream.txt", "render-job.dot", "render-job.mmd"),
    "batch_word_count": ("explain.txt", "order.txt", "show-job.txt", "show-execution.txt", "show-physical.txt"),
    "every_obstacle": ("explain.txt", "explain-only-broken.txt", "order.txt", "render-stream.dot", "show-stream.txt"),
}


def jobs() -> Iterator[Path]:
    for pattern in ("samples/*/job.py", "samples/*/job.yaml", "tests/golden/jobs/*.yaml"):
        yield from sorted(ROOT.glob(pattern))


def cases() -> Iterator[tuple[str, Path, str]]:
    for job in jobs():
        own = job.stem == "job"
        folder = f"{job.parent.name}-{job.suffix[1:]}" if own else job.stem
        for name in COMMANDS if own else NARROW[job.stem]:
            yield folder, job, name


def check(path: Path, text: str, *, update: bool) -> None:
    before = path.read_text(encoding="utf-8") if path.exists() else None
    if update and before != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert before is not None, f"{path.name} is not there yet: --update-golden writes it"
    assert text == before


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.mark.parametrize(
    ("folder", "job", "name"), [pytest.param(*case, id=f"{case[0]}/{case[2]}") for case in cases()]
)
def test_what_is_printed(
    folder: str,
    job: Path,
    name: str,
    update: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    command, *options = COMMANDS[name]
    code = main([command, job.relative_to(ROOT).as_posix(), *options])
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    check(EXPECTED / folder / name, captured.out, update=update)


WITHOUT_JOB: dict[str, tuple[str, ...]] = {
    "help-explain.txt": ("explain", "--help"),
    "help-show.txt": ("show", "--help"),
    "help-order.txt": ("order", "--help"),
    "help-render.txt": ("render", "--help"),
    "help-rule.txt": ("rule", "--help"),
    "help-schema.txt": ("schema", "--help"),
    "rule-CH009.txt": ("rule", "CH009"),
    "rule-CH009.json": ("rule", "CH009", "--format", "json"),
    "what-if.txt": ("explain", "samples/parallelism_mismatch/job.yaml", "--set", "readings.parallelism=4"),
    "edge.txt": ("explain", "samples/parallelism_mismatch/job.yaml", "--edge", "readings:fahrenheit"),
}


@pytest.mark.parametrize("name", list(WITHOUT_JOB))
def test_what_is_printed_once(
    name: str, update: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    assert main(list(WITHOUT_JOB[name])) == 0
    check(EXPECTED / name, capsys.readouterr().out, update=update)


def test_no_golden_file_is_left_over() -> None:
    wanted = {f"{folder}/{name}" for folder, _, name in cases()} | set(WITHOUT_JOB)
    found = {path.relative_to(EXPECTED).as_posix() for path in EXPECTED.rglob("*") if path.is_file()}
    assert found == wanted
