"""What Spark's exceptions become in our words."""

from __future__ import annotations

from typing import Any

from spark_runner.frames.blame import translated


class JavaException:
    """As Py4J shows one."""

    def __init__(self, text: str, cause: JavaException | None = None) -> None:
        self._text, self._cause = text, cause

    def toString(self) -> str:
        return self._text

    def getCause(self) -> Any:
        return self._cause


class Captured(Exception):
    """As PySpark captures one."""

    def __init__(self, text: str, origin: JavaException) -> None:
        super().__init__(text)
        self._origin = origin


def test_a_full_disk_is_named_and_what_to_do() -> None:
    cause = JavaException("java.io.IOException: No space left on device")
    error = translated(Captured("Cannot perform commit", JavaException("SparkException: commit", cause)), None)
    assert error.message.startswith("no space is left where the run writes: ") and "commit" in error.message
    assert "make room" in str(error.hint)


def test_python_that_called_java_gives_what_java_said() -> None:
    text = (
        "Traceback (most recent call last):\n  File x\n    y\n"
        "py4j.protocol.Py4JJavaError: An error occurred while calling o17.collectToPython.\n"
        ": org.apache.spark.SparkException: the thing is wrong\n\tat org.apache.Something"
    )
    assert translated(RuntimeError(text), None).message == "the thing is wrong"
