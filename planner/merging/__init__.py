"""What PyFlink does between a script and Flink: helper operators move to their neighbours, Python operators merge.

Door: the names below, and `registry.RULES` for the merge conditions.
"""

from planner.merging.layer import Merging, compile_python_layer
from planner.merging.pairs import PairVerdict

__all__ = ["Merging", "PairVerdict", "compile_python_layer"]
