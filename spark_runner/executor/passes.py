"""One Python pass of a batch as it is shipped: what arrives, its operators, what leaves. Runs on executors."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from spark_runner.executor.hidden_columns import KEY, METRIC, OUT, STAMP, TARGET
from spark_runner.executor.layout import OperatorSpec

__all__ = ["OutletSpec", "PassInput", "PassSpec", "host_name"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutletSpec:
    """One stream that leaves: its columns, and what travels beside them."""

    node: int | None
    tag: str | None
    schema: pa.Schema  # the records' columns
    blame: int | None  # the operator that declared them
    selector: Callable[[Any], Any] | None = None
    key_type: pa.DataType | None = None  # None: keys travel as bytes
    keyed_by: tuple[str, str, str] | None = None  # whose key or partition that is: operator, name, place
    custom: Callable[[Any, int], int] | None = None
    consumers: int = 0
    stamps: bool = False
    fields: tuple[str, ...] = ()  # of the records, where not all of them leave

    @property
    def names(self) -> tuple[str, ...]:
        """The fields of the records."""
        return self.fields or tuple(self.schema.names)

    @property
    def picked(self) -> tuple[int, ...]:
        """Which fields leave, by their positions; () where all do."""
        return tuple(map(self.fields.index, self.schema.names)) if self.fields else ()

    @property
    def full_schema(self) -> pa.Schema:
        """The records' columns and the hidden ones."""
        fields = list(self.schema)
        if self.selector is not None and self.custom is None:
            fields.append(pa.field(KEY, self.key_type or pa.binary()))
        if self.custom is not None:
            fields.append(pa.field(TARGET, pa.int32()))
        if self.stamps:
            fields.append(pa.field(STAMP, pa.int64()))
        return pa.schema(fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassInput:
    """What arrives: the fields of each input's records, and whether records come key by key."""

    names: tuple[tuple[str, ...], ...]  # of which only those have a column that somebody reads
    grouped: bool = False
    key_columns: tuple[tuple[str, ...], ...] = ()  # by input position


@dataclass(frozen=True, slots=True, kw_only=True)
class PassSpec:
    """One Python pass, as it is shipped."""

    number: int
    name: str
    parallelism: int
    input: PassInput
    operators: tuple[OperatorSpec, ...]
    outlets: tuple[OutletSpec, ...]
    first_task: int = 0  # the number of its first subtask's task: inputs of a union share a stage
    tagged: bool = False  # several outlets share the result: one struct column for each
    metric_rows: bool = False  # the figures leave as a last row, for sessions without accumulators

    @property
    def out_schema(self) -> pa.Schema:
        """The columns of the pass's result."""
        if not self.tagged:
            fields = list(self.outlets[0].full_schema) if self.outlets else [pa.field("nothing", pa.int32())]
        else:
            fields = [pa.field(OUT, pa.int32())]
            fields += [pa.field(f"o{n}", pa.struct(list(o.full_schema))) for n, o in enumerate(self.outlets)]
        return pa.schema([*fields, pa.field(METRIC, pa.string())] if self.metric_rows else fields)


def host_name() -> str:
    """This machine as the cluster calls it, so that figures and the cluster's own pages agree; else by its own name."""
    named = (os.environ.get(name) for name in ("NM_HOST", "SPARK_LOCAL_HOSTNAME", "SPARK_LOCAL_IP"))
    return next(filter(None, named), socket.gethostname())
