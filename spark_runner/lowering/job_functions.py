"""The functions a job brings, loaded for running: those of operators, key selectors and partitioners."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from planner.errors import UnsupportedOnSpark
from planner.job import JobDefinition, Operator, Partition, PythonFunction, Watermarks, Window
from spark_runner.lowering.functions import resolve, window_form
from spark_runner.lowering.key_columns import selected_columns
from spark_runner.program.program import Key


class JobFunctions:
    """Loads functions by the names a job's file gives them."""

    def __init__(self, job: JobDefinition) -> None:
        self._job, self._folder = job, Path(job.location.file).resolve().parent

    def loaded(self, function: PythonFunction, owner: Operator) -> PythonFunction:
        """One function with its target."""
        return resolve(function, owner, self._folder)

    def operator(self, operator: Operator) -> Operator:
        """An operator with its functions."""
        behaviour = operator.behaviour
        if isinstance(behaviour, PythonFunction):
            return replace(operator, behaviour=self.loaded(behaviour, operator))
        if isinstance(behaviour, Window) and behaviour.function is not None:
            function = self.loaded(behaviour.function, operator)
            form = window_form(function.target, behaviour.form)
            return replace(operator, behaviour=replace(behaviour, function=function, form=form))
        if isinstance(behaviour, Watermarks) and behaviour.assigner is not None:
            return replace(operator, behaviour=replace(behaviour, assigner=self.loaded(behaviour.assigner, operator)))
        return operator

    def key(self, operator: Operator, position: int, columns: str | None = None) -> Key | None:
        """The key of an operator's input, of which `columns` are declared; None where the input has none."""
        if position >= len(operator.inputs):
            return None
        partition = self._job.by_id[operator.inputs[position]]
        if isinstance(partition, Partition) and partition.partitioner == "HASH":
            return self.key_of(partition, operator, columns)
        return None

    def key_of(self, partition: Partition, operator: Operator, columns: str | None) -> Key:
        """The key that records are moved by: columns where it only reads them, else a function."""
        if partition.key_selector is None:
            return Key(columns=partition.key_columns)
        selector = self.loaded(partition.key_selector, operator)
        read = selected_columns(selector.target, columns)
        return Key(columns=read) if read else Key(selector=selector, type=partition.key_type)

    def partitioner(self, partition: Partition, operator: Operator) -> PythonFunction:
        """The function that chooses subtasks."""
        if partition.custom is None:
            raise UnsupportedOnSpark(
                f"operator {operator.key!r} is downstream of a custom partition without a function",
                location=operator.location,
                hint="use partition_custom(function, key) in Python, or another partition in YAML",
            )
        return self.loaded(partition.custom, operator)
