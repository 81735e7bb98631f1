"""What executors need and do not have: this project, the job's file and the modules beside it, as one zip.

User functions themselves are pickled: those of the job's file by value, those of modules beside it by name.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from weakref import WeakKeyDictionary

from planner.frontends.dsl.job_modules import modules_found, own_modules

_LIMIT = 50_000_000  # a folder with more Python than this holds an environment, not a job
_shipped: WeakKeyDictionary[Any, set[Path]] = WeakKeyDictionary()  # by session
_TIME = (2020, 1, 1, 0, 0, 0)  # fixed: Spark refuses a file of the same name with other bytes


def ship(spark: Any, job_file: str) -> None:
    """Give every executor of the session what it needs to run the job's Python."""
    shipment = write_shipment(job_file)
    shipped = _shipped.setdefault(spark, set())
    if shipment not in shipped:
        spark.addArtifacts(str(shipment), pyfile=True)
        shipped.add(shipment)


def write_shipment(job_file: str) -> Path:
    """The zip of everything executors need, in a folder of this process."""
    theirs = dict(_files(Path(job_file).resolve()))
    digest = hashlib.sha256(f"{_mark_of(theirs)} {_our_mark()}".encode()).hexdigest()
    target = _folder() / f"plan-shipped-{digest[:16]}.zip"
    if not target.exists():
        _write_zip(
            target, {**theirs, **_our_files()}
        )  # ours last: a user's module of the same name must not replace it
    return target


@functools.cache
def _folder() -> Path:
    """A folder for as long as this process lives: executors that join late still fetch what lies in it."""
    folder = Path(tempfile.mkdtemp(prefix="plan-shipping-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _write_zip(target: Path, content: dict[str, Path]) -> None:
    with zipfile.ZipFile(target, "w") as archive:
        for folder in sorted({f"{parent}/" for name in content for parent in PurePosixPath(name).parents[:-1]}):
            archive.writestr(zipfile.ZipInfo(folder, date_time=_TIME), b"")  # packages without __init__.py need them
        for name, path in sorted(content.items()):
            entry = zipfile.ZipInfo(name, date_time=_TIME)
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, compresslevel=1)


def hash_of(path: Path) -> str:
    """A file's content as a short text."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _files(job_file: Path) -> Iterator[tuple[str, Path]]:
    size = 0
    for name, path in {**dict(_imported(job_file)), **dict(_beside(job_file))}.items():
        size += path.stat().st_size
        if size > _LIMIT:
            break
        yield name, path


@functools.cache
def _our_files() -> dict[str, Path]:
    """The files of this project that executors need."""
    roots = [Path(__file__).parents[2] / package for package in ("planner", "spark_runner")]
    return {f"{root.name}/{path.relative_to(root).as_posix()}": path for root in roots for path in root.rglob("*.py")}


@functools.cache
def _our_mark() -> str:
    return _mark_of(_our_files())  # once a process: they are read already, and do not change under it


def _mark_of(content: dict[str, Path]) -> str:
    return repr(sorted((name, hash_of(path)) for name, path in content.items()))


def _imported(job_file: Path) -> Iterator[tuple[str, Path]]:
    """The job's own modules under the names it imported them by, wherever they lie."""
    for name, module in own_modules(str(job_file.parent)).items():
        file = Path(str(module.__file__))
        if file.suffix == ".py" and file.is_file() and name.partition(".")[0] not in ("planner", "spark_runner"):
            place = name.replace(".", "/")
            yield (f"{place}/__init__.py" if file.name == "__init__.py" else f"{place}.py"), file


def _beside(job_file: Path) -> Iterator[tuple[str, Path]]:
    if not job_file.is_file():
        return
    folder = job_file.parent
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py":
            yield path.name, path
        elif path.is_dir() and (path / "__init__.py").is_file() and path.name not in ("planner", "spark_runner"):
            for inner in sorted(path.rglob("*.py")):
                yield inner.relative_to(folder).as_posix(), inner


def pickled_function(value: Any, job_file: str) -> bytes:
    """A chain with its user functions, as executors load it."""
    from pyspark import cloudpickle

    with modules_found(str(Path(job_file).resolve().parent)):
        return cloudpickle.dumps(value, protocol=5)
