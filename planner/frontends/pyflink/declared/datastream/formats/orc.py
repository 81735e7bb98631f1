"""`pyflink.datastream.formats.orc` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from typing import Any

from planner.frontends.pyflink.declared.common.serialization import BulkWriterFactory
from planner.frontends.pyflink.recorded import Recorded

__all__ = [
    "OrcBulkWriters",
]


class OrcBulkWriters(Recorded):
    @staticmethod
    def for_row_type(row_type: Any, writer_properties: Any = None, hadoop_config: Any = None) -> BulkWriterFactory: ...
