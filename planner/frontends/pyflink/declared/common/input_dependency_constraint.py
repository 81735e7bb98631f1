"""`pyflink.common.input_dependency_constraint` as PyFlink 2.3 declares it.

Written by benchmarks/pyflink/declare.py.
"""

from __future__ import annotations

from enum import Enum

__all__ = [
    "InputDependencyConstraint",
]


class InputDependencyConstraint(Enum):
    ANY = 0
    ALL = 1
