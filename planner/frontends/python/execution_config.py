"""`env.get_config()` and `env.get_checkpoint_config()`: what getters answer, whoever set an option last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from planner.flink.versions import is_before
from planner.frontends.python.declared import settings
from planner.frontends.python.declared.settings import (
    CheckpointingMode,
    ExecutionMode,
    ExternalizedCheckpointCleanup,
    ExternalizedCheckpointRetention,
    InputDependencyConstraint,
)
from planner.frontends.python.recorded import Call, Recorded
from planner.frontends.python.values.times import Duration
from planner.frontends.python.versions import by_version, version
from planner.settings.durations import parse_duration

if TYPE_CHECKING:
    from planner.frontends.python.environment import StreamExecutionEnvironment

__all__ = ["CheckpointConfig", "ExecutionConfig"]

_INTERVAL: Final = "execution.checkpointing.interval"
_MODE: Final = "execution.checkpointing.mode"
_TOLERABLE: Final = "execution.checkpointing.tolerable-failed-checkpoints"
_KEPT: Final = "execution.checkpointing.externalized-checkpoint-retention"
_ALIGNMENT: Final = "execution.checkpointing.aligned-checkpoint-timeout"
_UNLIMITED: Final = 2**31 - 1
# By what follows `set_` and `get_` or `is_`: the option, and its value where nobody sets it.
_VALUES: Final[Mapping[str, tuple[str, Any]]] = {
    "auto_watermark_interval": ("pipeline.auto-watermark-interval", 200),
    "latency_tracking_interval": ("metrics.latency.interval", 0),
    "task_cancellation_interval": ("task.cancellation.interval", 30_000),
    "task_cancellation_timeout": ("task.cancellation.timeout", 180_000),
    "use_snapshot_compression": ("execution.checkpointing.snapshot-compression", False),
    "global_job_parameters": ("pipeline.global-job-parameters", {}),
    "execution_mode": ("execution-mode", ExecutionMode.PIPELINED),
    "checkpoint_interval": (_INTERVAL, -1),
    "checkpoint_timeout": ("execution.checkpointing.timeout", 600_000),
    "min_pause_between_checkpoints": ("execution.checkpointing.min-pause", 0),
    "max_concurrent_checkpoints": ("execution.checkpointing.max-concurrent-checkpoints", 1),
    "tolerable_checkpoint_failure_number": (_TOLERABLE, 0),
    "force_unaligned_checkpoints": ("execution.checkpointing.unaligned.forced", False),
}
# By what follows `enable_` and `disable_`.
_SWITCHES: Final[Mapping[str, tuple[str, bool]]] = {
    "object_reuse": ("pipeline.object-reuse", False),
    "closure_cleaner": ("closure-cleaner", True),
    "auto_generated_uids": ("pipeline.auto-generate-uids", True),
    "generic_types": ("pipeline.generic-types", True),
    "force_kryo": ("pipeline.force-kryo", False),
    "force_avro": ("pipeline.force-avro", False),
    "auto_type_registration": ("pipeline.auto-type-registration", True),
    "unaligned_checkpoints": ("execution.checkpointing.unaligned.enabled", False),
}
_REGISTERED: Final[Mapping[str, Any]] = {
    "default_kryo_serializer_classes": {},
    "registered_types_with_kryo_serializer_classes": {},
    "registered_kryo_types": [],
    "registered_pojo_types": [],
}


class _OfEnvironment(Recorded):
    """Settings of an environment: a setter writes an option of Flink, and a getter reads it."""

    def __init__(self, environment: StreamExecutionEnvironment) -> None:
        self._environment = environment

    def _keep(self, call: Call) -> None:
        super()._keep(call)
        for option, value in self._written(call):
            self._environment._given[option] = value

    def _written(self, call: Call) -> Iterator[tuple[str, Any]]:
        """The options that a call sets."""
        verb, _, what = call.name.partition("_")
        given = call.first() if call.arguments else True  # the default of those that need no argument
        if verb == "set" and what in _VALUES:
            yield _VALUES[what][0], given
        elif what in _SWITCHES and verb in ("enable", "disable"):
            yield _SWITCHES[what][0], given and verb == "enable"

    def _got(self, name: str, returned: str) -> Any:
        verb, _, what = name.partition("_")
        if what in _VALUES:
            return self._option(*_VALUES[what])
        if what in _REGISTERED:
            return type(_REGISTERED[what])()
        switch, _, state = what.rpartition("_")
        if verb in ("is", "has") and (found := _SWITCHES.get(switch, _SWITCHES.get(what))) is not None:
            return self._option(*found) is not (state == "disabled")
        return super()._got(name, returned)

    def _option(self, option: str, default: Any) -> Any:
        """The value of an option, of the kind that its default is of."""
        given = self._environment._given.get(option)
        if given is None:
            return dict(default) if isinstance(default, dict) else default
        if not isinstance(given, str) or isinstance(default, dict):
            return given
        if isinstance(default, Enum):
            return type(default)[given]
        return given.strip().lower() == "true" if isinstance(default, bool) else parse_duration(given)


@by_version
class ExecutionConfig(_OfEnvironment, settings.ExecutionConfig):
    """The settings of execution, of which some are the environment's own."""

    def set_restart_strategy(self, restart_strategy_configuration: Any) -> ExecutionConfig:
        """As on the environment."""
        self._environment.set_restart_strategy(restart_strategy_configuration)
        return self

    def get_restart_strategy(self) -> Any:
        """As on the environment."""
        return self._environment.get_restart_strategy()

    def get_default_input_dependency_constraint(self) -> InputDependencyConstraint:
        """Flink 1.x ignores what was set, and answers this."""
        return InputDependencyConstraint.ANY

    def set_parallelism(self, parallelism: int) -> ExecutionConfig:
        """As on the environment."""
        self._environment.set_parallelism(parallelism)
        return self

    def get_parallelism(self) -> int:
        """As on the environment."""
        return self._environment.get_parallelism()

    def set_max_parallelism(self, max_parallelism: int) -> ExecutionConfig:
        """As on the environment."""
        self._environment.set_max_parallelism(max_parallelism)
        return self

    def get_max_parallelism(self) -> int:
        """As on the environment."""
        return self._environment.get_max_parallelism()


@by_version
class CheckpointConfig(_OfEnvironment, settings.CheckpointConfig):
    """The settings of checkpoints."""

    def _written(self, call: Call) -> Iterator[tuple[str, Any]]:
        given = call.first()
        if call.name == "set_checkpointing_mode":
            yield _MODE, given
        elif call.name in ("enable_externalized_checkpoints", *_RETENTIONS):
            yield _KEPT, given.name
        elif call.name in ("set_alignment_timeout", "set_aligned_checkpoint_timeout"):
            yield _ALIGNMENT, given
        elif call.name == "set_fail_on_checkpointing_errors" and _TOLERABLE not in self._environment._given:
            yield _TOLERABLE, 0 if given else _UNLIMITED
        else:
            yield from super()._written(call)

    def get_checkpointing_mode(self) -> CheckpointingMode:
        """How exact checkpoints are."""
        exact = is_before(version(), "2.0") or _INTERVAL in self._environment._given
        default = CheckpointingMode.EXACTLY_ONCE if exact else CheckpointingMode.AT_LEAST_ONCE
        mode: CheckpointingMode = self._option(_MODE, default)
        return mode

    def is_unaligned_checkpoints_enabled(self) -> bool:
        """Whether checkpoints pass records; Flink 2 says no where they need not be exact."""
        enabled: bool = self._option(*_SWITCHES["unaligned_checkpoints"])
        exact = self.get_checkpointing_mode() is CheckpointingMode.EXACTLY_ONCE
        return enabled and (exact or is_before(version(), "2.0"))

    def is_checkpointing_enabled(self) -> bool:
        """Whether checkpoints are taken."""
        return bool(self.get_checkpoint_interval() > 0)

    def is_fail_on_checkpointing_errors(self) -> bool:
        """Whether the first checkpoint that fails ends the job."""
        return bool(self.get_tolerable_checkpoint_failure_number() == 0)

    def get_externalized_checkpoint_cleanup(self) -> ExternalizedCheckpointCleanup:
        """Whether checkpoints are kept when the job ends."""
        kept: ExternalizedCheckpointCleanup = self._option(
            _KEPT, ExternalizedCheckpointCleanup.NO_EXTERNALIZED_CHECKPOINTS
        )
        return kept

    def get_externalized_checkpoint_retention(self) -> ExternalizedCheckpointRetention:
        """Whether checkpoints are kept when the job ends."""
        return ExternalizedCheckpointRetention[self._kept]

    def is_externalized_checkpoints_enabled(self) -> bool:
        """Whether checkpoints are kept when the job ends."""
        return self._kept != "NO_EXTERNALIZED_CHECKPOINTS"

    @property
    def _kept(self) -> str:
        return str(self._environment._given.get(_KEPT, "NO_EXTERNALIZED_CHECKPOINTS"))

    def get_alignment_timeout(self) -> Duration:
        """After which time barriers pass records."""
        given = self._environment._given.get(_ALIGNMENT, "0 ms")
        return Duration.of_millis(parse_duration(given)) if isinstance(given, str) else given

    def get_aligned_checkpoint_timeout(self) -> Duration:
        """After which time barriers pass records."""
        return self.get_alignment_timeout()


_RETENTIONS: Final = ("set_externalized_checkpoint_cleanup", "set_externalized_checkpoint_retention")
