"""Every public class, method and argument of PyFlink 2.3's DataStream API is there, by the names that PyFlink has.

`api.json.xz` was written by benchmarks/pyflink/api_names.py from an installed PyFlink, without its internal classes.
"""

from __future__ import annotations

import importlib
import inspect
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from planner.frontends.python.stand_in import pyflink_stand_in

API: dict[str, dict[str, Any]] = json.loads(lzma.decompress((Path(__file__).parent / "api.json.xz").read_bytes()))
# PyFlink makes these around Java objects, scripts never do.
MADE_INSIDE = {
    "AllWindowedStream", "CachedDataStream", "CloseableIterator", "DataStream", "DataStreamSink", "Duration",
    "KeyedStream", "WatermarkStrategy", "WindowedStream",
}  # fmt: skip


@pytest.mark.parametrize("module", API)
def test_every_name_of_the_module_can_be_imported_and_takes_pyflinks_arguments(module: str) -> None:
    with pyflink_stand_in():
        ours = importlib.import_module(module)
        lacking = [name for name in API[module] if not hasattr(ours, name)]
        assert lacking == []
        for name, members in API[module].items():
            if isinstance(members, dict):
                check_members(getattr(ours, name), members)


def check_members(ours: Any, members: dict[str, list[str] | None]) -> None:
    for name, arguments in members.items():
        if name == "__init__":
            assert ours.__name__ in MADE_INSIDE or arguments_of(ours) == arguments, ours
            continue
        member = getattr(ours, name)
        if arguments is not None and name not in ("to_internal_type", "from_internal_type"):
            assert arguments_of(member) == arguments, f"{ours.__name__}.{name}"


def arguments_of(call: Any) -> list[str] | None:
    try:
        found = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return None
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    names = [stars.get(parameter.kind, "") + parameter.name for parameter in found]
    return [name for name in names if name != "self" and not name.startswith("j_")]
