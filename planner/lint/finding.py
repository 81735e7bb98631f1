"""A finding: what a lint rule says about one place of one job."""

from __future__ import annotations

import hashlib
from typing import Literal

from planner.job import Location
from planner.records import record

Severity = Literal["error", "warning", "note"]  # a note never fails a build
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def at_least(severity: Severity, least: Severity) -> bool:
    """Whether a severity is as grave as `least`, or graver."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(least)


@record
class Finding:
    """One message of one rule. `subject` and `detail` name what it is about without any line number."""

    code: str
    slug: str
    severity: Severity
    message: str
    location: Location
    fix: str | None = None
    job: str | None = None
    operator: str | None = None  # as the job's author calls it
    subject: str = ""  # the baseline key of the operator or edge: what the fingerprint is made of
    lines: tuple[int, ...] = ()  # where an ignore comment may stand, beside the location
    operator_id: int | None = None  # the transformation whose YAML `ignore` applies

    def fingerprint(self, file: str) -> str:
        """A name for the finding in `file` (relative to the repository) that edits elsewhere in it do not change."""
        written = "\0".join((self.code, file, self.job or "", self.subject))
        return hashlib.sha256(written.encode("utf-8", "backslashreplace")).hexdigest()[:32]

    def order(self) -> tuple[str, int, int, str, str]:
        """The sort key of a report: by place, then by code."""
        return self.location.file, self.location.line, self.location.column or 0, self.code, self.message
