"""What executors get: a worker that has nothing but the zip, PySpark and pyarrow runs a whole pass."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pyarrow as pa
import pyspark
from pyspark import cloudpickle

from planner.frontends.loading import load_job
from spark_runner.executor.layout import OperatorSpec
from spark_runner.executor.passes import OutletSpec, PassInput, PassSpec
from spark_runner.executor.report import ReportList
from spark_runner.frames.shipping import pickled_function, write_shipment

# Nothing else is found: -I and -S leave out the working folder, the site packages and what they put on the path.
WORKER = """
import json, pickle, sys

shipped, packages, payload, parameter = sys.argv[1:]
sys.path[1:1] = [shipped]
sys.path += json.loads(packages)
loaded = pickle.loads(bytes.fromhex(parameter))
heavy = sorted(name for name in sys.modules if name in ("pyspark", "pandas", "numpy", "pyarrow"))

import pyarrow as pa
from spark_runner.executor.pass_runner import run_pass

reports = loaded.zero([])
batch = pa.RecordBatch.from_pydict({"value": [1, 2, 3]})
result = [b.column(0).to_pylist() for b in run_pass(bytes.fromhex(payload), lambda one: reports.append(one), [batch])]
missing = []
for name in ("cli", "spark_runner.frames", "spark_runner.runs", "planner.pipeline"):
    try:
        __import__(name)
    except ImportError:
        missing.append(name)
print(json.dumps({"result": result, "nodes": reports[0].nodes, "missing": missing, "heavy": heavy}))
"""


def job_in(folder: Path, module: str) -> Path:
    (folder / "doubling.py").write_text(textwrap.dedent(module))
    job = folder / "job.py"
    job.write_text(
        textwrap.dedent("""\
        from doubling import Double
        from planner import StreamExecutionEnvironment, Types

        env = StreamExecutionEnvironment.get_execution_environment()
        env.from_collection([1, 2, 3], Types.LONG()).map(Double(), output_type=Types.LONG()).print()
        env.execute("doubling")
        """)
    )
    return job


def payload_of(job: Path) -> bytes:
    loaded = load_job(str(job))
    behaviour = next(one for one in loaded.operators if one.kind == "map").behaviour
    target = behaviour.target  # type: ignore[union-attr]
    schema = pa.schema([("value", pa.int64())])
    node = OperatorSpec(
        role="map", function=target, parent=None, tag=None, id="", key="map", name="Map", place="job.py:4"
    )
    spec = PassSpec(
        number=0,
        name="chain",
        parallelism=1,
        input=PassInput(names=(("value",),)),
        operators=(node,),
        outlets=(OutletSpec(node=0, tag=None, schema=schema, blame=0),),
    )
    return pickled_function(spec, str(job))


def worker(job: Path) -> dict[str, object]:
    shipped = write_shipment(str(job))
    payload = payload_of(job)
    packages = sorted({str(Path(one.__file__).parents[1]) for one in (pa, pyspark)})
    arguments = [str(shipped), json.dumps(packages), payload.hex(), cloudpickle.dumps(ReportList()).hex()]
    command = [sys.executable, "-I", "-S", "-c", WORKER, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=shipped.parent)
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


DOUBLE = """\
from planner import MapFunction


class Double(MapFunction):
    def map(self, value):
        return 2 * value
"""


def test_a_worker_needs_only_the_zip(tmp_path: Path) -> None:
    answer = worker(job_in(tmp_path, DOUBLE))
    assert answer["result"] == [[2, 4, 6]]
    assert answer["nodes"] == [[3, 3]]
    assert answer["missing"] == ["cli", "spark_runner.frames", "spark_runner.runs", "planner.pipeline"]
    assert answer["heavy"] == []  # by the parameter of the accumulator, which every worker loads


def names_in(shipped: Path) -> set[str]:
    with zipfile.ZipFile(shipped) as archive:
        return {name for name in archive.namelist() if name.endswith(".py")}


def test_the_zip_holds_the_executor_room_and_what_functions_are_made_of(tmp_path: Path) -> None:
    names = names_in(write_shipment(str(job_in(tmp_path, DOUBLE))))
    ours = {name for name in names if name.startswith(("planner/", "spark_runner/"))}
    assert {"job.py", "doubling.py"} == names - ours
    assert {name for name in ours if name.startswith("spark_runner/") and "/executor/" not in name} == {
        "spark_runner/__init__.py"
    }
    assert {f"planner/frontends/python/{name}.py" for name in ("declared/functions", "values/types")} <= ours
    assert not [name for name in ours if name.startswith(("planner/graphs/", "planner/lint/", "planner/pipeline"))]


def test_a_module_beside_the_job_gets_what_it_imports_of_planner(tmp_path: Path) -> None:
    module = "from planner import DataStream\nfrom planner.job import Operator\n" + DOUBLE
    job = job_in(tmp_path, module)
    assert "planner/frontends/python/streams.py" in names_in(write_shipment(str(job)))
    assert worker(job)["result"] == [[2, 4, 6]]


def test_a_driver_on_the_cluster_gets_everything(tmp_path: Path) -> None:
    names = names_in(write_shipment(str(job_in(tmp_path, DOUBLE)), driver=True))
    assert {"spark_runner/runs/driver_on_cluster.py", "planner/pipeline.py", "spark_runner/batch/execute.py"} <= names
