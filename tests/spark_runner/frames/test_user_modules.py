"""Functions wherever a job keeps them: in its file, in modules and packages beside it, in files elsewhere."""

from __future__ import annotations

import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planner.errors import JobDefinitionError
from planner.frontends.loading import load_job
from planner.pipeline import plan
from spark_runner.lowering.lower import lower

FILES = {
    "helper_um.py": """
        import threading
        LOCK = threading.Lock()  # a module that cannot be pickled, only imported
        def plus(value):
            with LOCK:
                return value + "+"
        """,
    "lib/util.py": "def f(value):\n    return value + 'f'\n",
    "other/util.py": "def g(value):\n    return value + 'g'\n",
    "bare_um/deep/m.py": "import helper_um\ndef k(value):\n    return helper_um.plus(value) + 'k'\n",
    "pack_um/__init__.py": "from pack_um.a import A\n",
    "pack_um/a.py": """
        from pack_um import b
        from planner import MapFunction
        class A(MapFunction):
            def map(self, value):
                return b.h(value)
        """,
    "pack_um/b.py": "def h(value):\n    return value + 'h'\n",
    "json.py": "def own(value):\n    return value + 'j'\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / "job" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    (tmp_path / "above.py").write_text("def s(value):\n    return value + 's'\n")
    return tmp_path / "job"


REFERENCES = {
    "./helper_um.py:plus": "+",
    "helper_um:plus": "+",
    "./lib/util.py:f": "f",
    "./other/util.py:g": "g",  # another util
    "bare_um.deep.m:k": "+k",  # no __init__.py
    "pack_um:A": "h",
    "pack_um.b:h": "h",
    "../above.py:s": "s",
    "./json.py:own": "j",  # not the standard library's
}


def test_references_of_yaml(run: Any, folder: Path) -> None:
    lines = ["operators:", '  - {id: o0, type: source, collection: [a], schema: "value string"}']
    lines += [
        f'  - {{id: o{n}, type: map, input: o{n - 1}, function: "{reference}", output: "value string"}}'
        for n, reference in enumerate(REFERENCES, 1)
    ]
    lines.append(f"  - {{id: out, type: print, input: o{len(REFERENCES)}}}")
    (folder / "job.yaml").write_text("\n".join(lines))
    done = run(load_job(folder / "job.yaml"))
    assert done.printed["out"] == Counter(["a" + "".join(REFERENCES.values())])


def test_imports_of_python(run: Any, folder: Path) -> None:
    (folder / "job.py").write_text(
        textwrap.dedent("""
        import sys
        from pathlib import Path
        from planner import StreamExecutionEnvironment, Types
        import helper_um
        from bare_um.deep.m import k
        from pack_um import A
        sys.path.append(str(Path(__file__).parent.parent))
        from above import s
        def lazy(value):
            import helper_um as again
            return again.plus(value)
        env = StreamExecutionEnvironment.get_execution_environment()
        stream = env.from_collection(["a"], Types.STRING())
        for function in (k, A(), s, lazy, lambda value: helper_um.plus(value)):
            stream = stream.map(function, Types.STRING())
        stream.print()
        env.execute("imports")
        """)
    )
    assert run(load_job(folder / "job.py")).printed["print-1"] == Counter(["a+khs++"])


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("./none.py:f", "there is no file"),
        ("./lib/util.py:nope", "has no attribute 'nope'"),
        ("no_such_module_um:f", "No module named 'no_such_module_um'"),
    ],
)
def test_wrong_references_are_refused_before_anything_starts(folder: Path, reference: str, said: str) -> None:
    (folder / "job.yaml").write_text(
        'operators:\n  - {id: a, type: source, collection: [x], schema: "value string"}\n'
        f'  - {{id: b, type: map, input: a, function: "{reference}"}}\n'
    )
    with pytest.raises(JobDefinitionError, match=f"operator 'b': cannot load.*{said}"):
        lower(plan(load_job(folder / "job.yaml")))
