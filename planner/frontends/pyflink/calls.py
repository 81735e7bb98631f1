"""What PyFlink makes of each call: the transformations it hands to Flink, helper operators included.

`Calls` is PyFlink's own way. `JavaCalls` is what Flink's Java API makes of the same calls: one operator for each, and
no helpers. `plan explain --api java` takes it for a PyFlink script.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planner.frontends.pyflink.drafts import Draft
from planner.frontends.pyflink.values.types import (
    ExternalTypeInfo,
    PickledBytesTypeInfo,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    Types,
)
from planner.frontends.pyflink.values.watermarks import WatermarkStrategy
from planner.frontends.scripts.handover import as_declared
from planner.job import (
    Behaviour,
    Collection,
    Helper,
    Operator,
    Partition,
    PythonForm,
    PythonFunction,
    PythonRun,
    SideOutput,
    Union,
    Watermarks,
)  # fmt: skip
from planner.merging.alignment import KEY_BY_MAP, PARTITION_CUSTOM_MAP, VALUES

if TYPE_CHECKING:
    from planner.frontends.pyflink.environment import StreamExecutionEnvironment

__all__ = ["Calls", "JavaCalls", "TextFile"]

_STRING: TypeInformation = Types.STRING()  # type: ignore[attr-defined]
_INT: TypeInformation = Types.INT()  # type: ignore[attr-defined]
_LONG: TypeInformation = Types.LONG()  # type: ignore[attr-defined]


@dataclass(frozen=True)
class TextFile:
    """What `read_text_file` of Flink 1.x reads."""

    path: str
    charset: str


class Calls:
    """PyFlink's translation."""

    java = False

    def __init__(self, environment: StreamExecutionEnvironment) -> None:
        self.environment = environment

    # --- the four forms of transformations

    def operator(
        self, inputs: list[Draft], kind: str, type: TypeInformation, *, name: str | None = None,
        label: str | None = None, python: PythonForm | None = None, helper: Helper | None = None,
        behaviour: Behaviour | None = None, inherited: int | None = None, **arguments: Any,
    ) -> Draft:  # fmt: skip
        """An operator, registered with the environment."""
        given = {"kind": kind, "name": name, "python": python, "helper": helper, "behaviour": behaviour, **arguments}
        kept = {key: value for key, value in given.items() if value is not None}
        draft = self._add(Operator, inputs, kept, label or kind, type, inherited)
        if kind != "source":
            self.environment._registered.append(draft)
        return draft

    def partition(self, source: Draft, partitioner: str, **arguments: Any) -> Draft:
        """A partition."""
        given = {"partitioner": partitioner, **{k: v for k, v in arguments.items() if v is not None}}
        return self._add(Partition, [source], given, "partition", source.record_type, source.parallelism)

    def union(self, sources: list[Draft]) -> Draft:
        """A union; all its streams have one type."""
        for source in sources[1:]:
            if source.record_type != sources[0].record_type:
                raise TypeError(
                    f"Cannot union streams of different types: {sources[0].record_type} and {source.record_type}"
                )
        return self._add(Union, sources, {}, "union", sources[0].record_type, sources[0].parallelism)

    def cache(self, source: Draft) -> Draft:
        """A stream that is kept for other jobs."""
        return self._add(
            Union, [source], {} if self.java else {"cached": True}, "cache", source.record_type, source.parallelism
        )

    def _tagged(self, source: Draft, tag: Any) -> Draft:
        return self._add(SideOutput, [source], {"tag": tag.tag_id}, "side_output", tag.type_info, source.parallelism)

    def _add(
        self, form: type[Any], inputs: list[Draft], arguments: dict[str, Any], label: str, type: TypeInformation,
        inherited: int | None,
    ) -> Draft:  # fmt: skip
        own = self.environment.get_parallelism() if inherited is None else inherited
        return self.environment._ledger.add(form, inputs, as_declared(arguments), label, type, own)

    # --- calls that PyFlink takes apart

    def collection(self, records: list[Any], type: TypeInformation) -> Draft:
        """A legacy source that runs once."""
        behaviour = Collection(records=tuple(records))
        draft = self.operator(
            [], "source", type, name="Collection Source", behaviour=behaviour, legacy=True, parallel=False,
            bounded=True, max_parallelism=1, inherited=1,
        )  # fmt: skip
        draft.fixed = True
        return draft

    def files(self, input_format: Any, type: TypeInformation, name: str = "Custom File source") -> Draft:
        """A source that finds splits, and the operator that reads them."""
        run = PythonRun(connector=input_format)
        found = self.operator(
            [], "source", type, name=name, run=run, legacy=True, parallel=False, bounded=True,
            max_parallelism=1, inherited=1, behaviour=PythonFunction(target=input_format),
        )  # fmt: skip
        found.fixed = True
        return self.operator(
            [found], "flat_map", type, name=f"Split Reader: {name}", label="split_reader",
            helper="split_reader", chaining="start_new", behaviour=PythonFunction(target=input_format), run=run,
        )  # fmt: skip

    def key_by(self, source: Draft, selector: Any, key_type: TypeInformation, helper: Helper = "key_by") -> Draft:
        """A map that puts the key in front of the record, then the partition by it."""
        function = PythonFunction(target=selector)
        keyed = self.operator(
            [source], "map", RowTypeInfo([key_type, source.python_type]), name=KEY_BY_MAP, label=helper, python="plain",
            helper=helper, behaviour=function,
        )  # fmt: skip
        return self.partition(keyed, "HASH", key_selector=function)

    def values(self, keyed: Draft, type: TypeInformation) -> Draft:
        """The records of a keyed stream without their keys."""
        return self.operator([keyed], "map", type, name=VALUES, label="values", python="keyed", helper="values")

    def partition_custom(self, source: Draft, partitioner: Any, selector: Any) -> Draft:
        """A map that puts the partition in front of the record, the partition, and a map that takes it off again."""
        custom, key = PythonFunction(target=partitioner), PythonFunction(target=selector)
        numbered = self.operator(
            [source], "map", RowTypeInfo([_INT, source.python_type]), name=PARTITION_CUSTOM_MAP,
            label="partition_custom", python="plain", helper="partition_custom",
        )  # fmt: skip
        sent = self.partition(numbered, "CUSTOM", custom=custom, key_selector=key)
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
        if strategy._timestamp_assigner is None:
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
        """A sink, behind a map to text where Java could not print the records."""
        printed = source
        if isinstance(source.record_type, (PickledBytesTypeInfo, RowTypeInfo, ExternalTypeInfo)):
            printed = self.operator(
                [source], "map", _STRING, name="Map", label="print_text", python="plain", helper="print",
                run=PythonRun(read_type=source.record_type),
            )  # fmt: skip
        remarks = (f"print-identifier:{identifier}",) if identifier else None
        return self.operator(
            [printed], "print", printed.record_type, name="Print to Std. Out", remarks=remarks,
            run=PythonRun(identifier=identifier),
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


class JavaCalls(Calls):
    """What Flink's Java API makes of the same calls."""

    java = True

    def operator(self, inputs: list[Draft], kind: str, type: TypeInformation, **arguments: Any) -> Draft:
        """An operator with Flink's own name and no Python process."""
        written = arguments.pop("written_name", None)
        kept = {k: v for k, v in arguments.items() if k not in ("python", "helper", "remarks", "name")}
        if kind == "source" or written is not None:
            kept["name"] = written or arguments.get("name")
        return super().operator(inputs, kind, type, **kept)

    def collection(self, records: list[Any], type: TypeInformation) -> Draft:
        """A source of these records."""
        behaviour = Collection(records=tuple(records))
        return self.operator([], "source", type, name="Collection Source", behaviour=behaviour)

    def key_by(self, source: Draft, selector: Any, key_type: TypeInformation, helper: Helper = "key_by") -> Draft:
        """A partition by key."""
        return self.partition(source, "HASH", key_selector=PythonFunction(target=selector))

    def values(self, keyed: Draft, type: TypeInformation) -> Draft:
        """A keyed stream's records are as they are."""
        return keyed

    def partition_custom(self, source: Draft, partitioner: Any, selector: Any) -> Draft:
        """A partition by a function."""
        custom, key = PythonFunction(target=partitioner), PythonFunction(target=selector)
        return self.partition(source, "CUSTOM", custom=custom, key_selector=key)

    def side_output(self, source: Draft, tag: Any) -> Draft:
        """The tagged records."""
        return self._tagged(source, tag)

    def watermarks(self, source: Draft, strategy: WatermarkStrategy) -> Draft:
        """One operator."""
        assigner = strategy._timestamp_assigner
        behaviour = Watermarks(
            assigner=PythonFunction(target=assigner) if assigner else None, out_of_orderness=strategy.out_of_orderness
        )
        return self.operator([source], "watermarks", source.record_type, behaviour=behaviour)

    def print(self, source: Draft, identifier: str | None) -> Draft:
        """A sink."""
        return self.operator([source], "print", source.record_type, written_name=identifier)

    def topics(self, source: Draft, selector: Any) -> Draft:
        """The sink itself chooses the topic."""
        return source

    def row_data(self, source: Draft) -> Draft:
        """The sink takes rows as they are."""
        return source
