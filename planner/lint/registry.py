"""All lint rules, by code.

PL0 looks at the baseline, PL1 at the job alone (PL12 at what PyFlink does to it), PL2 at a savepoint; PL9 is said when
there is no plan to look at.
"""

from __future__ import annotations

from collections.abc import Iterable

from planner.errors import OptionError
from planner.lint.rule import LintRule
from planner.lint.rules import (
    pl001_edge_no_longer_chained,
    pl002_operator_id_changed,
    pl003_operator_lost,
    pl004_more_slots_than_before,
    pl005_stale_baseline_entry,
    pl006_state_incompatible,
    pl007_declaration_changed,
    pl101_stateful_without_uid,
    pl102_needless_rebalance,
    pl103_parallelism_breaks_chain,
    pl104_too_many_channels,
    pl105_too_few_network_buffers,
    pl106_too_few_slots,
    pl107_max_parallelism_unset,
    pl108_same_key_hashed_twice,
    pl109_stream_without_consumer,
    pl110_uid_hash_on_operator,
    pl111_unused_ignore,
    pl112_ignore_without_reason,
    pl113_partitioner_without_effect,
    pl114_windows_without_watermarks,
    pl201_saved_state_not_found,
    pl202_saved_state_does_not_fit,
    pl203_saved_state_dropped,
    pl900_job_not_plannable,
)
from planner.lint.rules.pyflink import (
    pl120_uid_lost_by_merging,
    pl121_partition_without_effect,
    pl122_timestamp_assigner_lost,
    pl123_sinks_dropped_by_collect,
    pl124_union_reordered,
    pl125_print_identifier_names_nothing,
    pl126_slot_sharing_group_lost_by_merging,
)
from planner.spelling import did_you_mean

# The order of the codes, which never change: findings on one line are shown in it.
RULES: tuple[LintRule, ...] = (
    pl001_edge_no_longer_chained.RULE,
    pl002_operator_id_changed.RULE,
    pl003_operator_lost.RULE,
    pl004_more_slots_than_before.RULE,
    pl005_stale_baseline_entry.RULE,
    pl006_state_incompatible.RULE,
    pl007_declaration_changed.RULE,
    pl101_stateful_without_uid.RULE,
    pl102_needless_rebalance.RULE,
    pl103_parallelism_breaks_chain.RULE,
    pl104_too_many_channels.RULE,
    pl105_too_few_network_buffers.RULE,
    pl106_too_few_slots.RULE,
    pl107_max_parallelism_unset.RULE,
    pl108_same_key_hashed_twice.RULE,
    pl109_stream_without_consumer.RULE,
    pl110_uid_hash_on_operator.RULE,
    pl111_unused_ignore.RULE,
    pl112_ignore_without_reason.RULE,
    pl113_partitioner_without_effect.RULE,
    pl114_windows_without_watermarks.RULE,
    pl120_uid_lost_by_merging.RULE,
    pl121_partition_without_effect.RULE,
    pl122_timestamp_assigner_lost.RULE,
    pl123_sinks_dropped_by_collect.RULE,
    pl124_union_reordered.RULE,
    pl125_print_identifier_names_nothing.RULE,
    pl126_slot_sharing_group_lost_by_merging.RULE,
    pl201_saved_state_not_found.RULE,
    pl202_saved_state_does_not_fit.RULE,
    pl203_saved_state_dropped.RULE,
    pl900_job_not_plannable.RULE,
)

BY_CODE = {rule.code: rule for rule in RULES}
ALWAYS = frozenset({"PL900"})  # a job that cannot be planned must never look clean


def select_rules(select: Iterable[str], ignore: Iterable[str]) -> frozenset[str]:
    """The codes to run: those under a selected prefix (all by default) and under no ignored one."""
    selected, ignored = tuple(_checked(select)), tuple(_checked(ignore))
    codes = (code for code in BY_CODE if not selected or code.startswith(selected))
    return frozenset(code for code in codes if not (ignored and code.startswith(ignored))) | ALWAYS


def _checked(prefixes: Iterable[str]) -> Iterable[str]:
    for written in prefixes:
        for prefix in (part.strip().upper() for part in written.split(",")):
            if not any(code.startswith(prefix) for code in BY_CODE) or not prefix:
                raise OptionError(
                    f"no lint rule has the code or prefix {written!r}",
                    hint=did_you_mean(prefix, BY_CODE) or "`plan rule` lists all rules",
                )
            yield prefix
