"""`pyflink.datastream.state_backend` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "CustomStateBackend",
    "EmbeddedRocksDBStateBackend",
    "HashMapStateBackend",
    "PredefinedOptions",
    "StateBackend",
]


class StateBackend(Recorded):
    def __init__(self) -> None: ...


class HashMapStateBackend(StateBackend):
    def __init__(self) -> None: ...


class EmbeddedRocksDBStateBackend(StateBackend):
    def __init__(self, enable_incremental_checkpointing: Any = None) -> None: ...
    def set_db_storage_paths(self, *paths: Any) -> Any: ...
    def get_db_storage_paths(self) -> Any: ...
    def is_incremental_checkpoints_enabled(self) -> bool: ...
    def set_predefined_options(self, options: Any) -> Any: ...
    def get_predefined_options(self) -> PredefinedOptions: ...
    def set_options(self, options_factory_class_name: Any) -> Any: ...
    def get_options(self) -> Any: ...
    def get_number_of_transfer_threads(self) -> int: ...
    def set_number_of_transfer_threads(self, number_of_transfering_threads: Any) -> Any: ...


class PredefinedOptions(Enum):
    DEFAULT = 0
    SPINNING_DISK_OPTIMIZED = 1
    SPINNING_DISK_OPTIMIZED_HIGH_MEM = 2
    FLASH_SSD_OPTIMIZED = 3


class CustomStateBackend(StateBackend):
    def __init__(self) -> None: ...
