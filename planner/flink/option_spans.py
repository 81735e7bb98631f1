"""Flink's option keys that only some versions have, as read from the classes of every version.

A key that a version still reads under its old name counts as there, but for the keys of the adaptive batch scheduler:
2.0 gave all of them new names and documents only these.
"""

from __future__ import annotations

from functools import cache

from planner.flink.availability import Span
from planner.flink.versions import NEWEST, VERSIONS

__all__ = ["option_span"]

_FAMILY = ".*"  # ends an entry that stands for all keys with its beginning

_SINCE = {  # the first version with each
    "1.19": """
        env.java.default-opts.all env.java.default-opts.jobmanager env.java.default-opts.taskmanager
        env.java.opts.sql-gateway env.log.level execution.checkpointing.interval-during-backlog
        jobmanager.adaptive-scheduler.prefer-minimal-taskmanagers jobmanager.adaptive-scheduler.scaling-interval.max
        jobmanager.adaptive-scheduler.scaling-interval.min local.number-taskmanager
        minicluster.number-of-taskmanagers pekko.remote-fork-join-executor.parallelism-factor
        pekko.remote-fork-join-executor.parallelism-max pekko.remote-fork-join-executor.parallelism-min
        pipeline.serialization-config rest.path rest.profiling.dir rest.profiling.duration-max
        rest.profiling.enabled rest.profiling.history-size
        restart-strategy.exponential-delay.attempts-before-reset-backoff sink.committer.retries
        slotmanager.min-total-resource.cpu slotmanager.min-total-resource.memory slotmanager.number-of-slots.min
        state.backend.changelog.periodic-materialize.enabled state.backend.rocksdb.compression.per.level
        state.backend.rocksdb.timer-service.cache-size state.checkpoint.cleaner.parallel-mode
        state.checkpoints.create-subdir taskmanager.collect-sink.port taskmanager.load-balance.mode
        taskmanager.log.path taskmanager.network.partition-request-timeout taskmanager.runtime.fs-timeout
        taskmanager.runtime.fs_timeout taskmanager.system-out.log.cache-upper-size
        taskmanager.system-out.log.thread-name.enabled taskmanager.system-out.mode traces.reporters
        user.artifacts.artifact-list user.artifacts.base-dir user.artifacts.http-headers
        user.artifacts.raw-http-enabled yarn.container-start-command-template
    """,
    "1.20": """
        execution.async-state.buffer-size execution.async-state.buffer-timeout
        execution.async-state.in-flight-records-limit execution.batch.job-recovery.enabled
        execution.batch.job-recovery.previous-worker.recovery.timeout
        execution.batch.job-recovery.snapshot.min-pause execution.checkpointing.checkpoints-after-tasks-finish
        execution.checkpointing.cleaner.parallel-mode execution.checkpointing.create-subdir
        execution.checkpointing.data-inline-threshold execution.checkpointing.dir
        execution.checkpointing.file-merging.across-checkpoint-boundary execution.checkpointing.file-merging.enabled
        execution.checkpointing.file-merging.max-file-size
        execution.checkpointing.file-merging.max-space-amplification
        execution.checkpointing.file-merging.max-subtasks-per-file
        execution.checkpointing.file-merging.pool-blocking execution.checkpointing.incremental
        execution.checkpointing.local-backup.dirs execution.checkpointing.local-backup.enabled
        execution.checkpointing.num-retained execution.checkpointing.savepoint-dir execution.checkpointing.storage
        execution.checkpointing.unaligned.interruptible-timers.enabled execution.checkpointing.write-buffer-size
        execution.sort-keyed-partition.memory execution.sort-partition.memory
        execution.state-recovery.approximate-local-recovery execution.state-recovery.claim-mode
        execution.state-recovery.from-local execution.state-recovery.ignore-unclaimed-state
        execution.state-recovery.path execution.state-recovery.without-channel-state.checkpoint-id
        high-availability.zookeeper.client.authorization high-availability.zookeeper.client.max-close-wait
        high-availability.zookeeper.client.simulated-session-expiration-percent
        job-event.store.write-buffer.flush-interval job-event.store.write-buffer.size
        kubernetes.artifacts.local-upload-enabled kubernetes.artifacts.local-upload-overwrite
        kubernetes.artifacts.local-upload-target kubernetes.internal-service.annotations
        kubernetes.transactional-operation.initial-retry-delay kubernetes.transactional-operation.max-retry-delay
        pipeline.force-kryo-avro security.ssl.internal.keystore-type security.ssl.internal.truststore-type
        security.ssl.rest.keystore-type security.ssl.rest.truststore-type
        state.backend.rocksdb.incremental-restore-async-compact-after-rescale
        state.backend.rocksdb.manual-compaction.max-auto-compactions
        state.backend.rocksdb.manual-compaction.max-file-size-to-compact
        state.backend.rocksdb.manual-compaction.max-files-to-compact
        state.backend.rocksdb.manual-compaction.max-output-file-size
        state.backend.rocksdb.manual-compaction.max-parallel-compactions
        state.backend.rocksdb.manual-compaction.min-files-to-compact
        state.backend.rocksdb.manual-compaction.min-interval
        state.backend.rocksdb.metrics.bloom-filter-full-positive
        state.backend.rocksdb.metrics.bloom-filter-full-true-positive
        state.backend.rocksdb.metrics.bloom-filter-useful state.backend.rocksdb.metrics.num-files-at-level
        state.backend.rocksdb.rescaling.use-delete-files-in-range state.backend.rocksdb.use-ingest-db-restore-mode
        state.changelog.dstl.dfs.base-path state.changelog.dstl.dfs.batch.persist-delay
        state.changelog.dstl.dfs.batch.persist-size-threshold state.changelog.dstl.dfs.compression.enabled
        state.changelog.dstl.dfs.discard.num-threads state.changelog.dstl.dfs.download.local-cache.idle-timeout-ms
        state.changelog.dstl.dfs.preemptive-persist-threshold state.changelog.dstl.dfs.upload.buffer-size
        state.changelog.dstl.dfs.upload.max-attempts state.changelog.dstl.dfs.upload.max-in-flight
        state.changelog.dstl.dfs.upload.next-attempt-delay state.changelog.dstl.dfs.upload.num-threads
        state.changelog.dstl.dfs.upload.retry-policy state.changelog.dstl.dfs.upload.timeout state.changelog.enabled
        state.changelog.max-failures-allowed state.changelog.periodic-materialize.enabled
        state.changelog.periodic-materialize.interval state.changelog.storage state.latency-track.history-size
        state.latency-track.keyed-state-enabled state.latency-track.sample-interval
        state.latency-track.state-name-as-variable
        taskmanager.network.hybrid-shuffle.external-remote-tier-factory.class
        taskmanager.network.memory.buffers-request-timeout traces.report-events-as-spans
        yarn.security.appmaster.delegation.token.services
    """,
    "2.0": """
        env.java.home execution.async-state.active-buffer-size execution.async-state.active-buffer-timeout
        execution.async-state.total-buffer-size execution.job-status-changed-listeners
        high-availability.zookeeper.client.max-retry-wait high-availability.zookeeper.path.execution-plans
        jobmanager.adaptive-scheduler.executing.cooldown-after-rescaling
        jobmanager.adaptive-scheduler.executing.resource-stabilization-timeout
        jobmanager.adaptive-scheduler.rescale-trigger.max-checkpoint-failures
        jobmanager.adaptive-scheduler.rescale-trigger.max-delay
        jobmanager.adaptive-scheduler.submission.resource-stabilization-timeout
        jobmanager.adaptive-scheduler.submission.resource-wait-timeout slot.request.max-interval
        state.backend.forst.* state.backend.rocksdb.compaction.filter.periodic-compaction-time
        state.backend.rocksdb.compaction.filter.query-time-after-num-entries
        taskmanager.memory.starting-segment-size
    """,
    "2.1": """
        events.reporters state.size-track.history-size state.size-track.keyed-state-enabled
        state.size-track.sample-interval state.size-track.state-name-as-variable yarn.rolled-logs.exclude-pattern
        yarn.rolled-logs.include-pattern
    """,
    "2.2": """
        historyserver.archive.retained-ttl kubernetes.internal-service.labels kubernetes.rest-service.labels
        traces.checkpoint.span-detail-level
    """,
    "2.3": """
        application-result-store.delete-on-commit application-result-store.storage-path cluster.id
        completed-application-store.cache-size completed-application-store.expiration-time
        completed-application-store.max-capacity completed-application-store.type
        execution.checkpointing.during-recovery.enabled
        execution.checkpointing.unaligned.recover-output-on-downstream.enabled
        execution.terminate-application-on-any-job-terminated-exceptionally
        high-availability.zookeeper.path.applications historyserver.archive.clean-expired-applications
        historyserver.archive.retained-applications kubernetes.persistent-volume-claim-read-only
        kubernetes.persistent-volume-claims pipeline.sources.pause-until-first-checkpoint
        pipeline.watermark-alignment.buffer-size rest.cache.execution-graph.timeout
        security.ssl.rest.verify-hostname taskmanager.network.adaptive-partitioner.enabled
        taskmanager.network.adaptive-partitioner.max-traverse-size web.adaptive-scheduler.rescale-history.size
    """,
}
_UNTIL = {  # the last version with each
    "1.18": """
        cluster.fine-grained-resource-management.enabled state.backend.changelog.enabled_for_application
    """,
    "1.20": """
        akka.watch.heartbeat.interval akka.watch.heartbeat.pause akka.watch.threshold
        cluster.evenly-spread-out-slots execution.async-state.buffer-size execution.async-state.buffer-timeout
        execution.async-state.in-flight-records-limit execution.checkpointing.force
        fine-grained.shuffle-mode.all-blocking high-availability.job.delay
        high-availability.zookeeper.path.running-registry
        jobmanager.adaptive-batch-scheduler.avg-data-volume-per-task
        jobmanager.adaptive-batch-scheduler.default-source-parallelism
        jobmanager.adaptive-batch-scheduler.max-parallelism jobmanager.adaptive-batch-scheduler.min-parallelism
        jobmanager.adaptive-batch-scheduler.speculative.block-slow-node-duration
        jobmanager.adaptive-batch-scheduler.speculative.enabled
        jobmanager.adaptive-batch-scheduler.speculative.max-concurrent-executions jobmanager.heap.mb
        jobmanager.heap.size jobmanager.web.backpressure.cleanup-interval
        jobmanager.web.backpressure.delay-between-samples jobmanager.web.backpressure.num-samples
        jobmanager.web.backpressure.refresh-interval jobmanager.web.ssl.enabled local.number-resourcemanager
        pipeline.auto-type-registration pipeline.default-kryo-serializers pipeline.registered-kryo-types
        pipeline.registered-pojo-types pipeline.time-characteristic recovery.job.delay
        resourcemanager.taskmanager-release.wait.result.consumed security.ssl.enabled state.backend.async
        state.backend.rocksdb.checkpointdir taskmanager.exit-on-fatal-akka-error taskmanager.heap.mb
        taskmanager.heap.size taskmanager.initial-registration-pause taskmanager.max-registration-pause
        taskmanager.net.client.numThreads taskmanager.net.num-arenas taskmanager.net.sendReceiveBufferSize
        taskmanager.net.server.backlog taskmanager.net.server.numThreads taskmanager.net.transport
        taskmanager.network.batch-shuffle.compression.enabled
        taskmanager.network.blocking-shuffle.compression.enabled taskmanager.network.blocking-shuffle.type
        taskmanager.network.hybrid-shuffle.enable-new-mode
        taskmanager.network.hybrid-shuffle.num-retained-in-memory-regions-max
        taskmanager.network.hybrid-shuffle.spill-index-region-group-size
        taskmanager.network.hybrid-shuffle.spill-index-segment-size taskmanager.network.max-num-tcp-connections
        taskmanager.network.memory.buffers-per-channel taskmanager.network.memory.floating-buffers-per-gate
        taskmanager.network.memory.max-buffers-per-channel taskmanager.network.memory.max-overdraft-buffers-per-gate
        taskmanager.network.netty.client.numThreads taskmanager.network.netty.num-arenas
        taskmanager.network.netty.sendReceiveBufferSize taskmanager.network.netty.server.backlog
        taskmanager.network.netty.server.numThreads taskmanager.network.netty.transport
        taskmanager.network.numberOfBuffers taskmanager.network.sort-shuffle.min-parallelism
        taskmanager.refused-registration-pause taskmanager.registration.initial-backoff
        taskmanager.registration.max-backoff taskmanager.registration.refused-backoff
        web.backpressure.cleanup-interval web.backpressure.delay-between-samples web.backpressure.num-samples
        web.backpressure.refresh-interval web.ssl.enabled
    """,
    "2.1": """
        traces.report-events-as-spans
    """,
}
# Another name for the same thing, in the versions without the first.
_INSTEAD = {
    "cluster.evenly-spread-out-slots": "taskmanager.load-balance.mode",
    "execution.checkpointing.cleaner.parallel-mode": "state.checkpoint.cleaner.parallel-mode",
    "execution.checkpointing.create-subdir": "state.checkpoints.create-subdir",
    "execution.checkpointing.data-inline-threshold": "state.storage.fs.memory-threshold",
    "execution.checkpointing.dir": "state.checkpoints.dir",
    "execution.checkpointing.incremental": "state.backend.incremental",
    "execution.checkpointing.local-backup.dirs": "taskmanager.state.local.root-dirs",
    "execution.checkpointing.num-retained": "state.checkpoints.num-retained",
    "execution.checkpointing.savepoint-dir": "state.savepoints.dir",
    "execution.checkpointing.storage": "state.checkpoint-storage",
    "execution.checkpointing.write-buffer-size": "state.storage.fs.write-buffer-size",
    "high-availability.zookeeper.path.execution-plans": "high-availability.zookeeper.path.jobgraphs",
    "state.backend.rocksdb.checkpointdir": "state.backend.rocksdb.localdir",
    "taskmanager.load-balance.mode": "cluster.evenly-spread-out-slots",
}
_INSTEAD_BEGINNINGS = (
    ("jobmanager.adaptive-batch-scheduler.speculative.", "execution.batch.speculative."),
    ("jobmanager.adaptive-batch-scheduler.", "execution.batch.adaptive.auto-parallelism."),
    ("state.changelog.dstl.", "dstl."),
    ("state.changelog.", "state.backend.changelog."),
)


def option_span(key: str) -> Span | None:
    """The versions that have an option; None where all have it, or where it is not Flink's."""
    since, until = _first_and_last()
    family = next((known for known in since if known.endswith(_FAMILY) and key.startswith(known[:-1])), key)
    if family not in since and family not in until:
        return None
    return Span(since=since.get(family, VERSIONS[0]), until=until.get(family, NEWEST), instead=_instead(key))


@cache
def _first_and_last() -> tuple[dict[str, str], dict[str, str]]:
    since, until = (
        {key: version for version, keys in table.items() for key in keys.split()} for table in (_SINCE, _UNTIL)
    )
    return since, until


def _instead(key: str) -> str | None:
    if key in _INSTEAD:
        return _INSTEAD[key]
    return next((new + key.removeprefix(old) for old, new in _INSTEAD_BEGINNINGS if key.startswith(old)), None)
