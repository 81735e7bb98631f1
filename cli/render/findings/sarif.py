"""Findings as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from cli import __version__
from cli.render.findings.json import fingerprinted
from planner.lint.engine import Report
from planner.lint.finding import Finding
from planner.lint.registry import RULES
from planner.lint.rule import LintRule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "planFinding/v1"


def report_document(report: Report) -> dict[str, Any]:
    """The report as one SARIF run."""
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "plan",
                        "semanticVersion": __version__,
                        "rules": [_rule(rule) for rule in RULES],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(*found) for found in fingerprinted(report.findings)],
            }
        ],
    }


def _rule(rule: LintRule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.slug,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.checks},
        "help": {"text": "\n\n".join(_help(rule)), "markdown": "\n\n".join(_help(rule))},
        "defaultConfiguration": {"level": rule.severity},
    }


def _help(rule: LintRule) -> Iterable[str]:
    return rule.checks, rule.why, rule.example, rule.fix


def _result(finding: Finding, file: str, fingerprint: str) -> dict[str, Any]:
    fix = f" Fix: {finding.fix}." if finding.fix else ""
    return {
        "ruleId": finding.code,
        "ruleIndex": next(at for at, rule in enumerate(RULES) if rule.code == finding.code),
        "level": finding.severity,
        "message": {"text": f"{finding.message}{'' if finding.message.endswith('.') else '.'}{fix}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(file), "uriBaseId": "%SRCROOT%"},
                    "region": _region(finding),
                },
                **({"logicalLocations": [_logical(finding)]} if finding.operator else {}),
            }
        ],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }


def _region(finding: Finding) -> dict[str, int]:
    column = finding.location.column
    return {"startLine": max(finding.location.line, 1), **({"startColumn": column} if column else {})}


def _logical(finding: Finding) -> dict[str, str]:
    return {"name": str(finding.operator), "fullyQualifiedName": f"{finding.job}/{finding.operator}", "kind": "object"}
