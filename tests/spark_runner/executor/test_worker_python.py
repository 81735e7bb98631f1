"""What a worker's Python must have: PySpark and pyarrow. pandas is needed by the driver alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner import StreamExecutionEnvironment, Types
from tests.clusters.worker_python import build_python


def test_a_worker_without_pandas_runs_functions(
    run: Any, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = build_python(tmp_path / "python", packages=("pyspark", "pyarrow"))
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(home / "bin" / "python"))

    def found(name: str) -> str:
        import importlib.util

        return f"{name}: {importlib.util.find_spec(name) is not None}"

    env = StreamExecutionEnvironment.get_execution_environment()
    names = env.from_collection(["pandas", "numpy", "pyarrow"], type_info=Types.STRING())
    pairs = names.map(found, output_type=Types.STRING()).map(lambda text: (text, 1), output_type=PAIR)
    pairs.key_by(lambda pair: pair[0], key_type=Types.STRING()).reduce(lambda a, b: a).print()
    done = run(env.build("names"))
    assert sorted(text for texts in done.order.values() for text in texts) == [
        "(numpy: False,1)",
        "(pandas: False,1)",
        "(pyarrow: True,1)",
    ]


PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
