"""Answers of Flink that are kept by content: the same program, arguments, options and versions give the same graphs."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from planner.durable import write_whole
from planner.frontends.flink_compiler.process import PROGRAM
from planner.machine.cache import cache_folder

__all__ = ["keep", "kept"]

_MOST = 400  # answers; the oldest are removed


def kept(way: str, depends: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """The answers to a question that was asked before."""
    path = _path(way, depends)
    with contextlib.suppress(OSError, ValueError):
        document = json.loads(path.read_bytes())
        if isinstance(document, list):
            with contextlib.suppress(OSError):
                path.touch()  # it was of use
            return document
    return None


def keep(way: str, depends: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> None:
    """Keep the answers to a question. A cache that cannot be written costs time, and nothing else."""
    path = _path(way, depends)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(list(answers), ensure_ascii=False, separators=(",", ":")).encode())
        others = sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for old in others[:-_MOST]:
            old.unlink()


def _path(way: str, depends: Mapping[str, Any]) -> Path:
    key = json.dumps([_reader(), way, depends], sort_keys=True, ensure_ascii=False)
    return cache_folder() / "flink-answers" / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


@cache
def _reader() -> str:
    """What reads the graphs: another version of it may read more."""
    return hashlib.sha256(PROGRAM.read_bytes()).hexdigest()
