"""Files of a Connect server's own file system, where batches are written by Python on the server and no JVM answers."""

from __future__ import annotations

import shutil
from pathlib import Path

from planner.durable import write_whole
from planner.errors import ExecutionError
from spark_runner.batch.hadoop_files import part_name

__all__ = ["MountedFiles"]


class MountedFiles:
    """Plain paths, and `file:` addresses."""

    def exists(self, path: str) -> bool:
        """Whether something is there."""
        return _place(path).exists()

    def delete(self, path: str) -> None:
        """Remove a file, or a folder with all that is in it."""
        place = _place(path)
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)

    def delete_empty(self, path: str) -> None:
        """Remove a folder that nothing is in."""
        if not any(_place(path).iterdir()):
            _place(path).rmdir()

    def replace(self, source: str, target: str) -> None:
        """Move a folder to a place, instead of what is there."""
        self.delete(target)
        _place(target).parent.mkdir(parents=True, exist_ok=True)
        _place(source).rename(_place(target))

    def rename_parts(self, folder: str, prefix: str, suffix: str) -> None:
        """Give Spark's files in a folder names with another beginning and end."""
        for place in list(_place(folder).iterdir()):
            if (renamed := part_name(place.name, prefix, suffix)) is not None:
                place.rename(place.with_name(renamed))

    def write_text(self, path: str, text: str) -> None:
        """A small file, whole."""
        place = _place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, text.encode())


def _place(path: str) -> Path:
    if path.startswith("file:"):
        path = "/" + path.removeprefix("file:").lstrip("/")
    if "://" in path:
        raise ExecutionError(
            f"{path}: a stream on Spark Connect writes files to folders of the server's own file system",
            hint="give the sink a folder that the server and its workers have mounted",
        )
    return Path(path)
