"""Random jobs for property tests, in the YAML format's own shape."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Job = dict[str, Any]

PARALLELISMS = st.integers(min_value=1, max_value=6)
PARTITIONS = st.sampled_from(["rebalance", "rescale", "shuffle", "broadcast", "global", "custom"])
ONE_INPUT = ["map", "flat_map", "filter", "process", "async_map", "watermarks"]
KEYED = ["sum", "min", "max", "reduce", "window_reduce", "process"]
TWO_INPUTS = ["co_map", "co_flat_map", "co_process"]
SINKS = ["sink", "print"]


def _maybe(draw: st.DrawFn, one_in: int) -> bool:
    return draw(st.integers(min_value=1, max_value=one_in)) == 1


@st.composite
def _reference(draw: st.DrawFn, streams: list[str]) -> Any:
    """One input: a stream, a partitioned stream, or a union of different streams."""
    if len(streams) > 1 and _maybe(draw, 6):
        return draw(st.lists(st.sampled_from(streams), min_size=2, max_size=3, unique=True))
    stream = draw(st.sampled_from(streams))
    return {"from": stream, "partition": draw(PARTITIONS)} if _maybe(draw, 4) else stream


@st.composite
def _source(draw: st.DrawFn, name: str, *, legacy: bool) -> Job:
    operator: Job = {"id": name, "type": "source"}
    if legacy and _maybe(draw, 4):
        operator["legacy"] = True
        if _maybe(draw, 2):
            operator["parallel"] = False
    return operator


@st.composite
def _consumer(draw: st.DrawFn, name: str, streams: list[str]) -> Job:
    shape = draw(st.sampled_from(["one", "one", "one", "keyed", "two", "multi", "sink"]))
    if shape == "one":
        return {"id": name, "type": draw(st.sampled_from(ONE_INPUT)), "input": draw(_reference(streams))}
    if shape == "keyed":
        return {
            "id": name,
            "type": draw(st.sampled_from(KEYED)),
            "input": draw(st.sampled_from(streams)),
            "key_by": "k",
        }
    if shape == "two":
        operator = {"id": name, "type": draw(st.sampled_from(TWO_INPUTS))}
        operator["inputs"] = [draw(_reference(streams)), draw(_reference(streams))]
        return operator
    if shape == "multi":
        inputs = draw(st.lists(st.sampled_from(streams), min_size=1, max_size=3))
        return {"id": name, "type": "multi_input", "inputs": inputs, "chain_sources": draw(st.booleans())}
    operator = {"id": name, "type": draw(st.sampled_from(SINKS)), "input": draw(_reference(streams))}
    if operator["type"] == "sink" and _maybe(draw, 3):
        operator |= {"api": "v2", "committer": draw(st.booleans())}
    return operator


def _decorate(draw: st.DrawFn, operator: Job) -> None:
    """Settings that any operator may carry, each now and then."""
    if operator.get("parallel", True) and _maybe(draw, 4):
        operator["parallelism"] = draw(PARALLELISMS)
    if _maybe(draw, 6):
        operator["uid"] = f"uid of {operator['id']}"
    if _maybe(draw, 8):
        operator["slot_sharing_group"] = draw(st.sampled_from(["default", "heavy", "io"]))
    if _maybe(draw, 8):
        operator["max_parallelism"] = draw(st.sampled_from([32, 128]))
    if operator["type"] not in {"source", *SINKS} and _maybe(draw, 8):
        operator["chaining"] = draw(st.sampled_from(["start_new", "disable"]))


@st.composite
def jobs(draw: st.DrawFn, *, max_operators: int = 12, runtime_mode: str = "streaming") -> Job:
    """A job that Flink accepts: every input exists, nothing is refused."""
    operators: list[Job] = []
    streams: list[str] = []
    sources = draw(st.integers(min_value=1, max_value=3))
    for index in range(sources + draw(st.integers(min_value=1, max_value=max_operators - sources))):
        name = f"op{index}"
        # A legacy source never ends, so Flink refuses it in batch mode.
        legacy = runtime_mode == "streaming"
        operator = draw(_source(name, legacy=legacy) if index < sources else _consumer(name, streams))
        _decorate(draw, operator)
        operators.append(operator)
        if operator["type"] not in SINKS:
            streams.append(name)
    # A source that nothing reads is refused by Flink, so whatever has no reader gets a sink.
    operators.extend({"id": f"end of {name}", "type": "sink", "input": name} for name in streams)
    return {
        "name": "random",
        "parallelism": draw(PARALLELISMS),
        "runtime_mode": runtime_mode,
        "chaining": not _maybe(draw, 10),
        "chain_different_max_parallelism": draw(st.booleans()),
        "operators": operators,
    }
