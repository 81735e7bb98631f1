"""PyFlink's merge conditions, in the order in which a pair's obstacles are listed."""

from __future__ import annotations

from planner.merging.condition import MergeRule
from planner.merging.rules import (
    pm001_merging_disabled,
    pm002_downstream_keyed,
    pm003_downstream_two_inputs,
    pm004_upstream_broadcast_state,
    pm005_not_forward,
    pm006_different_parallelism,
    pm007_different_max_parallelism,
    pm008_different_slot_sharing_group,
    pm009_upstream_never_chains,
    pm010_downstream_starts_new_chain,
    pm011_several_consumers,
)

RULES: tuple[MergeRule, ...] = (
    # The job, and what kind of operators they are: no setting changes these.
    pm001_merging_disabled.RULE,
    pm002_downstream_keyed.RULE,
    pm003_downstream_two_inputs.RULE,
    pm004_upstream_broadcast_state.RULE,
    # What stands between them.
    pm005_not_forward.RULE,
    # Settings that must agree.
    pm006_different_parallelism.RULE,
    pm007_different_max_parallelism.RULE,
    pm008_different_slot_sharing_group.RULE,
    # What they were told, and who else reads.
    pm009_upstream_never_chains.RULE,
    pm010_downstream_starts_new_chain.RULE,
    pm011_several_consumers.RULE,
)

BY_CODE = {rule.code: rule for rule in RULES}
