"""The driver in this process: a session on any master."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from planner.errors import ExecutionError, PlanError
from spark_runner.clusters.gateway import end_starting_jvms
from spark_runner.clusters.kubernetes import Pods
from spark_runner.clusters.pod_troubles import Trouble, trouble_in_log
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.session import Session, open_session, remove_pods
from spark_runner.clusters.start_failures import LogWatch, explain_lost_jvm, tail
from spark_runner.figures.results import Events, RunResult, StageFigures
from spark_runner.figures.stage_figures import running_stages, stage_figures
from spark_runner.figures.tracking import StageCounts
from spark_runner.program.brevity import is_brief
from spark_runner.program.program import SparkProgram
from spark_runner.runs.store import RunFolder

__all__ = ["LocalDriver"]

_LONGEST_END = 15.0  # seconds that a session has to stop
_LONGEST_REMOVAL = 60.0  # the same with pods: a run that ends while its Spark starts removes them from a new JVM


class LocalDriver:
    """A session, and the program on it. `group` marks the run's Spark jobs."""

    endless = False

    def __init__(self, request: RunRequest, program: SparkProgram, *, group: str, log: Path) -> None:
        self.application: str | None = None
        self._request, self._program, self._group, self._log = request, program, group, log
        self._run = RunFolder(log.parent)
        self._session: Session | None = None
        self._pods: Pods | None = None  # on Kubernetes
        self._watch = LogWatch(request.master, log)

    def start(self) -> None:
        """Open the session."""
        self._session = open_session(
            self._request,
            name=self._program.name,
            log=self._log,
            brief=is_brief(self._program, endless=self.endless),
            meanwhile=_import_early,
            take_pods=self._take_pods,
        )
        self.application = self._session.application

    def _take_pods(self, pods: Pods) -> None:
        self._pods = pods
        self._run.note_server(self._request.master, pods.application)

    def execute(self, events: Events) -> RunResult:
        """Run the program once."""
        from spark_runner.batch.execute import execute

        assert self._session is not None
        self._session.mark(self._group, self._program.name)
        with self._naming_a_lost_pod():
            return execute(self._program, self._session.spark, events=events)

    @contextlib.contextmanager
    def _naming_a_lost_pod(self) -> Iterator[None]:
        """On Kubernetes, say what became of the pod where Spark only says that an executor was lost."""
        try:
            yield
        except ExecutionError as failure:
            trouble = self._lost_pod() if "ExecutorLostFailure" in failure.message else None
            if trouble is None:
                raise
            raise ExecutionError(f"executors were lost again and again: {trouble.text}", hint=trouble.hint) from failure

    def _lost_pod(self) -> Trouble | None:
        if self._pods is None:
            return None
        return trouble_in_log(tail(self._log)) or self._pods.last

    def refusal_while_starting(self, waited: float) -> PlanError | None:
        """What Spark's log says while nothing answers."""
        return self._watch.while_starting(waited)

    def refusal_while_running(self, waited: float) -> PlanError | None:
        """What Spark's log says while the program runs."""
        return self._watch.while_running(waited)

    def waits_for(self) -> str | None:
        """What its pods wait for, on Kubernetes."""
        return None if self._pods is None else self._pods.waits_for

    def why_lost(self, failure: PlanError) -> PlanError | None:
        """The JVM's end, where it ended: every other error is then only a consequence."""
        status = None if self._session is None else self._session.jvm_ended(2.0 if _is_cut_off(failure) else 0.0)
        if status is None:
            return None
        trouble = self._lost_pod()
        if trouble is not None and status > 0:  # Spark ended by itself
            return ExecutionError(f"Spark gave up after its pods had failed: {trouble.text}", hint=trouble.hint)
        return explain_lost_jvm(status, self._log)

    def stages(self) -> Iterable[StageCounts]:
        """From the status store of the JVM."""
        if self._session is None:
            return ()
        try:
            return tuple(running_stages(self._session, self._group))
        except Exception:  # a JVM that just died: whoever executes is told
            return ()

    def result_so_far(self) -> RunResult | None:
        """A batch that was ended has written nothing."""
        return None

    def with_stages(self, result: RunResult) -> RunResult:
        """As the shape of Spark's stages tells."""
        from spark_runner.figures.action_stages import with_shares

        assert self._session is not None
        return with_shares(result, self._program, self._session.spark, self._group)

    def figures(self, stages: Iterable[int]) -> dict[int, StageFigures]:
        """From the status store of the JVM."""
        if self._session is None:
            return {}
        try:
            return stage_figures(self._session, stages)
        except Exception:  # the JVM is gone, and its figures with it
            self.application = None
            return {}

    def cancel(self) -> str | None:
        """End the run's Spark jobs. In a thread: the call itself hangs when the cluster does."""
        if self._session is not None:
            threading.Thread(target=self._session.cancel, args=(self._group,), daemon=True).start()
        return None

    def close(self, *, finished: bool) -> None:
        """End the session and its JVM, or one that is still starting."""
        end_starting_jvms()
        if self._pods is not None:
            self._pods.stop()
        # in a thread, since a cluster that does not answer would hold the end of the run
        closing = threading.Thread(target=self._end, args=(finished,), daemon=True, name="plan-close")
        closing.start()
        closing.join(_LONGEST_END if self._pods is None else _LONGEST_REMOVAL)

    def _end(self, finished: bool) -> None:
        if self._session is not None:
            self._session.close(finished=finished)
        if self._pods is None:
            return
        if not self._pods.removed:  # a Spark that still starts would make new ones, and one that is gone removes none
            self._pods.process.kill()
            with contextlib.suppress(PlanError):
                self._pods.removed = remove_pods(self._request, self._pods.application, log=self._log) >= 0
        if self._pods.removed:
            self._run.forget_server()


def _is_cut_off(failure: BaseException) -> bool:
    """Whether the line to the JVM broke: its end may not be known to the system yet."""
    error: BaseException | None = failure
    seen: list[BaseException] = []  # causes may lead in a circle
    while error is not None and error not in seen:
        if isinstance(error, ConnectionError) or type(error).__name__ in ("Py4JNetworkError", "Py4JError"):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


def _import_early() -> None:
    """Import what every run needs, while the JVM starts."""
    import spark_runner.batch.execute  # noqa: F401
