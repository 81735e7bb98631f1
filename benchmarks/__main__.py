"""Runs the benchmarks: `python -m benchmarks [--quick] [--write] [NAME...]`."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.figure import Figure
from benchmarks.machine import describe
from benchmarks.measure import ROOT, Unavailable
from benchmarks.registry import GROUPS, Group
from benchmarks.results import LATEST, QUICK, Measured, Results, load, save
from benchmarks.tables import line, markdown, update_page

NAMES = tuple(group.name for group in GROUPS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every figure as it is measured, and keep them; 1 where something could not be measured."""
    options = _options(arguments)
    path = QUICK if options.quick else LATEST
    last = load(path)
    machine = describe()
    print(f"{machine}. A ratio below 1 means that plan is better.")
    if last and last.machine != machine:
        print(f"The last result is from another machine: {last.machine}.")
    groups = [group for group in GROUPS if (group.name in options.names if options.names else not group.only_by_name)]
    measured = [_measure(group, last, quick=options.quick) for group in groups]
    _tell_what_is_worse(measured, last)
    if options.write or not options.names:
        base = last if last and last.machine == machine else Results(machine=machine, groups=())
        results = save(base.with_groups(measured, NAMES), path)
        if not options.quick:
            update_page(ROOT / "docs/performance.md", markdown(results, {group.name: group.title for group in GROUPS}))
    return 1 if any(one.lacking for one in measured) else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Every figure is a ratio measured in this run. All are kept, and go to docs/performance.md.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these: {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds, to see whether it works")
    parser.add_argument("--write", action="store_true", help="keep the figures although only some were measured")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}; there are {', '.join(NAMES)}")
    return options


def _measure(group: Group, last: Results | None, *, quick: bool) -> Measured:
    """One group. Whatever goes wrong in it does not keep the others from being measured."""
    print(f"\n{group.title}", flush=True)
    figures: list[Figure] = []
    lacking = ""
    start = time.perf_counter()
    try:
        for figure in group.figures(quick=quick):
            figure = replace(figure, target=None) if quick else figure  # targets are those of the full size
            figures.append(figure)
            print(f"  {line(figure, last.before(group.name, figure) if last else None)}", flush=True)
    except Unavailable as reason:
        lacking = str(reason)
    except Exception as error:
        traceback.print_exc()
        lacking = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    if lacking:
        print(f"  not measured: {lacking}")
    print(f"  ({time.perf_counter() - start:.0f} s)", flush=True)
    return Measured(group=group.name, date=time.strftime("%Y-%m-%d"), figures=tuple(figures), lacking=lacking)


def _tell_what_is_worse(measured: list[Measured], last: Results | None) -> None:
    if not last:
        return
    pairs = [(figure, last.before(one.group, figure)) for one in measured for figure in one.figures]
    worse = [(figure, before) for figure, before in pairs if before and figure.worse_than(before)]
    print(f"\nWorse than the last result by more than the spread: {len(worse) or 'nothing'}")
    for figure, before in worse:
        print(f"  {line(figure, before)}")


if __name__ == "__main__":
    sys.exit(main())
