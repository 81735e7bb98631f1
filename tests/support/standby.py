"""`plan run` whose session is open before it is asked for: waits for a line, then runs the command as given.

A driver that is killed needs a successor at once. Starting Python and the JVM meanwhile leaves only the query's own
start between two kills. Nothing else of the run differs: the command line takes the open session instead of a new one.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from cli.app import main
from spark_runner.clusters.request import RunRequest
from spark_runner.clusters.session import open_session
from spark_runner.runs import local_driver


def stand_by(arguments: list[str]) -> int:
    """Open the session, wait, run."""
    conf = [arguments[at + 1].split("=", 1) for at, word in enumerate(arguments) if word == "--conf"]
    request = RunRequest(
        job="",
        folder=str(Path.cwd()),
        master=arguments[arguments.index("--master") + 1],
        conf=tuple((name, value) for name, value in conf),
    )
    with tempfile.TemporaryDirectory(prefix="plan-standby-") as folder:
        session = open_session(request, name="standby", log=Path(folder, "spark.log"))

        def opened(*_: Any, **__: Any) -> Any:
            return session

        local_driver.open_session = opened
        sys.stdin.readline()
        return main(arguments)


if __name__ == "__main__":
    sys.exit(stand_by(sys.argv[1:]))
