"""What Spark's log says, in one message: the log's own words are recorded here."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_runner.clusters.gateway import JvmEnded
from spark_runner.clusters.master import parse_master
from spark_runner.clusters.start_failures import explain_start_failure

LOGS = {
    "a description without its jar": (
        """
:: problems summary ::
:::: WARNINGS
\t\t[NOT FOUND  ] tests.plan#greeting;1.0!greeting.jar (0ms)

\t==== local-m2-cache: tried

\t  file:/home/.m2/repository/tests/plan/greeting/1.0/greeting-1.0.jar

\t\t:: tests.plan#greeting;1.0!greeting.jar
Exception in thread "main" java.lang.RuntimeException: [download failed: tests.plan#greeting;1.0!greeting.jar]
""",
        "the description of tests.plan:greeting:1.0 without its jar",
        "remove the folder /home/.m2/repository/tests/plan/greeting/1.0 and run again",
    ),
    "a jar that no repository gives": (
        "java.lang.RuntimeException: [download failed: tests.plan#greeting;1.0!greeting.jar]",
        "a package of --packages could not be fetched",
        "see the log",
    ),
    "no such package": (
        "unresolved dependency: nowhere#nothing;1.0: not found",
        "there is no package nowhere:nothing:1.0",
        "--packages takes group:artifact:version",
    ),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_known_failure_is_named_with_what_to_do(name: str, tmp_path: Path) -> None:
    text, message, hint = LOGS[name]
    log = tmp_path / "spark.log"
    log.write_text(text)
    error = explain_start_failure(JvmEnded("the JVM ended"), parse_master("local[1]"), log)
    assert message in error.message
    assert hint in str(error.hint) and str(log) in str(error.hint)
