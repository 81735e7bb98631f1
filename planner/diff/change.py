"""One change between two versions of a job, and how much it matters."""

from __future__ import annotations

from typing import Any, Final, Literal

from planner.records import record

__all__ = ["LEVELS", "Change", "Level", "Part"]

# state-breaking: a restored job would not start, or would lose or misread state
# result: the job computes something else
# performance: the same result at another cost
# safe: neither result, nor cost, nor state
Level = Literal["state-breaking", "result", "performance", "safe"]
LEVELS: Final[tuple[Level, ...]] = ("state-breaking", "result", "performance", "safe")  # the order of a report
Part = Literal["job", "operator", "chain", "edge", "slots", "state"]


@record
class Change:
    """One change: how much it matters, what it is about, and the values before and after."""

    level: Level
    part: Part
    kind: str
    subject: str
    message: str
    before: Any = None
    after: Any = None
    at: int | None = None  # position of the operator in the new version; None: of the whole job, or it is gone
    advice: str | None = None  # what keeps the state, where there is something
    fact: str | None = None  # the declared fact that changed

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON-ready data."""
        return {
            "level": self.level,
            "part": self.part,
            "kind": self.kind,
            "subject": self.subject,
            "message": self.message,
            "before": self.before,
            "after": self.after,
            **({"fact": self.fact} if self.fact is not None else {}),
        }
