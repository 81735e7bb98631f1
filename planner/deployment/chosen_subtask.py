"""Picking a subtask by what a user calls it: `Map[3]`, by an operator's key, uid or name, or the vertex's position."""

from __future__ import annotations

import re

from planner.errors import InternalError, OptionError
from planner.graphs.job_graph import JobGraph
from planner.graphs.physical import Subtask
from planner.operators import describe_operators, matches
from planner.pipeline import Plan
from planner.spelling import nearest_or_all

__all__ = ["choose_subtask"]

_WRITTEN = re.compile(r"(?s)(.+?)(?:\[\s*(\d+)\s*\])?\s*")


def choose_subtask(plan: Plan, written: str, option: str = "--fail") -> Subtask:
    """The subtask that `written` means; an OptionError where there is none, or several may be meant.

    Where batch mode has not decided how many subtasks there are, any number is taken.
    """
    graph = plan.job_graph
    if graph is None:
        raise InternalError("a subtask was chosen from a plan without a job graph")
    match = _WRITTEN.fullmatch(written.strip())
    if match is None:
        raise OptionError(
            f"{option} {written!r}: not of the form VERTEX[SUBTASK]", hint=f"for example {option} 'Map[3]'"
        )
    word, index = match[1].strip(), match[2]
    vertices = _vertices(plan, graph, word)
    if len(vertices) != 1:
        raise _unclear(graph, vertices, word, f"{option} {written}")
    vertex = vertices[0]
    parallelism, name = graph.vertices[vertex].parallelism, graph.vertices[vertex].name
    if index is None and parallelism > 1:
        raise OptionError(
            f"{option} {written}: which of the {parallelism} subtasks?", hint=f"for example {option} '{word}[0]'"
        )
    subtask = int(index or 0)
    if 0 < parallelism <= subtask:
        raise OptionError(
            f"{option} {written}: {name} has no subtask {subtask}",
            hint=f"its subtasks are {word}[0] to {word}[{parallelism - 1}]" if parallelism > 1 else f"use {word}[0]",
        )
    return vertex, subtask


def _vertices(plan: Plan, graph: JobGraph, word: str) -> list[int]:
    """The vertices that may be meant: of this name or id, else with an operator called so, else at this position."""
    found = [at for at, vertex in enumerate(graph.vertices) if word in (vertex.name, vertex.id)]
    if found:
        return found
    meant = {ref.node for ref in matches(word, describe_operators(plan).values(), by_number=False)}
    found = [at for at, vertex in enumerate(graph.vertices) if meant & {*vertex.nodes, *vertex.chained_sources}]
    if found:
        return found
    position = int(word) - 1 if re.fullmatch(r"\d{1,9}", word) else -1
    return [position] if 0 <= position < len(graph.vertices) else []


def _unclear(graph: JobGraph, found: list[int], word: str, asked: str) -> OptionError:
    names = [vertex.name for vertex in graph.vertices]
    if found:
        listed = "\n".join(f"{vertex + 1}  {names[vertex]}" for vertex in found)
        return OptionError(
            f"{asked}: {word!r} matches {len(found)} vertices", hint=f"name one by its position:\n{listed}"
        )
    return OptionError(f"{asked}: there is no vertex {word!r}", hint=nearest_or_all(word, names, "there are"))
