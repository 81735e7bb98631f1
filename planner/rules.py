"""What a rule is, and what it finds: one shape for chaining conditions, PyFlink's merge conditions and lint rules.

A rule is one module with one `RULE`. The module's docstring is the rule's page: the first line is the summary, then
come the headings `What it does`, `Why it matters`, `Example` and `How to fix it`. `plan rule`, docs/rules, `explain`,
`lint` and the reports read these texts, and only when they show them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

from planner.records import record

__all__ = ["HEADINGS", "About", "Checked", "Condition", "Obstacle", "Rule", "Side", "to_remove"]

HEADINGS = ("What it does", "Why it matters", "Example", "How to fix it")

# What an obstacle is about: whoever reasons over obstacles asks for this, not for the codes of rules.
About = Literal[
    "job", "inputs", "slot sharing group", "strategy", "partitioner", "exchange", "parallelism",
    "max parallelism", "source", "other",
]  # fmt: skip
Side = Literal["upstream", "downstream", "both"]
Known = TypeVar("Known")  # the facts that a condition reads
Case = TypeVar("Case")  # the edge or pair that it is asked about, with all that messages name


@record(slots=False)
class Rule:
    """What every rule has: a code that never changes, a name, and a page."""

    code: str
    slug: str
    page: str | None  # the docstring of its module; None under python -OO, where the rules must still run

    @cached_property
    def _sections(self) -> dict[str, str]:
        """The summary, and the text under each `## Heading`."""
        if self.page is None:
            return {"": self.slug, **dict.fromkeys(HEADINGS, "not available under python -OO")}
        sections: dict[str, list[str]] = {}
        summary, _, rest = self.page.strip().partition("\n")
        lines: list[str] = []
        for line in rest.splitlines():
            if line.startswith("## "):
                lines = sections.setdefault(line[3:].strip(), [])
            else:
                lines.append(line)
        found = {heading: "\n".join(text).strip() for heading, text in sections.items()}
        missing = [heading for heading in HEADINGS if not found.get(heading)]
        if missing or not summary:
            raise ValueError(f"the page of {self.code} lacks {', '.join(missing) or 'its summary'}")
        return {"": summary.rstrip("."), **found}

    @property
    def summary(self) -> str:
        """One sentence, without its full stop."""
        return self._sections[""]

    @property
    def checks(self) -> str:
        """What the rule looks at."""
        return self._sections["What it does"]

    @property
    def why(self) -> str:
        """Why it matters."""
        return self._sections["Why it matters"]

    @property
    def example(self) -> str:
        """Code that the rule reports."""
        return self._sections["Example"]

    @property
    def fix(self) -> str:
        """How to remove the finding."""
        return self._sections["How to fix it"]


@record
class Obstacle:
    """One condition that does not hold between two operators."""

    code: str
    slug: str
    values: str  # what was found: "parallelism 2 -> 4"
    change: str | None  # the smallest change of the job that removes it; None where nothing should
    needed: bool  # the result needs it (a keyed exchange): chaining or merging would be wrong
    settings: tuple[str, ...] = ()  # the same change for `--set`; empty where `--set` cannot make it
    about: About = "other"
    side: Side = "both"  # the operator whose setting is in the way
    consequence: bool = False  # goes away together with another obstacle of the same edge
    certain: bool = True  # False: Flink's exports leave open whether it is this one


def to_remove(obstacles: tuple[Obstacle, ...]) -> tuple[Obstacle, ...]:
    """The obstacles that have to be removed; the consequences of others go away with these."""
    causes = tuple(obstacle for obstacle in obstacles if not obstacle.consequence)
    return causes or obstacles


@record(slots=False)
class Condition(Rule, Generic[Known, Case]):
    """A rule about two neighbours that Flink chains, or PyFlink merges, where all conditions hold.

    It is named after the obstacle: its summary completes "not chained because ..." and "not merged because ...".
    """

    about: About = "other"
    fails: Callable[[Known], bool | None]  # None: the facts that it needs are not known
    describe: Callable[[Case], Obstacle]  # the obstacle, on an edge where it fails
    holds: Callable[[Case], str]  # what was seen, on an edge where it does not

    @property
    def summary(self) -> str:
        """The obstacle, as it continues a sentence."""
        text = super().summary
        return text[0].lower() + text[1:]

    def obstacle(
        self,
        values: str,
        change: str | None,
        *,
        needed: bool = False,
        settings: tuple[str, ...] = (),
        side: Side = "both",
        consequence: bool = False,
    ) -> Obstacle:
        """This condition's obstacle on one edge."""
        return Obstacle(
            code=self.code,
            slug=self.slug,
            values=values,
            change=change,
            needed=needed,
            settings=settings,
            about=self.about,
            side=side,
            consequence=consequence,
        )

    def checked(self, facts: Known, case: Case) -> Checked:
        """How the condition came out on an edge of which everything is known."""
        fails = bool(self.fails(facts))
        found = self.describe(case).values if fails else self.holds(case)
        return Checked(code=self.code, slug=self.slug, holds=not fails, found=found)


@record
class Checked:
    """How one condition came out on one edge."""

    code: str
    slug: str
    holds: bool | None  # None: not known
    found: str

    def to_dict(self) -> dict[str, Any]:
        """The outcome as JSON-ready data."""
        return {"code": self.code, "slug": self.slug, "holds": self.holds, "found": self.found}
