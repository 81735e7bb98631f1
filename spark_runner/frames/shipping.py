"""What executors need and do not have: our part that runs there, the job's file and the modules beside it, in one zip.

User functions themselves are pickled: those of the job's file by value, those of modules beside it by name.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import importlib.util
import pickle
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from planner.frontends.python_files.job_modules import modules_found, own_modules
from spark_runner.clusters.temporary_folders import make_temporary_folder, remove_own_folders
from spark_runner.frames.our_modules import PACKAGES, files_for_driver, files_for_executors

_LIMIT = 50_000_000  # a folder with more Python than this holds an environment, not a job
_shipped: WeakKeyDictionary[Any, set[Path]] = WeakKeyDictionary()  # by session
_copied_classes: WeakValueDictionary[str, type] = WeakValueDictionary()  # by cloudpickle's id of the class
_TIME = (2020, 1, 1, 0, 0, 0)  # fixed: Spark refuses a file of the same name with other bytes


def ship(spark: Any, job_file: str, *, pyflink: bool = False) -> None:
    """Give every executor of the session what it needs to run the job's Python."""
    shipment = write_shipment(job_file, pyflink=pyflink)
    shipped = _shipped.setdefault(spark, set())
    if shipment not in shipped:
        spark.addArtifacts(str(shipment), pyfile=True)
        shipped.add(shipment)


def write_shipment(job_file: str, *, driver: bool = False, pyflink: bool = False) -> Path:
    """The zip of everything executors need, or a driver on the cluster, in a folder of this process."""
    file = Path(job_file).resolve()
    theirs = dict(_files(file))
    modules = (path for path in theirs.values() if path != file)
    ours = files_for_driver() if driver else files_for_executors(modules, pyflink=pyflink)
    content = {**theirs, **ours}  # ours last: a user's module of the same name must not replace it
    digest = hashlib.sha256(_mark_of(content).encode()).hexdigest()
    target = _folder() / f"plan-shipped-{digest[:16]}.zip"
    if not target.exists():
        _write_zip(target, content)
    return target


@functools.cache
def _folder() -> Path:
    """A temporary folder that is kept until this process ends: executors that join late still download from it."""
    atexit.register(remove_own_folders)
    return make_temporary_folder()


def _write_zip(target: Path, content: dict[str, Path]) -> None:
    with zipfile.ZipFile(target, "w") as archive:
        for folder in sorted({f"{parent}/" for name in content for parent in PurePosixPath(name).parents[:-1]}):
            archive.writestr(zipfile.ZipInfo(folder, date_time=_TIME), b"")  # packages without __init__.py need them
        for name, path in sorted(content.items()):
            entry = zipfile.ZipInfo(name, date_time=_TIME)
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, compresslevel=1)


def _files(job_file: Path) -> Iterator[tuple[str, Path]]:
    size = 0
    for name, path in {**dict(_imported(job_file)), **dict(_beside(job_file))}.items():
        size += path.stat().st_size
        if size > _LIMIT:
            break
        yield name, path


def _mark_of(content: dict[str, Path]) -> str:
    return repr(sorted((name, hashlib.sha256(path.read_bytes()).hexdigest()) for name, path in content.items()))


def _imported(job_file: Path) -> Iterator[tuple[str, Path]]:
    """The job's own modules under the names it imported them by, wherever they lie."""
    for name, module in own_modules(str(job_file.parent)).items():
        file = Path(str(module.__file__))
        if file.suffix == ".py" and file.is_file() and name.partition(".")[0] not in PACKAGES:
            place = name.replace(".", "/")
            yield (f"{place}/__init__.py" if file.name == "__init__.py" else f"{place}.py"), file


def _beside(job_file: Path) -> Iterator[tuple[str, Path]]:
    if not job_file.is_file():
        return
    folder = job_file.parent
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py":
            yield path.name, path
        elif path.is_dir() and (path / "__init__.py").is_file() and path.name not in PACKAGES:
            for inner in sorted(path.rglob("*.py")):
                yield inner.relative_to(folder).as_posix(), inner


def pickled_function(value: Any, job_file: str) -> bytes:
    """A chain with its user functions, as executors load it."""
    from pyspark import cloudpickle

    with modules_found(str(Path(job_file).resolve().parent)):
        return bytes(cloudpickle.dumps(value, protocol=5))  # type: ignore[no-untyped-call]


def kept(value: Any) -> Any:
    """A copy of user functions as they are now, with the variables they read: what a worker would get of them."""
    if importlib.util.find_spec("pyspark") is None:
        return value  # nothing will run: check_machine says what is missing
    from pyspark import cloudpickle
    from pyspark.cloudpickle.cloudpickle import _DYNAMIC_CLASS_TRACKER_BY_ID as tracked

    written = cloudpickle.dumps(value, protocol=5)  # type: ignore[no-untyped-call]
    # Loading sets a class's attributes anew. The script's own class must stay as it is, so copies have a class of
    # their own, one for all copies: cloudpickle finds classes of the job's file by an id.
    own = dict(tracked)
    tracked.clear()
    tracked.update(_copied_classes)
    try:
        return pickle.loads(written)
    finally:
        _copied_classes.update(tracked)
        tracked.clear()
        tracked.update(own)
