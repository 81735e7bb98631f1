"""Findings as GitLab's Code Quality report, which merge requests show on the changed lines."""

from __future__ import annotations

from typing import Any

from cli.render.findings.json import fingerprinted
from planner.lint.engine import Report
from planner.lint.finding import Finding, Severity

# GitLab knows info, minor, major, critical and blocker.
_SEVERITIES: dict[Severity, str] = {"error": "critical", "warning": "major", "note": "info"}


def code_quality(report: Report) -> list[dict[str, Any]]:
    """The report as GitLab reads it: an empty list where there is nothing to say."""
    return [_issue(*found) for found in fingerprinted(report.findings)]


def _issue(finding: Finding, file: str, fingerprint: str) -> dict[str, Any]:
    fix = f" Fix: {' '.join(finding.fix.split())}" if finding.fix else ""
    return {
        "description": f"{' '.join(finding.message.split())}{fix}",
        "check_name": f"{finding.code} {finding.slug}",
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": file, "lines": {"begin": max(finding.location.line, 1)}},
    }
