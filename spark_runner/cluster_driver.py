"""The driver of a run in cluster mode: it calls back, takes the program, runs it, and tells what happens.

It runs in a container with PySpark and what was shipped: this package, the planner, the job's modules. Losing the
connection means that the run was ended over there.
"""

from __future__ import annotations

import json
import os
import pickle
import threading
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import Any

from planner.errors import ExecutionError, PlanError

__all__ = ["CALL", "main"]

CALL = "plan-call.json"  # where to call, shipped beside the driver


def main() -> None:
    """Run one program for whoever waits at the address in the call file."""
    call = json.loads(Path(CALL).read_bytes())
    with Client((call["host"], call["port"]), authkey=bytes.fromhex(call["key"])) as line:
        settings, payload = line.recv()
        try:
            _run(line, settings, payload)
        except PlanError as error:
            line.send(("error", _portable(error)))
        except Exception as error:
            line.send(("error", ExecutionError(f"the driver failed: {type(error).__name__}: {error}")))


def _run(line: Connection, settings: dict[str, str], payload: bytes) -> None:
    from pyspark.sql import SparkSession

    from spark_runner.execute import execute

    spark = SparkSession.builder.config(map=settings).getOrCreate()
    line.send(("application", spark.sparkContext.applicationId))
    finished = threading.Event()
    threading.Thread(target=_end_with, args=(line, finished), daemon=True).start()
    try:
        result = execute(pickle.loads(payload), spark, events=lambda event: line.send(("event", event)))
    finally:
        finished.set()
    line.send(("result", result))
    spark.stop()


def _end_with(line: Connection, finished: threading.Event) -> None:
    """End this driver, and with it the application, once the other side is gone: nothing else is ever sent here."""
    try:
        line.recv()
    except (EOFError, OSError):
        if not finished.is_set():
            os._exit(143)


def _portable(error: PlanError) -> Any:
    """The error without the chain of causes, which the other side cannot load."""
    plain = ExecutionError(error.message, operator=getattr(error, "operator", None), hint=error.hint)
    plain.location = error.location
    return plain


if __name__ == "__main__":
    main()
