"""Runs the benchmarks: `python -m benchmarks [--quick] [NAME...]`."""

from __future__ import annotations

import argparse
import importlib
import platform

from benchmarks.measure import Unavailable, cores

# In the order a reader cares: what everybody pays at every call, then what large jobs pay, then Spark.
NAMES = ("startup", "planning", "linting", "placement", "spark_command", "spark_run", "streaming")


def main() -> None:
    """Print every figure as it is measured."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Every figure is a ratio measured in this run."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these: {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, to see whether it works")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}; there are {', '.join(NAMES)}")
    print(f"Python {platform.python_version()}, {cores()} cores. A ratio below 1 means that plan is faster.")
    for name in options.names or NAMES:
        _run(name, quick=options.quick)


def _run(name: str, *, quick: bool) -> None:
    module = importlib.import_module(f"benchmarks.{name}")
    print(f"\n{module.TITLE}", flush=True)
    try:
        for figure in module.figures(quick=quick):
            print(f"  {figure}", flush=True)
    except Unavailable as lacking:
        print(f"  not measured: {lacking}")


if __name__ == "__main__":
    main()
