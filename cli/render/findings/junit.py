"""Findings as JUnit XML: one suite per file, one failed case per finding, one passed case per job without any.

Notes do not fail a build, and so are left out.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from cli.repository import repository_relative
from planner.lint.engine import Report
from planner.lint.finding import Finding

# Everything that XML 1.0 has no way to say.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report_xml(report: Report) -> str:
    """The report as one JUnit document."""
    files = dict.fromkeys((*report.files, *(finding.location.file for finding in report.findings)))
    suites = [_suite(report, file) for file in files]
    total = sum(count for count, _ in suites)
    failures = sum(finding.severity != "note" for finding in report.findings)
    head = f'<testsuites name="plan lint" tests="{total}" failures="{failures}" errors="0">'
    return "\n".join(
        ['<?xml version="1.0" encoding="UTF-8"?>', head, *(text for _, text in suites), "</testsuites>", ""]
    )


def _suite(report: Report, file: str) -> tuple[int, str]:
    findings = [finding for finding in report.findings if finding.location.file == file and finding.severity != "note"]
    shown = repository_relative(file)
    cases = [_failed(shown, finding) for finding in findings]
    if not findings:
        names = [job.name for job in report.jobs if job.file == file] or [shown]
        cases = [f"    <testcase classname={_attribute(shown)} name={_attribute(name)}/>" for name in names]
    head = f'  <testsuite name={_attribute(shown)} tests="{len(cases)}" failures="{len(findings)}" errors="0">'
    return len(cases), "\n".join([head, *cases, "  </testsuite>"])


def _failed(file: str, finding: Finding) -> str:
    name = f"{finding.code} {finding.slug}" + (f" {finding.operator}" if finding.operator else "")
    body = f"{file}:{finding.location.line}\n{finding.message}" + (f"\nFix: {finding.fix}" if finding.fix else "")
    return (
        f'    <testcase classname={_attribute(file)} name={_attribute(name)} line="{finding.location.line}">\n'
        f"      <failure type={_attribute(finding.code)} message={_attribute(finding.message)}>"
        f"{_text(body)}</failure>\n"
        "    </testcase>"
    )


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;"})


def _text(text: str) -> str:
    return escape(_clean(text))
