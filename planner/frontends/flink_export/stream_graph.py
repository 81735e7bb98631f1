"""The whole stream graph of a Java or SQL job, as docs/java/StreamGraphExport.java prints it.

Unlike Flink's own stream plan it lacks nothing: the job is planned from it like one of our own, starting at the stream
graph. What the operators do is not in it, so it cannot run on Spark, and `--set` cannot change it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from planner.errors import JobDefinitionError
from planner.flink.versions import known_release
from planner.frontends.flink_export.fields import JsonObject, json_object, json_objects, number, parse_json, text
from planner.frontends.flink_export.saved import read_file
from planner.graphs.stream_graph import ChainingStrategy, ExchangeMode, StreamEdge, StreamGraph, StreamNode
from planner.job import JobDefinition, Location, Operator, OperatorKind, Partition, Partitioner, Transformation
from planner.topology import topological_order

FORMAT = "plan-stream-graph/"
_VERSION = f"{FORMAT}1"
_LINE = re.compile(r'^\s*\{"id": (-?\d+), "name": ', re.MULTILINE)
_BEGINNING = 4096  # characters within which the format stands
# By what Flink calls them; every other operator may do anything.
_KINDS: tuple[tuple[str, OperatorKind], ...] = (
    ("Timestamps/Watermarks", "watermarks"),
    ("Keyed Aggregation", "reduce"),
    ("Keyed Reduce", "reduce"),
    ("Filter", "filter"),
    ("Flat Map", "flat_map"),
    ("Map", "map"),
)


def is_stream_graph(path: Path) -> bool:
    """Whether a file is an export of StreamGraphExport.java."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        return f'"{FORMAT}'.encode() in file.read(_BEGINNING)


def load_stream_graph(path: Path) -> JobDefinition:
    """The job of an export, with the stream graph that Flink compiled."""
    content = read_file(path)
    document = json_object(parse_json(content, str(path)), str(path))
    if document.get("format") != _VERSION:
        raise JobDefinitionError(
            f"{path} has the format {document.get('format')!r}, and this version of plan reads {_VERSION!r}",
            hint="take StreamGraphExport.java from this version's docs/java",
        )
    return job_of_graph(document, str(path), _lines(content, str(path)))


def job_of_graph(
    document: JsonObject,
    where: str,
    places: Mapping[int, Location],
    location: Location | None = None,
    notes: tuple[str, ...] = (),
) -> JobDefinition:
    """The job of an export that is already read; `places` has the place of a node, `location` of those without."""
    return _Reader(document, where, places, location or Location(where, 1), notes).job()


def graph_text(document: JsonObject) -> str:
    """An export as the Java class prints it: one node or edge per line."""
    head = {key: value for key, value in document.items() if key not in ("nodes", "edges")}
    lines = [f"  {_json(key)}: {_json(value)}," for key, value in head.items()]
    for part in ("nodes", "edges"):
        rows = ",\n".join(f"    {_json(row)}" for row in document[part])
        lines.append(f'  "{part}": [\n{rows}\n  ]{"," if part == "nodes" else ""}')
    return "\n".join(["{", *lines, "}"]) + "\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(content: str, file: str) -> Mapping[int, Location]:
    """By node, the line of the export that it stands in."""
    return {
        int(found[1]): Location(file, content.count("\n", 0, found.start(1)) + 1) for found in _LINE.finditer(content)
    }


class _Reader:
    """One export, from its fields to a job definition."""

    def __init__(
        self, document: JsonObject, where: str, lines: Mapping[int, Location], inner: Location, notes: tuple[str, ...]
    ) -> None:
        self.document = document
        self.where = where
        self.lines = lines
        self.inner = inner
        self.notes = notes
        self.nodes = list(json_objects(document, "nodes", where))
        self.edges = list(json_objects(document, "edges", where))
        self.ids = [number(entry, "id", place) for entry, place in self.nodes]
        self.names = Counter(text(entry, "name", place) for entry, place in self.nodes)
        self.parallelism = {
            node: number(entry, "parallelism", place) for node, (entry, place) in zip(self.ids, self.nodes, strict=True)
        }
        self.feeding = {number(edge, "source", place) for edge, place in self.edges}
        self.entered: dict[int, set[int]] = {}
        for edge, place in self.edges:
            entered = self.entered.setdefault(number(edge, "target", place), set())
            entered.add(number(edge, "type_number", place, 0))

    def job(self) -> JobDefinition:
        if not self.nodes or len(set(self.ids)) < len(self.ids):
            raise JobDefinitionError(f"{self.where}: the graph has no nodes, or two with the same id")
        batch = text(self.document, "type", self.where, "STREAMING").upper() == "BATCH"
        partitions = {position: self.partition(position) for position in range(len(self.edges))}
        operators = [self.operator(entry, place, partitions) for entry, place in self.nodes]
        transformations: list[Transformation] = [*operators, *(one for one in partitions.values() if one is not None)]
        return JobDefinition(
            name=text(self.document, "name", self.where, "Flink job"),
            transformations=tuple(sorted(transformations, key=lambda one: one.id)),
            location=self.inner,
            runtime_mode="batch" if batch else "streaming",
            chaining=self.document.get("chaining") is not False,
            chain_different_max_parallelism=self.document.get("chain_different_max_parallelism") is not False,
            compiled=self.graph(batch, {operator.id: operator for operator in operators}, partitions),
            flink=known_release(text(self.document, "flink", self.where, "")),
            notes=self.notes,
        )

    def graph(
        self, batch: bool, operators: Mapping[int, Operator], partitions: Mapping[int, Partition | None]
    ) -> StreamGraph:
        edges = tuple(self.edge(position, partitions[position]) for position in range(len(self.edges)))
        inputs = {number(entry, "id", place): self.inputs(entry, place) for entry, place in self.nodes}
        for edge in edges:
            if edge.source not in operators or edge.target not in operators:
                raise JobDefinitionError(
                    f"{self.where}: an edge from {edge.source} to {edge.target} has no node at an end"
                )
        entering = sorted(position for positions in inputs.values() for position in positions)
        if entering != list(range(len(edges))):
            raise JobDefinitionError(f"{self.where}: the inputs of the nodes are not the edges of the graph")
        self.refuse_circle(edges)
        order = sorted(range(len(edges)), key=lambda position: edges[position].source)
        place = {old: new for new, old in enumerate(order)}
        return StreamGraph(
            name=text(self.document, "name", self.where, "Flink job"),
            batch=batch,
            nodes=tuple(sorted((self.node(*one, operators) for one in self.nodes), key=lambda node: node.id)),
            edges=tuple(edges[old] for old in order),
            chaining=self.document.get("chaining") is not False,
            chain_different_max_parallelism=self.document.get("chain_different_max_parallelism") is not False,
            next_id=max(self.ids) + 1,
            in_edges={node: tuple(place[old] for old in positions) for node, positions in inputs.items()},
            exchanges=_exchanges(text(self.document, "exchanges", self.where, "")),
        )

    def refuse_circle(self, edges: tuple[StreamEdge, ...]) -> None:
        order = topological_order(self.ids, ((edge.source, edge.target) for edge in edges))
        if len(order) < len(self.ids):
            raise JobDefinitionError(f"{self.where}: the graph goes in a circle")

    def node(self, entry: JsonObject, place: str, operators: Mapping[int, Operator]) -> StreamNode:
        node = number(entry, "id", place)
        kind: Literal["new", "legacy"] = "new" if entry.get("source") == "new" else "legacy"
        return StreamNode(
            id=node,
            name=text(entry, "name", place),
            parallelism=number(entry, "parallelism", place),
            parallelism_configured=entry.get("parallelism_configured") is True,
            max_parallelism=number(entry, "max_parallelism", place, -1),
            slot_sharing_group=text(entry, "slot_sharing_group", place, "default"),
            co_location_group=_optional(entry, "co_location_group", place),
            chaining_strategy=_one_of(entry, "chaining_strategy", get_args(ChainingStrategy), place, "NEVER"),
            source=None if self.inputs(entry, place) else kind,  # what nothing feeds is a source, whatever it is called
            sorted_input=self.sorted_input(entry),
            yielding=entry.get("yielding") is True,
            buffer_timeout=number(entry, "buffer_timeout", place, -1),
            uid=_optional(entry, "uid", place),
            user_hash=_optional(entry, "user_hash", place),
            role="operator",
            operator=operators[node],
        )

    def operator(self, entry: JsonObject, place: str, partitions: Mapping[int, Partition | None]) -> Operator:
        node, name = number(entry, "id", place), text(entry, "name", place)
        read = [(self.edges[edge], partitions[edge]) for edge in self.inputs(entry, place)]
        uid = _optional(entry, "uid", place)
        return Operator(
            id=node,
            key=uid or (name if self.names[name] == 1 else f"{name} #{node}"),
            kind=self.kind(entry, name, node),
            location=self.lines.get(node, self.inner),
            inputs=tuple(one.id if one else number(edge, "source", at) for (edge, at), one in read),
            name=name,
            uid=uid,
            uid_hash=_optional(entry, "user_hash", place),
            description=_optional(entry, "description", place),
            parallelism=number(entry, "parallelism", place) if entry.get("parallelism_configured") is True else None,
            output=_optional(entry, "output_type", place),
            legacy=entry.get("source") == "legacy",
            chaining=self.chaining(entry),
            exported=True,
        )

    def chaining(self, entry: JsonObject) -> Literal["start_new", "disable"] | None:
        """What the program asked for; batch mode itself makes a keyed operator the head of its chain."""
        if entry.get("chaining_strategy") == "HEAD" and entry.get("source") is None and not self.sorted_input(entry):
            return "start_new"
        return "disable" if entry.get("chaining_strategy") == "NEVER" else None

    def sorted_input(self, entry: JsonObject) -> bool:
        batch = text(self.document, "type", self.where, "").upper() == "BATCH"
        return batch and entry.get("keyed") is True and entry.get("chaining_strategy") == "HEAD"

    def kind(self, entry: JsonObject, name: str, node: int) -> OperatorKind:
        if not entry.get("inputs"):
            return "source"
        if node not in self.feeding:
            return "sink"
        if len(self.entered.get(node, ())) > 1:
            return "co_process"
        return next((kind for beginning, kind in _KINDS if name.startswith(beginning)), "process")

    def inputs(self, entry: JsonObject, place: str) -> tuple[int, ...]:
        positions = entry.get("inputs")
        if not isinstance(positions, list) or any(
            not isinstance(one, int) or isinstance(one, bool) or not 0 <= one < len(self.edges) for one in positions
        ):
            raise JobDefinitionError(f"{place}.inputs must be a list of edges")
        return tuple(positions)

    def edge(self, position: int, partition: Partition | None) -> StreamEdge:
        entry, place = self.edges[position]
        mode = _one_of(entry, "exchange_mode", get_args(ExchangeMode), place, "UNDEFINED")
        # Records that are already partitioned so: Flink chains such an edge although its exchange is a batch exchange.
        consecutive = text(entry, "partitioner_class", place, "") == "ForwardForConsecutiveHashPartitioner"
        return StreamEdge(
            source=number(entry, "source", place),
            target=number(entry, "target", place),
            partitioner=self.partitioner(entry, place),
            exchange_mode="UNDEFINED" if consecutive else mode,
            type_number=number(entry, "type_number", place, 0),
            side_output=_optional(entry, "side_output", place),
            partition=partition,
        )

    def partition(self, position: int) -> Partition | None:
        """Who asked for the partitioner: None where Flink chose it itself."""
        entry, place = self.edges[position]
        partitioner = self.partitioner(entry, place)
        unspecified = text(entry, "partitioner_class", place, "") == "ForwardForUnspecifiedPartitioner"
        streaming = text(self.document, "type", self.where, "STREAMING").upper() != "BATCH"
        if unspecified or (streaming and partitioner == "FORWARD") or self.chosen_by_flink(entry, place, partitioner):
            return None
        target = number(entry, "target", place)
        return Partition(
            id=max(self.ids) + 1 + position,
            input=number(entry, "source", place),
            partitioner=partitioner,
            location=self.lines.get(target, self.inner),
        )

    def chosen_by_flink(self, entry: JsonObject, place: str, partitioner: str) -> bool:
        """A rebalance between different parallelisms is what Flink puts where nothing is written."""
        ends = (self.parallelism.get(number(entry, key, place)) for key in ("source", "target"))
        return partitioner == "REBALANCE" and len(set(ends)) == 2

    def partitioner(self, entry: JsonObject, place: str) -> Partitioner:
        name = text(entry, "partitioner", place).split("[")[0]
        found: dict[str, Partitioner] = {one: one for one in get_args(Partitioner)}
        return found.get(name, "CUSTOM")


def _exchanges(mode: str) -> ExchangeMode:
    """What edges without an exchange mode have; UNDEFINED where that depends on the edge."""
    if mode == "ALL_EDGES_BLOCKING":
        return "BATCH"
    found: dict[str, ExchangeMode] = {f"ALL_EDGES_{one}": one for one in get_args(ExchangeMode)}
    return found.get(mode, "UNDEFINED")


def _optional(entry: JsonObject, key: str, place: str) -> str | None:
    return None if entry.get(key) is None else text(entry, key, place)


def _one_of(entry: JsonObject, key: str, allowed: tuple[Any, ...], place: str, default: str) -> Any:
    value = default if entry.get(key) is None else text(entry, key, place)
    if value in allowed:
        return value
    raise JobDefinitionError(f"{place}.{key} is {value!r}, and must be one of {', '.join(allowed)}")
