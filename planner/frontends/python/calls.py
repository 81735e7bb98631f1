"""What a call becomes in a job: the transformations it adds, as drafts.

`Calls` has the four forms of transformations. `JavaCalls` is what Flink's Java API makes of the calls: one operator for
each, and no helpers. `pyflink_calls.PyFlinkCalls` is PyFlink's own way. `--api` chooses; without it, what the file
imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.frontends.python_files.handover import as_declared
from planner.job import Collection, Operator, Partition, PythonFunction, PythonRun, SideOutput, Union
from planner.records import record

if TYPE_CHECKING:
    from planner.frontends.python.drafts import Draft
    from planner.frontends.python.environment import StreamExecutionEnvironment
    from planner.frontends.python.values.types import TypeInformation
    from planner.frontends.python.values.watermarks import WatermarkStrategy
    from planner.job import Behaviour, Helper, PythonForm

__all__ = ["Calls", "JavaCalls", "TextFile"]


@record
class TextFile:
    """What `read_text_file` of Flink 1.x reads."""

    path: str
    charset: str


class Calls:
    """The forms that both translations share."""

    java: bool

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
        """A union."""
        return self._add(Union, sources, {}, "union", sources[0].record_type, sources[0].parallelism)

    def cache(self, source: Draft) -> Draft:
        """A stream that is kept for other jobs."""
        return self._add(
            Union, [source], {} if self.java else {"cached": True}, "cache", source.record_type, source.parallelism
        )

    def _tagged(self, source: Draft, tag: Any) -> Draft:
        arguments = {"tag": tag.tag_id, **self.environment._checks.output(tag.type_info)}
        return self._add(SideOutput, [source], arguments, "side_output", tag.type_info, source.parallelism)

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

    def _add(
        self, form: type[Any], inputs: list[Draft], arguments: dict[str, Any], label: str, type: TypeInformation,
        inherited: int | None,
    ) -> Draft:  # fmt: skip
        own = self.environment.get_parallelism() if inherited is None else inherited
        draft = self.environment._ledger.add(form, inputs, as_declared(arguments), label, type, own)
        self.environment._made.append(draft)
        return draft


class JavaCalls(Calls):
    """What Flink's Java API makes of the same calls."""

    java = True

    def operator(self, inputs: list[Draft], kind: str, type: TypeInformation, **arguments: Any) -> Draft:
        """An operator with Flink's own name and no Python process."""
        written = arguments.pop("written_name", None)
        kept = {k: v for k, v in arguments.items() if k not in ("python", "helper", "remarks", "name")}
        if not self.environment._checks.pyflink:
            kept["label"] = kind  # scripts keep the keys that PyFlink's translation gives their operators
        if kind == "source" or written is not None:
            kept["name"] = written or arguments.get("name")
        return super().operator(inputs, kind, type, **kept)

    def collection(self, records: list[Any], type: TypeInformation) -> Draft:
        """A source of these records."""
        behaviour = Collection(records=tuple(records))
        return self.operator([], "source", type, name="Collection Source", behaviour=behaviour)

    def key_by(
        self, source: Draft, selector: Any, type: TypeInformation, helper: Helper = "key_by", **columns: Any
    ) -> Draft:
        """A partition by key."""
        return self.partition(source, "HASH", key_selector=_function(selector), **columns)

    def values(self, keyed: Draft, type: TypeInformation) -> Draft:
        """A keyed stream's records are as they are."""
        return keyed

    def partition_custom(self, source: Draft, partitioner: Any, selector: Any, **columns: Any) -> Draft:
        """A partition by a function."""
        custom = PythonFunction(target=partitioner)
        return self.partition(source, "CUSTOM", custom=custom, key_selector=_function(selector), **columns)

    def side_output(self, source: Draft, tag: Any) -> Draft:
        """The tagged records."""
        return self._tagged(source, tag)

    def watermarks(self, source: Draft, strategy: WatermarkStrategy) -> Draft:
        """One operator."""
        from planner.frontends.python.behaviours import watermarks_of

        return self.operator([source], "watermarks", source.record_type, behaviour=watermarks_of(strategy))

    def print(self, source: Draft, identifier: str | None) -> Draft:
        """A sink."""
        return self.operator([source], "print", source.record_type, identifier=identifier or None)

    def topics(self, source: Draft, selector: Any) -> Draft:
        """The sink itself chooses the topic."""
        return source

    def row_data(self, source: Draft) -> Draft:
        """The sink takes rows as they are."""
        return source


def _function(selector: Any) -> PythonFunction | None:
    return None if selector is None else PythonFunction(target=selector)
