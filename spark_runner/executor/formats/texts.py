"""Records as text, upstream of `print` and of sinks of text. Runs on workers."""

from __future__ import annotations

from typing import Any

from spark_runner.executor.formats.java_text import java_text
from spark_runner.executor.operators import Ending, Shaped

__all__ = ["JavaText", "PythonText"]


class PythonText(Shaped):
    """The map upstream of `print` for records that Java could not print."""

    @property
    def keeps_text(self) -> bool:
        """Whether a text stays as it is."""
        return not self.spec.options["rows"]

    def shape(self, value: Any) -> Any:
        if self.spec.options["rows"]:
            value = f"{value.get_row_kind()}[{','.join(str(part) for part in value)}]"
        return value if isinstance(value, str | bytes) else str(value)


class JavaText(Ending):
    """A record as Java's `toString` writes it."""

    @property
    def keeps_text(self) -> bool:
        """Whether a text stays as it is."""
        return bool(self.spec.options["text"][0] == "str")

    def shape(self, value: Any) -> str:
        return java_text(value, self.spec.options["text"])
