"""Rows of files: fields of CSV and columns as rows, and rows as what writers of files take. Runs on workers."""

from __future__ import annotations

from typing import Any

from spark_runner.executor.conversion import Form
from spark_runner.executor.formats.csv_rows import csv_writer, field_reader
from spark_runner.executor.operators import Ending, Shaped

__all__ = ["Columns", "CsvFields", "CsvLine", "FileRow"]


def as_row(value: Any, form: Form) -> Any:
    """What Arrow gives for a column as the records of its type: structs are rows."""
    if value is None:
        return None
    if form[0] == "row":
        made = form[1](*[as_row(part, kind) for part, kind in zip(value, form[3], strict=True)])
        made.set_field_names(list(form[2]))
        return made
    if form[0] == "list":
        return [as_row(one, form[1]) for one in value]
    return {key: as_row(one, form[2]) for key, one in value.items()} if form[0] == "map" else value


class FileRow(Shaped):
    """The columns of a file as a row."""

    def shape(self, value: Any) -> Any:
        form = self.spec.options["row"]
        fields = value if isinstance(value, tuple) and len(form[2]) == len(value) else (value,)
        return as_row(fields, form)


class CsvFields(Shaped):
    """The fields of a line as a row, each converted to its type."""

    def open(self) -> None:
        super().open()
        self.form = self.spec.options["row"]
        self.readers = [field_reader(kind, self.spec.options["csv"]) for kind in self.form[3]]

    def shape(self, value: Any) -> Any:
        fields = value if isinstance(value, tuple) else (value,)
        made = self.form[1](*[read(one or "") for read, one in zip(self.readers, fields, strict=True)])
        made.set_field_names(list(self.form[2]))
        return made


class CsvLine(Ending):
    """A row as a line."""

    def open(self) -> None:
        super().open()
        self.write = csv_writer(self.spec.options["row"], self.spec.options["csv"])

    def shape(self, value: Any) -> str:
        return self.write(value).decode()


class Columns(Ending):
    """A row as the columns of a file."""

    def shape(self, value: Any) -> Any:
        names = list(self.spec.options["row"][2])
        fields = list(value)  # by position: the names are the file's, and the record's type may have others
        return tuple(_plain(one) for one in fields) if len(names) > 1 or names != ["value"] else _plain(fields[0])


def _plain(value: Any) -> Any:
    if hasattr(value, "get_row_kind"):
        return tuple(_plain(one) for one in value)
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return {key: _plain(one) for key, one in value.items()} if isinstance(value, dict) else value
