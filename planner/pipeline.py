"""The stages in order, and the one function that runs them up to any of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from planner.chaining.evaluation import find_obstacles
from planner.errors import PlanningError
from planner.flink.differences import flink as flink_profile
from planner.flink.profile import FlinkProfile
from planner.graphs.execution_graph import ExecutionGraph, build_execution_graph
from planner.graphs.invariants import check_invariants
from planner.graphs.job_graph import JobGraph, build_job_graph
from planner.graphs.operator_ids import build_operator_ids
from planner.graphs.stream_building import build_stream_graph
from planner.graphs.stream_graph import StreamGraph
from planner.job import JobDefinition
from planner.records import record
from planner.rules import Obstacle

if TYPE_CHECKING:
    from planner.graphs.physical import Physical
    from planner.merging import Merging
    from planner.observed.judgement import Observation

Stage = Literal["stream", "job", "execution", "physical"]
STAGES: tuple[Stage, ...] = ("stream", "job", "execution", "physical")


@record
class Plan:
    """A job compiled through Flink's graphs, as far as was asked."""

    job: JobDefinition  # as Flink gets it
    flink: FlinkProfile
    stream_graph: StreamGraph
    obstacles: tuple[
        tuple[Obstacle, ...], ...
    ]  # of every stream edge, in the order of StreamGraph.edges; () is chained
    operator_ids: Mapping[int, str]  # of every stream node; of an observed job only those that are proven
    job_graph: JobGraph | None = None
    execution_graph: ExecutionGraph | None = None  # None in batch mode while a parallelism is undecided
    physical: Physical | None = None
    merging: Merging | None = None  # PyFlink jobs: what became of the script's operators
    observed: Observation | None = None  # a job that Flink described: what of all this is not known

    @property
    def written(self) -> JobDefinition:
        """The job as its author wrote it: for PyFlink before Python operators merge."""
        return self.merging.written if self.merging else self.job

    @property
    def name(self) -> str:
        """The job's name, numbered where its file executes several of that name."""
        name = self.stream_graph.name
        return name if self.job.repeat == 1 else f"{name} #{self.job.repeat}"

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON-ready data, in the documented shape."""
        if self.observed is not None:
            from planner.observed.document import explanation_document  # most jobs are compiled here

            return explanation_document(self.observed)
        from planner.graphs.plan_json import plan_to_dict

        return plan_to_dict(self)


PYFLINK = ("1.18", "1.19", "1.20", "2.3")  # the versions whose PyFlink layer is known


def _refuse_other_pyflink(job: JobDefinition, profile: FlinkProfile) -> None:
    """A script met the API of one version, and PyFlink's part of a plan is known of some versions only."""
    if profile.version not in PYFLINK:
        raise PlanningError(
            f"this is a PyFlink script, and PyFlink's part of a plan is known for Flink {', '.join(PYFLINK)} only",
            location=job.location,
            hint=f"leave --flink {profile.version} out, or say --api java to plan it as a Java job",
        )
    if job.flink is not None and profile.version != job.flink:
        raise PlanningError(
            f"the script was loaded with PyFlink {job.flink}, and cannot be planned for Flink {profile.version}",
            location=job.location,
            hint=f"load it for that version: --flink {profile.version}, or load_plan(..., flink={profile.version!r})",
        )


def plan(job: JobDefinition, until: Stage = "physical", flink: FlinkProfile | str | None = None) -> Plan:
    """Compile a job as a version of Flink does, stopping after the stage `until`.

    Where no version is given it is the one that compiled the job, if Flink did, else the newest.
    """
    profile = flink_profile(job.flink if flink is None else flink)
    if job.options or job.calls:
        from planner.flink.availability import refuse_what_is_missing  # most jobs have neither

        refuse_what_is_missing(job, profile)
    last = STAGES.index(until)
    job_graph = execution_graph = physical = merging = None
    if job.python is not None:
        from planner.merging import compile_python_layer  # most jobs have no Python layer

        _refuse_other_pyflink(job, profile)
        merging = compile_python_layer(job)
        job = merging.job
    stream_graph = job.compiled or build_stream_graph(job, profile)
    obstacles = find_obstacles(stream_graph)
    operator_ids = build_operator_ids(stream_graph, obstacles)
    if last >= STAGES.index("job"):
        job_graph = build_job_graph(stream_graph, obstacles, operator_ids)
    if job_graph and last >= STAGES.index("execution"):
        execution_graph = build_execution_graph(stream_graph, job_graph)
    if job_graph and execution_graph and last >= STAGES.index("physical"):
        from planner.graphs.physical import build_physical  # most commands stop before

        physical = build_physical(stream_graph, job_graph, execution_graph)
    compiled = Plan(
        job=job,
        flink=profile,
        stream_graph=stream_graph,
        obstacles=obstacles,
        operator_ids=operator_ids,
        job_graph=job_graph,
        execution_graph=execution_graph,
        physical=physical,
        merging=merging,
    )
    check_invariants(compiled)
    return compiled
