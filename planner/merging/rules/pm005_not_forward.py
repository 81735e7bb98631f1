"""Records are partitioned, united or split between the two."""

from __future__ import annotations

from planner.job import Partition
from planner.merging.condition import MergeObstacle, MergeRule, Pair
from planner.merging.words import describe_step, is_forward


def _find(pair: Pair) -> MergeObstacle | None:
    found = next((step for step in pair.path if not is_forward(step)), None)
    if found is None:
        return None
    what = describe_step(found)
    hashed = isinstance(found, Partition) and found.partitioner == "HASH"
    removable = isinstance(found, Partition) and not hashed
    change = f"remove {what} at {found.location}" if removable else None
    return RULE.obstacle(f"{what} at {found.location}", change, needed=hashed)


def _holds(pair: Pair) -> str:
    return "nothing but forward between them"


RULE = MergeRule(
    code="PM005",
    slug="not-forward",
    summary="records are partitioned, united or split between the two",
    checks="What stands between the two operators: only FORWARD partitions may.",
    why=(
        "Merged operators hand records over inside one process. A rebalance, a key, a union or a side output "
        "in between needs an exchange of Flink."
    ),
    fix="Remove the partitioning where it is not needed.",
    example="""\
stream.map(parse).rebalance().map(clean)   # two Python processes, and a network exchange between them
""",
    holds=_holds,
    find=_find,
)
