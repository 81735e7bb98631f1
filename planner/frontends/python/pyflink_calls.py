"""What PyFlink makes of each call: the transformations it hands to Flink, helper operators included."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planner.frontends.python.calls import Calls
from planner.frontends.python.values.types import (
    ExternalTypeInfo,
    PickledBytesTypeInfo,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    Types,
)
from planner.job import Collection, PythonFunction, PythonRun, Watermarks
from planner.merging.alignment import KEY_BY_MAP, PARTITION_CUSTOM_MAP, VALUES

if TYPE_CHECKING:
    from planner.frontends.python.drafts import Draft
    from planner.frontends.python.values.watermarks import WatermarkStrategy
    from planner.job import Helper

__all__ = ["PyFlinkCalls"]

_STRING: TypeInformation = Types.STRING()
_INT: TypeInformation = Types.INT()
_LONG: TypeInformation = Types.LONG()


class PyFlinkCalls(Calls):
    """PyFlink's translation."""

    java = False

    def collection(self, records: list[Any], type: TypeInformation) -> Draft:
        """A legacy source that runs once."""
        behaviour = Collection(records=tuple(records))
        draft = self.operator(
            [], "source", type, name="Collection Source", behaviour=behaviour, legacy=True, parallel=False,
            bounded=True, max_parallelism=1, inherited=1,
        )  # fmt: skip
        draft.fixed = True
        return draft

    def key_by(
        self, source: Draft, selector: Any, type: TypeInformation, helper: Helper = "key_by", **columns: Any
    ) -> Draft:
        """A map that puts the key in front of the record, then the partition by it."""
        function = PythonFunction(target=selector)
        keyed = self.operator(
            [source], "map", RowTypeInfo([type, source.python_type]), name=KEY_BY_MAP, label=helper, python="plain",
            helper=helper, behaviour=function,
        )  # fmt: skip
        return self.partition(keyed, "HASH", key_selector=None if selector is None else function, **columns)

    def values(self, keyed: Draft, type: TypeInformation) -> Draft:
        """The records of a keyed stream without their keys."""
        return self.operator([keyed], "map", type, name=VALUES, label="values", python="keyed", helper="values")

    def partition_custom(self, source: Draft, partitioner: Any, selector: Any, **columns: Any) -> Draft:
        """A map that puts the partition in front of the record, the partition, and a map that takes it off again."""
        custom = PythonFunction(target=partitioner)
        key = None if selector is None else PythonFunction(target=selector)
        numbered = self.operator(
            [source], "map", RowTypeInfo([_INT, source.python_type]), name=PARTITION_CUSTOM_MAP,
            label="partition_custom", python="plain", helper="partition_custom",
        )  # fmt: skip
        sent = self.partition(numbered, "CUSTOM", custom=custom, key_selector=key, **columns)
        return self.operator(
            [sent], "map", source.record_type, name=VALUES, label="values", python="plain", helper="values"
        )

    def side_output(self, source: Draft, tag: Any) -> Draft:
        """The tagged records, through a map of their type."""
        tagged = self._tagged(source, tag)
        return self.operator(
            [tagged], "map", tag.type_info, name="Map", label="side_output", python="plain", helper="side_output"
        )

    def watermarks(self, source: Draft, strategy: WatermarkStrategy) -> Draft:
        """One Java operator, or three operators where an assigner in Python reads the time."""
        remarks = (f"lost-assigner:{strategy.lost}",) if strategy.lost else None
        behaviour = Watermarks(out_of_orderness=strategy.out_of_orderness)
        if isinstance(strategy._timestamp_assigner, str):  # a column of a planner job
            behaviour = replace(behaviour, time=strategy._timestamp_assigner)
        if strategy._timestamp_assigner is None or behaviour.time is not None:
            return self.operator(
                [source], "watermarks", source.record_type, name="Timestamps/Watermarks", behaviour=behaviour,
                inherited=source.parallelism, remarks=remarks, run=PythonRun(strategy=strategy),
            )  # fmt: skip
        if not hasattr(strategy._timestamp_assigner, "extract_timestamp"):
            raise AttributeError(
                f"{type(strategy._timestamp_assigner).__name__!r} object has no attribute 'extract_timestamp'"
            )
        assigner = PythonFunction(target=strategy._timestamp_assigner)
        stamped = self.operator(
            [source], "map", TupleTypeInfo([source.python_type, _LONG]), name="Extract-Timestamp", label="timestamps",
            python="plain", helper="timestamps", behaviour=assigner,
        )  # fmt: skip
        marked = self.operator(
            [stamped], "watermarks", stamped.record_type, name="Timestamps/Watermarks", helper="watermarks",
            behaviour=Watermarks(assigner=assigner, out_of_orderness=strategy.out_of_orderness),
            inherited=stamped.parallelism, run=PythonRun(strategy=strategy),
        )  # fmt: skip
        return self.operator(
            [marked], "map", source.record_type, name="Remove-Timestamp", label="remove_timestamps", helper="timestamps"
        )

    def print(self, source: Draft, identifier: str | None) -> Draft:
        """A sink, after a map to text where Java could not print the records."""
        printed = source
        if isinstance(source.record_type, (PickledBytesTypeInfo, RowTypeInfo, ExternalTypeInfo)):
            printed = self.operator(
                [source], "map", _STRING, name="Map", label="print_text", python="plain", helper="print",
                run=PythonRun(read_type=source.record_type),
            )  # fmt: skip
        remarks = (f"print-identifier:{identifier}",) if identifier else None
        return self.operator(
            [printed], "print", printed.record_type, name="Print to Std. Out", remarks=remarks,
            identifier=identifier,
        )  # fmt: skip

    def topics(self, source: Draft, selector: Any) -> Draft:
        """A map that puts a record's topic in front of it."""
        return self.operator(
            [source], "map", RowTypeInfo([_STRING, source.record_type]), name="Map", label="topic", python="plain",
            helper="topic_selector", behaviour=PythonFunction(target=selector),
        )  # fmt: skip

    def row_data(self, source: Draft) -> Draft:
        """A Java operator that turns rows into the form that columnar writers take."""
        return self.operator(
            [source], "process", source.record_type, name="Process", label="row_data", helper="row_data"
        )
