"""The twelve conditions, in the order in which an edge's obstacles are listed."""

from __future__ import annotations

from planner.chaining.facts import ChainingRule
from planner.chaining.rules import (
    ch001_chaining_disabled,
    ch002_multiple_inputs,
    ch003_different_slot_sharing_group,
    ch004_upstream_never_chains,
    ch005_downstream_starts_new_chain,
    ch006_head_accepts_only_sources,
    ch007_non_forward_partitioner,
    ch008_batch_exchange,
    ch009_different_parallelism,
    ch010_different_max_parallelism,
    ch011_shared_input_position,
    ch012_yielding_after_legacy_source,
)

RULES: tuple[ChainingRule, ...] = (
    # The job and the shape of the graph: nothing at the edge itself can change these.
    ch001_chaining_disabled.RULE,
    ch002_multiple_inputs.RULE,
    # Settings of the two operators.
    ch003_different_slot_sharing_group.RULE,
    ch004_upstream_never_chains.RULE,
    ch005_downstream_starts_new_chain.RULE,
    ch006_head_accepts_only_sources.RULE,
    # How records travel over the edge.
    ch007_non_forward_partitioner.RULE,
    ch008_batch_exchange.RULE,
    # Numbers that must agree.
    ch009_different_parallelism.RULE,
    ch010_different_max_parallelism.RULE,
    # Other inputs, and the head of the chain.
    ch011_shared_input_position.RULE,
    ch012_yielding_after_legacy_source.RULE,
)

BY_CODE = {rule.code: rule for rule in RULES}
