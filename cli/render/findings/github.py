"""Findings as GitHub workflow annotations: errors first, and in plain lines what GitHub will not show."""

from __future__ import annotations

from collections.abc import Iterable

from cli.render.styled import without_commands
from cli.repository import repository_relative
from planner.lint.finding import SEVERITIES, Finding

SHOWN = 10  # annotations that GitHub shows for one step


def workflow_commands(findings: Iterable[Finding]) -> str:
    """The workflow commands, and after them the findings that are over GitHub's limit."""
    ordered = sorted(findings, key=lambda finding: (SEVERITIES.index(finding.severity), finding.order()))
    lines = [_annotation(finding) for finding in ordered[:SHOWN]]
    dropped = ordered[SHOWN:]
    if dropped:
        lines.append(f"GitHub shows {SHOWN} annotations per step; {len(dropped)} more findings are not annotated:")
        lines += [_plain_line(finding) for finding in dropped]
    return "".join(f"{text}\n" for text in lines)


def _plain_line(finding: Finding) -> str:
    place = f"{repository_relative(finding.location.file)}:{finding.location.line}"
    return "  " + without_commands(_data(f"{place}: {finding.code} {finding.slug}: {finding.message}"))


def _annotation(finding: Finding) -> str:
    column = f",col={finding.location.column}" if finding.location.column else ""
    file = _property(repository_relative(finding.location.file))
    title = _property(f"{finding.code} {finding.slug}")
    text = finding.message if finding.fix is None else f"{finding.message}\nFix: {finding.fix}"
    level = "notice" if finding.severity == "note" else finding.severity
    return f"::{level} file={file},line={finding.location.line}{column},title={title}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
