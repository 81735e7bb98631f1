"""What-if, computed beforehand: every change that `plan explain` proposes, and what the plan would be with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cli.render.pictures.operators import job_picture
from cli.render.pictures.overlay import Overlay
from cli.render.pictures.picture import Picture
from planner.errors import PlanError
from planner.explanation.edges import EdgeExplanation
from planner.explanation.explain import Explanation, explain_plan
from planner.explanation.settings import apply_settings
from planner.explanation.what_if import WhatIf, compare
from planner.graphs.state import describe_state
from planner.operators import describe_written, merged_keys
from planner.pipeline import Plan
from planner.pipeline import plan as compile_plan

__all__ = ["Variant", "find_variants", "variant_data"]

MOST_VARIANTS = 12  # each is a plan of its own: `plan explain --set` shows any other
MOST_DRAWN = 6
MOST_IDS = 40  # of one variant, those of operators that keep state first
SMALL = 40  # operators; a larger plan is not drawn once more for every change


Ends = tuple[str, str]  # keys of the two operators of an edge


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The plan with some settings changed."""

    title: str
    effect: WhatIf
    edges: tuple[int, ...]  # positions of the edges that the settings were proposed for
    picture: Picture | None  # of its job graph


def find_variants(plan: Plan, explanation: Explanation) -> list[Variant]:
    """One for each distinct change, and behind them all changes together."""
    proposed: dict[tuple[str, ...], list[EdgeExplanation]] = {}
    for edge in explanation.edges:
        if edge.settings:
            proposed.setdefault(edge.settings, []).append(edge)
    chosen = list(proposed.items())[:MOST_VARIANTS]
    if len(chosen) > 1:
        every = tuple(dict.fromkeys(setting for settings, _ in chosen for setting in settings))
        chosen.append((every, [edge for _, edges in chosen for edge in edges]))
    variants: list[Variant] = []
    for number, (settings, edges) in enumerate(chosen):
        together = len(chosen) > 1 and number == len(chosen) - 1
        drawn = explanation.summary.operators <= SMALL and (len(variants) < MOST_DRAWN or together)
        found = _variant(plan, explanation, settings, edges, drawn=drawn, together=together)
        if found is not None:
            variants.append(found)
    return variants


def _variant(
    plan: Plan,
    before: Explanation,
    settings: tuple[str, ...],
    edges: list[EdgeExplanation],
    *,
    drawn: bool,
    together: bool,
) -> Variant | None:
    try:
        job = apply_settings(plan.written, describe_written(plan), settings, merged_keys(plan))
        changed = compile_plan(job, until="execution", flink=plan.flink)
    except PlanError:  # settings that fit alone may contradict each other
        return None
    after = explain_plan(
        changed, buffers_per_channel=before.buffers_per_channel, floating_buffers=before.floating_buffers
    )
    effect = compare(settings, before, after)
    title = f"all {len(edges)} edges" if together else " and ".join(dict.fromkeys(edges[0].changes))
    return Variant(
        title=title or ", ".join(settings),
        effect=effect,
        edges=tuple(edge.position for edge in edges),
        picture=job_picture(changed, _marks(effect), after) if drawn else None,
    )


def _marks(effect: WhatIf) -> Overlay:
    """The operators at both ends of what newly chains, as changed."""
    ends = [ref.node for edge in effect.newly_chained for ref in (edge.source, edge.target)]
    return Overlay(operators=dict.fromkeys(ends, "changed"))


def variant_data(variant: Variant, known: Mapping[Ends, int]) -> dict[str, Any]:
    """The variant as the page's script reads it; `known`: positions of the page's edges by their ends' keys."""
    effect = variant.effect
    changed = sorted(effect.changed_ids, key=lambda one: one.after.state == "none")
    return {
        "title": variant.title,
        "settings": list(effect.settings),
        "edges": list(variant.edges),
        "chained": _positions(effect.newly_chained, known),
        "broken": _positions(effect.newly_broken, known),
        "stillBroken": _positions(effect.still_broken, known),
        "made": [ref.label for ref in effect.new_operators],
        "lost": [ref.label for ref in effect.lost_operators],
        "figures": [[name, before, after] for name, before, after in effect.figures],
        "changedIds": len(changed),
        "changedState": sum(one.after.state != "none" for one in changed),
        "ids": [
            [one.after.label, one.before.operator_id, one.after.operator_id, describe_state(one.after.state)]
            for one in changed[:MOST_IDS]
        ],
        "drawn": variant.picture is not None,
    }


def _positions(edges: tuple[EdgeExplanation, ...], known: Mapping[Ends, int]) -> list[int]:
    """The page's edges: by keys, as PyFlink may merge other operators then, and number them anew."""
    ends = [(edge.source.key, edge.target.key) for edge in edges]
    return [known[pair] for pair in ends if pair in known]
