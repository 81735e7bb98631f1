"""`plan lint` as Markdown: the gravest findings first, file by file."""

from __future__ import annotations

from collections import Counter

from cli.render.markdown.document import Section, code, document, tables, text
from cli.render.words import count
from cli.repository import repository_relative
from planner.lint.engine import Report
from planner.lint.finding import SEVERITIES, Finding, Severity

__all__ = ["findings_markdown"]

_SIGNS: dict[Severity, str] = {"error": "🔴 error", "warning": "🟠 warning", "note": "🔵 note"}


def findings_markdown(report: Report) -> str:
    """All findings."""
    by_file: dict[str, list[Finding]] = {}
    for finding in sorted(report.findings, key=lambda one: SEVERITIES.index(one.severity)):
        by_file.setdefault(repository_relative(finding.location.file), []).append(finding)
    sections = [Section(_head(report))]
    for file, findings in by_file.items():
        sections.append(Section(f"#### {code(file)}", title=code(file)))
        rows = [_row(finding) for finding in findings]
        parts = tables(("", "rule", "line", "finding"), rows)
        sections += [Section("", part, f"findings in {code(file)}") for part in parts]
    for file, codes in report.skipped:
        told = f"{code(file)} is what Flink says about a job. It does not tell what {', '.join(codes)} look at."
        sections.append(Section(told))
    return document(sections)


def _head(report: Report) -> str:
    counts = Counter(finding.severity for finding in report.findings)
    parts = [count(counts[level], level) for level in SEVERITIES if counts[level]]
    ignored = f", {report.ignored} ignored" if report.ignored else ""
    found = f"{', '.join(parts) or 'no findings'} in {count(len(report.files), 'file')}{ignored}"
    return f"### plan lint: {found}"


def _row(finding: Finding) -> tuple[str, ...]:
    said = "<br>".join(text(line) for line in finding.message.splitlines())
    fix = "<br>".join(text(line.strip()) for line in (finding.fix or "").splitlines())
    return (
        _SIGNS[finding.severity],
        f"{finding.code}<br>{finding.slug}",
        str(finding.location.line),
        said + (f"<br>**fix:** {fix}" if fix else ""),
    )
