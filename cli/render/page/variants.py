"""What-if, computed beforehand: every change that `plan explain` proposes, and what the plan would be with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cli.render.pictures.operators import job_picture
from cli.render.pictures.overlay import Overlay
from cli.render.pictures.picture import Picture
from cli.render.text.what_if import id_words, keeping_settings, lost_state
from planner.errors import PlanError
from planner.explanation.advice import gains, judged_figures
from planner.explanation.edges import EdgeExplanation
from planner.explanation.explain import Explanation, explain_plan
from planner.explanation.settings import apply_settings
from planner.explanation.what_if import WhatIf, compare
from planner.graphs.state import describe_state
from planner.operators import describe_written, merged_keys
from planner.pipeline import Plan
from planner.pipeline import plan as compile_plan
from planner.records import record

__all__ = ["Variant", "find_variants", "variant_data"]

MOST_VARIANTS = 12  # each is a plan of its own: `plan explain --set` shows any other
MOST_DRAWN = 6
MOST_IDS = 40  # of one variant, those of operators that keep state first
SMALL = 40  # operators; a larger plan is not drawn once more for every change


Ends = tuple[str, str]  # keys of the two operators of an edge


@record
class Variant:
    """The plan with some settings changed."""

    title: str
    effect: WhatIf
    edges: tuple[int, ...]  # positions of the edges that the settings were proposed for
    together: bool  # all changes that are proposed
    picture: Picture | None  # of its job graph


def find_variants(plan: Plan, explanation: Explanation) -> list[Variant]:
    """One for each distinct change, and after them all changes together."""
    proposed: dict[tuple[str, ...], list[EdgeExplanation]] = {}
    for edge in explanation.edges:
        if edge.settings:
            proposed.setdefault(edge.settings, []).append(edge)
    proposed = dict(sorted(proposed.items(), key=lambda one: _rank(one[1][0])))
    found: list[Variant | None] = []
    small = explanation.summary.operators <= SMALL
    for number, (settings, edges) in enumerate(list(proposed.items())[:MOST_VARIANTS]):
        title = " and ".join(dict.fromkeys(edges[0].changes)) or ", ".join(settings)
        found.append(_variant(plan, explanation, settings, edges, drawn=small and number < MOST_DRAWN, title=title))
    if len(proposed) > 1:
        every = tuple(dict.fromkeys(setting for settings in proposed for setting in settings))
        edges = [edge for group in proposed.values() for edge in group]
        title = f"all {len(proposed)} changes together"
        found.append(_variant(plan, explanation, every, edges, drawn=small, title=title, together=True))
    return [variant for variant in found if variant is not None]


def _rank(edge: EdgeExplanation) -> tuple[int, ...]:
    """The order of the list: that of the advice itself."""
    return edge.advice.rank if edge.advice is not None else ()


def _variant(
    plan: Plan,
    before: Explanation,
    settings: tuple[str, ...],
    edges: list[EdgeExplanation],
    *,
    drawn: bool,
    title: str,
    together: bool = False,
) -> Variant | None:
    try:
        job = apply_settings(plan.written, describe_written(plan), settings, merged_keys(plan))
        changed = compile_plan(job, until="execution", flink=plan.flink)
    except PlanError:  # settings that fit alone may contradict each other
        return None
    after = explain_plan(
        changed,
        buffers_per_channel=before.buffers_per_channel,
        floating_buffers=before.floating_buffers,
        advised=False,
    )
    if together and not gains(judged_figures(plan), judged_figures(changed)):
        return None  # each gains alone, and all of them together do not
    effect = compare(settings, before, after)
    return Variant(
        title=title,
        effect=effect,
        edges=tuple(edge.position for edge in edges),
        together=together,
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
    lost = lost_state(changed)
    return {
        "title": variant.title,
        "together": variant.together,
        "edges": list(variant.edges),
        "chained": _positions(effect.newly_chained, known),
        "broken": _positions(effect.newly_broken, known),
        "stillBroken": _positions(effect.still_broken, known),
        "made": [ref.label for ref in effect.new_operators],
        "gone": [ref.label for ref in effect.lost_operators],
        "figures": [[name, before, after] for name, before, after in effect.figures],
        "changedIds": len(changed),
        "idWords": id_words(changed) if changed else "",
        "lost": len(lost),
        "keep": keeping_settings(lost)[:MOST_IDS],
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
