"""`plan lint` for Flink's exports: the rules whose facts are in them, and which were skipped."""

from __future__ import annotations

from cli import console
from planner.lint.engine import LintedJob, Report
from planner.lint.finding import Finding
from planner.lint.registry import BY_CODE, select_rules
from planner.lint.rule import Subject
from planner.observed.as_plan import as_plan
from planner.observed.job import ObservedJob
from planner.observed.loading import load_observed
from planner.observed.verdicts import decide
from planner.settings.pyproject import load_config

# Rules that look only at edges, parallelism and channels; the second kind also needs the slot sharing groups.
_OF_EDGES = ("PL104", "PL105")
_OF_SLOTS = ("PL106",)


def lint_exports(arguments: list[str], *, select: list[str], ignore: list[str]) -> Report:
    """Lint jobs that Flink described."""
    wanted = select_rules(select, ignore)
    findings: list[Finding] = []
    jobs: list[LintedJob] = []
    for argument in arguments:
        job = load_observed(argument)
        plan = as_plan(job, decide(job), argument)
        config = load_config().for_job(job.name, argument)
        jobs.append(LintedJob(file=argument, plan=plan, config=config))
        known = [*_OF_EDGES, *(_OF_SLOTS if _groups_known(job) else ())]
        for code in known:
            rule = BY_CODE[code]
            if code in wanted and rule.find is not None:
                findings += rule.find(rule, Subject(plan=plan, config=config))
        _tell_skipped(argument, [code for code in sorted(wanted) if code not in known and code[:3] == "PL1"])
    ordered = tuple(sorted(findings, key=Finding.order))
    return Report(findings=ordered, jobs=tuple(jobs), files=tuple(arguments), ignored=0)


def _groups_known(job: ObservedJob) -> bool:
    return bool(job.vertices) and all(vertex.group for vertex in job.vertices) and job.batch is False


def _tell_skipped(argument: str, codes: list[str]) -> None:
    if codes:
        console.message(
            f"{argument}: skipped {', '.join(codes)}: Flink does not export what they look at, such as uids and "
            "chaining strategies (docs/java/StreamGraphExport.java does)",
            "dim",
        )
