"""The rooms of the house: every package, and which other packages it may import.

A room may always import itself. `planner` means the modules directly in `planner/`.
Imports for types alone do not count.
"""

from __future__ import annotations

WORDS = frozenset({"planner"})  # job, errors and pipeline: what everybody speaks
PLANNER = frozenset({"planner", "planner.graphs", "planner.settings", "planner.flink"})
RENDER = frozenset({"cli.render"})
PYTHON_API = WORDS | {
    "planner.flink",
    "planner.frontends.python",
    "planner.frontends.python.values",
    "planner.frontends.python.declared",
}

ROOMS: dict[str, frozenset[str]] = {
    # planner: from the ground up
    "planner": frozenset(
        {"planner.graphs", "planner.chaining", "planner.flink", "planner.merging", "planner.observed"}
    ),
    "planner.flink": WORDS,
    "planner.settings": WORDS | {"planner.flink"},
    "planner.machine": WORDS,
    "planner.graphs": WORDS | {"planner.flink"},
    "planner.chaining": WORDS | {"planner.graphs", "planner.chaining.rules"},
    "planner.chaining.rules": WORDS | {"planner.chaining", "planner.graphs"},
    "planner.merging": WORDS | {"planner.graphs", "planner.flink", "planner.merging.rules"},
    "planner.merging.rules": WORDS | {"planner.merging"},
    "planner.frontends": WORDS
    | {
        f"planner.frontends.{room}"
        for room in ("flink_compiler", "flink_export", "python", "python.declared", "python_files", "yaml")
    },
    "planner.frontends.python_files": WORDS | {"planner.flink"},
    "planner.frontends.python": PYTHON_API
    | {"planner.graphs", "planner.merging", "planner.settings", "planner.frontends.python_files"},
    "planner.frontends.python.values": PYTHON_API | {"planner.frontends.python_files"},
    "planner.frontends.python.declared": PYTHON_API,
    "planner.frontends.yaml": WORDS | {"planner.settings", "planner.flink"},
    "planner.frontends.flink_export": WORDS | {"planner.flink", "planner.graphs"},
    "planner.frontends.flink_compiler": WORDS
    | {"planner.flink", "planner.frontends", "planner.frontends.flink_export", "planner.machine"},
    "planner.observed": WORDS
    | {"planner.chaining", "planner.chaining.rules", "planner.flink", "planner.frontends.flink_export"}
    | {"planner.graphs"},
    "planner.snapshots": PLANNER | {"planner.frontends.python_files"},
    "planner.savepoints": PLANNER,
    "planner.explanation": PLANNER | {"planner.chaining", "planner.merging", "planner.observed"},
    "planner.deployment": PLANNER,
    "planner.diff": PLANNER
    | {"planner.observed", "planner.snapshots", "planner.frontends", "planner.frontends.flink_compiler"},
    "planner.lint": PLANNER
    | {
        "planner.diff",
        "planner.explanation",
        "planner.snapshots",
        "planner.frontends",
        "planner.observed",
        "planner.savepoints",
        "planner.lint.rules",
    }
    | {"planner.lint.rules.pyflink"},
    "planner.lint.rules.pyflink": PLANNER | {"planner.lint"},
    "planner.lint.rules": PLANNER | {"planner.deployment"} | {"planner.lint", "planner.diff", "planner.savepoints"},
    "planner.review": PLANNER
    | {f"planner.{room}" for room in ("diff", "explanation", "frontends", "lint", "snapshots")}
    | {"planner.frontends.python_files"},
    # spark_runner: a room imports only rooms above it
    "spark_runner": frozenset(),
    "spark_runner.executor": frozenset({"spark_runner.executor.formats"}),
    "spark_runner.executor.formats": frozenset({"spark_runner.executor"}),
    "spark_runner.program": WORDS | {"spark_runner.executor"},
    "spark_runner.lowering": PLANNER
    | {"spark_runner.executor", "spark_runner.program", "spark_runner.lowering.scripts"},
    "spark_runner.lowering.scripts": PYTHON_API
    | PLANNER
    | {"spark_runner.executor", "spark_runner.executor.formats", "spark_runner.lowering", "spark_runner.program"},
    "spark_runner.clusters": WORDS | {"planner.machine", "planner.settings"},
    "spark_runner.frames": WORDS
    | {"planner.frontends.python_files", "spark_runner.executor", "spark_runner.program", "spark_runner.clusters"},
    "spark_runner.figures": WORDS | {"spark_runner.program", "spark_runner.clusters"},
    "spark_runner.batch": WORDS
    | {"planner.frontends.python", "planner.frontends.python_files", "spark_runner.executor.formats"}
    | {f"spark_runner.{room}" for room in ("executor", "program", "clusters", "frames", "figures")},
    "spark_runner.streaming": PLANNER
    | {
        "planner.frontends.python",
        "spark_runner.executor",
        "spark_runner.streaming.queries",
    }
    | {f"spark_runner.{room}" for room in ("program", "clusters", "frames", "figures", "batch")},
    "spark_runner.streaming.queries": WORDS
    | {"planner.frontends.python", "spark_runner.executor"}
    | {f"spark_runner.{room}" for room in ("program", "frames", "figures", "batch", "streaming")},
    "spark_runner.runs": WORDS
    | {"planner.frontends", "planner.machine", "planner.settings", "planner.flink"}
    | {f"spark_runner.{room}" for room in ("program", "lowering", "clusters", "frames", "figures", "batch")}
    | {"spark_runner.streaming"},
    # cli: commands on top, renderers below
    "cli": WORDS
    | {f"planner.{room}" for room in ("deployment", "explanation", "flink", "frontends", "observed")}
    | {"planner.savepoints", "planner.settings"}
    | {"cli.render", "cli.render.page", "cli.render.pictures", "cli.render.text", "planner.frontends.python_files"}
    | {"planner.frontends.flink_export", "planner.lint", "planner.snapshots"}
    | {"planner.frontends.flink_compiler"}
    | {"spark_runner.clusters", "spark_runner.runs"},
    "cli.commands": PLANNER
    | {f"planner.{room}" for room in ("chaining", "deployment", "diff", "explanation", "frontends", "savepoints")}
    | {"planner.machine", "planner.frontends.yaml", "planner.lint", "planner.merging", "planner.review"}
    | {"planner.snapshots"}
    | {"spark_runner.clusters", "spark_runner.runs"}
    | {f"cli.render.{room}" for room in ("findings", "markdown", "page", "pictures", "text")}
    | {"cli", "cli.render", "planner.frontends.flink_export", "planner.observed"}
    | {"planner.frontends.flink_compiler"},
    "cli.render": WORDS | {"planner.chaining", "planner.graphs", "planner.lint", "planner.merging"},
    "cli.render.text": RENDER
    | PLANNER
    | {"planner.chaining", "planner.frontends.flink_export", "planner.merging", "planner.observed"}
    | {"planner.deployment", "planner.diff", "planner.explanation", "planner.lint", "planner.savepoints"}
    | {"planner.review"}
    | {"spark_runner.figures", "spark_runner.program", "spark_runner.runs"},
    "cli.render.markdown": RENDER
    | WORDS
    | {f"planner.{room}" for room in ("diff", "explanation", "lint", "review")}
    | {"cli", "cli.render.pictures", "cli.render.text"},
    "cli.render.findings": RENDER | {"cli", "planner.lint"},
    "cli.render.pictures": RENDER
    | PLANNER
    | {"planner.deployment", "planner.diff", "planner.explanation", "planner.frontends.flink_export"}
    | {"planner.observed"},
    "cli.render.page": RENDER
    | PLANNER
    | {"cli.render.pictures", "cli.render.text", "planner.chaining", "planner.deployment"}
    | {"planner.frontends.flink_export", "planner.observed"}
    | {"planner.diff", "planner.explanation"},
}

# The rooms where PySpark may be imported. In `executor` it is there on every worker anyway.
PYSPARK_ROOMS = frozenset(
    f"spark_runner.{room}"
    for room in (
        "executor",
        "clusters",
        "frames",
        "figures",
        "batch",
        "streaming",
        "streaming.queries",
        "runs",
    )
)
# The only modules of `cli` that may import `spark_runner`: they run jobs, or show runs.
MAY_IMPORT_SPARK_RUNNER = frozenset(
    {
        "cli/commands/cancel.py",
        "cli/commands/run.py",
        "cli/commands/runs.py",
        "cli/detached.py",
        "cli/pyflink_scripts.py",
        "cli/render/text/progress.py",
        "cli/render/text/chunk_program.py",
        "cli/render/text/stream_view.py",
        "cli/render/text/run_report.py",
        "cli/render/text/spark_program.py",
        "cli/run_ids.py",
        "cli/script.py",
    }
)
