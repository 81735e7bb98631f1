"""Runs the event-time scripts on real PyFlink and writes what they gave: PYTHONPATH=. PYTHON_WITH_PYFLINK this.py FILE.

`pip install apache-flink==2.3.0` is all it needs, and Java.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.support.flink_scripts import SCRIPTS


def pyflink_names() -> Any:
    """PyFlink's names in one place."""
    import pyflink.common as common
    import pyflink.common.watermark_strategy as watermarks
    import pyflink.datastream as datastream
    import pyflink.datastream.state as state
    import pyflink.datastream.window as window

    found: dict[str, Any] = {}
    for module in (common, watermarks, datastream, state, window):
        found.update({name: getattr(module, name) for name in dir(module) if not name.startswith("_")})
    return SimpleNamespace(**found)


def main(target: str) -> None:
    """All scripts, one after the other; what is there already is kept."""
    from pyflink.common import Configuration
    from pyflink.datastream import StreamExecutionEnvironment

    api, path = pyflink_names(), Path(target)
    results = json.loads(path.read_text()) if path.exists() else {}
    for name, build in SCRIPTS.items():
        if name in results:
            continue
        settings = Configuration()
        settings.set_string("python.executable", sys.executable)
        env = StreamExecutionEnvironment.get_execution_environment(settings)
        env.set_parallelism(1)
        results[name] = sorted(list(row) for row in build(api, env).execute_and_collect())
        print(name, len(results[name]), flush=True)
        path.write_text(json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1])
