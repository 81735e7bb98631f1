"""Runs several bounded jobs in one session: python -m tests.support.several_jobs MASTER CONF JOB..."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import planner
from planner.pipeline import plan
from spark_runner.batch.execute import execute
from spark_runner.lowering.lower import lower


def main(master: str, conf: str, *jobs: str) -> None:
    """Every job prints its name when it is done."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master)
    for name, value in json.loads(conf).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        for job in jobs:
            execute(lower(plan(planner.load_job(Path(job)))), spark, events=lambda event: None)
            print(job, flush=True)
    finally:
        spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
