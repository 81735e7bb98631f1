"""A Spark program to read: which Spark stage runs which vertex, in which passes, and what crosses between them."""

from __future__ import annotations

from typing import Any

from cli.render.text.chunk_program import chunk_data, chunk_lines
from spark_runner.figures.tracking import stage_groups
from spark_runner.program.program import Exchange, Inlet, Operation, Pass, SparkProgram, Step

__all__ = ["program_data", "program_lines"]

_ON_SPARK = {
    "FORWARD": "same partitions, no exchange",
    "HASH": "by key, one exchange",
    "REBALANCE": "round robin",
    "RESCALE": "pointwise ranges",
    "SHUFFLE": "random, the same again for a retried task",
    "BROADCAST": "every record to every subtask",
    "GLOBAL": "all to subtask 0",
    "CUSTOM": "by the job's own partitioner",
}


def program_lines(program: SparkProgram, master: str) -> list[str]:
    """The program as indented lines, a vertex after the other in topological order."""
    if program.chunks is not None:
        return chunk_lines(program, program.chunks, master)
    stage_of = _stages(program)
    vertices, stages = len(program.steps), len(set(stage_of.values()))
    at_most = "up to " if stages > 1 and any(map(_may_spare_exchange, program.passes)) else ""
    lines = [
        f"{program.name}: {program.mode} on {master}, {_counted(vertices, 'vertex', 'vertices')} in"
        f" {at_most}{_counted(stages, 'Spark stage', 'Spark stages')} (nothing was started)"
    ]
    for number, step in enumerate(program.steps):
        lines += ["", f"vertex {number}  {step.name}", *_step_lines(program, step, stage_of[number])]
    return lines


def program_data(program: SparkProgram, master: str) -> dict[str, Any]:
    """The program as JSON-ready data; functions and behaviours stay with the plan."""
    if program.chunks is not None:
        return chunk_data(program, program.chunks, master)
    stage_of = _stages(program)
    return {
        "name": program.name,
        "mode": program.mode,
        "master": master,
        "vertices": [
            {
                "vertex": number,
                "id": step.id,
                "name": step.name,
                "parallelism": step.parallelism,
                "spark_stage": stage_of[number],
                "passes": [_pass_data(program, program.passes[one]) for one in step.passes],
                "sinks": [
                    {"operator": sink.operator.key, "name": sink.name, "kind": sink.kind}
                    for sink in program.sinks
                    if sink.step == number
                ],
            }
            for number, step in enumerate(program.steps)
        ],
    }


def _stages(program: SparkProgram) -> dict[int, int]:
    return {vertex: stage for stage, group in enumerate(stage_groups(program)) for vertex in group}


def _step_lines(program: SparkProgram, step: Step, stage: int) -> list[str]:
    lines = [f"  Spark stage {stage}, {_counted(step.parallelism, 'task', 'tasks')}"]
    for one in step.passes:
        unit = program.passes[one]
        spared = ", if Spark needs it" if _may_spare_exchange(unit) else ""
        lines += [f"    {_entry(program, inlet)}{spared}" for inlet in unit.inlets if inlet.exchange is not None]
        names = " -> ".join(f"{o.name} ({o.operator.key})" for o in unit.operations)
        lines.append(f"    {_pass_title(unit)}: {names or 'takes records on'}")
        lines += [f"      {operation.operator.key}: {_how(unit)}" for operation in unit.operations]
        lines += [f"      key_by before {reader}: Python" for reader in _readers_by_selector(unit)]
    number = program.steps.index(step)
    lines += [f"    {sink.kind}: {sink.name} ({sink.operator.key})" for sink in program.sinks if sink.step == number]
    return lines


def _may_spare_exchange(unit: Pass) -> bool:
    """Whether Spark aggregates or joins by itself: it moves no records that lie by their keys already."""
    return unit.engine == "native" and any(
        inlet.exchange is not None and inlet.exchange.strategy == "HASH" for inlet in unit.inlets
    )


def _how(unit: Pass) -> str:
    return "native" if unit.engine == "native" else "Python"


def _readers_by_selector(unit: Pass) -> list[str]:
    """The operators for which a function of the job computes the key here."""
    outlets = unit.outlets if unit.engine == "python" else ()
    return [one.reader[0] for one in outlets if one.reader and one.key is not None and one.key.selector is not None]


def _pass_title(unit: Pass) -> str:
    kept = ", result kept for its readers" if unit.shared else ""
    return ("one mapInArrow" if unit.engine == "python" else "DataFrame expressions") + kept


def _entry(program: SparkProgram, inlet: Inlet) -> str:
    exchange = inlet.exchange
    assert exchange is not None
    source = program.passes[inlet.source].step
    return f"from vertex {source}: {exchange.strategy} {_sizes(exchange)}, {_ON_SPARK[exchange.strategy]}"


def _sizes(exchange: Exchange) -> str:
    return f"{exchange.producers} -> {exchange.consumers}"


def _pass_data(program: SparkProgram, unit: Pass) -> dict[str, Any]:
    return {
        "engine": unit.engine,
        "operators": [operation.operator.key for operation in unit.operations],
        "names": [operation.name for operation in unit.operations],
        "functions": [_function_data(unit, operation) for operation in unit.operations],
        "kept": unit.shared,
        "inputs": [
            {
                "vertex": program.passes[inlet.source].step,
                "ship_strategy": inlet.exchange.strategy,
                "producers": inlet.exchange.producers,
                "consumers": inlet.exchange.consumers,
            }
            for inlet in unit.inlets
            if inlet.exchange is not None
        ],
    }


def _function_data(unit: Pass, operation: Operation) -> dict[str, Any]:
    return {"operator": operation.operator.key, "native": unit.engine == "native"}


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
