"""`pyflink.datastream.checkpoint_storage` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from typing import Any

from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "CheckpointStorage",
    "CustomCheckpointStorage",
    "FileSystemCheckpointStorage",
    "JobManagerCheckpointStorage",
]


class CheckpointStorage(Recorded):
    def __init__(self) -> None: ...


class JobManagerCheckpointStorage(CheckpointStorage):
    DEFAULT_MAX_STATE_SIZE = 5242880

    def __init__(self, checkpoint_path: Any = None, max_state_size: Any = None) -> None: ...
    def get_checkpoint_path(self) -> Any: ...
    def get_max_state_size(self) -> int: ...
    def get_savepoint_path(self) -> Any: ...


class FileSystemCheckpointStorage(CheckpointStorage):
    MAX_FILE_STATE_THRESHOLD = 1048576

    def __init__(
        self, checkpoint_path: Any = None, file_state_size_threshold: Any = None, write_buffer_size: Any = -1
    ) -> None: ...
    def get_checkpoint_path(self) -> str: ...
    def get_savepoint_path(self) -> Any: ...
    def get_min_file_size_threshold(self) -> int: ...
    def get_write_buffer_size(self) -> int: ...


class CustomCheckpointStorage(CheckpointStorage):
    def __init__(self) -> None: ...
