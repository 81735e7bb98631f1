"""Findings for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from cli.repository import repository_relative
from planner.lint.engine import Report
from planner.lint.finding import SEVERITIES, Finding


def report_document(report: Report) -> dict[str, Any]:
    """The report as JSON-ready data; paths are relative to the repository."""
    counts = Counter(finding.severity for finding in report.findings)
    return {
        "version": 1,
        "findings": [_entry(*found) for found in fingerprinted(report.findings)],
        "summary": {
            "files": len(report.files),
            "jobs": len(report.jobs),
            "findings": len(report.findings),
            **{f"{level}s": counts[level] for level in SEVERITIES},
            "ignored": report.ignored,
        },
    }


def fingerprinted(findings: Sequence[Finding]) -> Iterator[tuple[Finding, str, str]]:
    """Every finding with its repository-relative file and a fingerprint that no other finding has."""
    taken: Counter[str] = Counter()
    for finding in findings:
        file = repository_relative(finding.location.file)
        fingerprint = finding.fingerprint(file)
        taken[fingerprint] += 1
        yield finding, file, f"{fingerprint}:{taken[fingerprint]}"


def _entry(finding: Finding, file: str, fingerprint: str) -> dict[str, Any]:
    return {
        "code": finding.code,
        "slug": finding.slug,
        "severity": finding.severity,
        "message": finding.message,
        "fix": finding.fix,
        "file": file,
        "line": finding.location.line,
        "column": finding.location.column,
        "job": finding.job,
        "operator": finding.operator,
        "fingerprint": fingerprint,
    }
