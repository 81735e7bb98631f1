"""What getters of the environment and its settings answer: by default, where a script set them, and by options.

`getters.json` has a script that calls every one of them, and what real PyFlink 1.20.5 and 2.3.0 printed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.errors import PlanError
from planner.frontends.loading import load_jobs
from planner.frontends.python_files.handover import LoadOptions

RECORDED = json.loads((Path(__file__).parent / "getters.json").read_text())
END = "env.from_collection([1]).print()\nenv.execute()\n"


@pytest.mark.parametrize("flink", RECORDED["answers"])
def test_getters_answer_what_pyflink_answers(flink: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "getters.py"
    text = "\n".join(RECORDED["script"])
    # a call that PyFlink refuses would end the script: there is nothing to answer then
    text = text.replace("a=getattr(o,n,None)", "a=getattr(o,n,None) if title+' '+n in ANSWERED else None")
    real = [line for line in RECORDED["answers"][flink] if not line.endswith("raises Py4JError")]
    script.write_text(f"ANSWERED = {sorted({' '.join(line.split(' ')[:3]) for line in real})!r}\n{text}\n{END}")
    load_jobs(script, LoadOptions(flink=flink, parallelism=2))
    said = set(capsys.readouterr().err.splitlines())
    # PyFlink's default parallelism is that of the machine
    assert not [line for line in real if line not in said and "get_default_local_parallelism" not in line]


@pytest.mark.parametrize("name", ["get_execution_mode", "get_restart_strategy", "set_restart_strategy"])
def test_settings_of_1x_are_not_in_2_3(name: str, tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        f"env.get_config().{name}\n{END}"
    )
    with pytest.raises(PlanError, match="no attribute"):
        load_jobs(script, LoadOptions(flink="2.3"))
    assert load_jobs(script, LoadOptions(flink="1.20"))


def test_the_setter_of_restart_strategies_answers_none(tmp_path: Path) -> None:
    """Unlike the other setters of the environment, and unlike that of its config (real 1.20.5)."""
    script = tmp_path / "job.py"
    script.write_text(
        "from pyflink.common import RestartStrategies\n"
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "config, none = env.get_config(), RestartStrategies.no_restart()\n"
        "assert env.set_restart_strategy(none) is None\n"
        f"assert config.set_restart_strategy(none) is not None\n{END}"
    )
    assert load_jobs(script, LoadOptions(flink="1.20"))


def test_the_input_dependency_constraint_is_ignored(tmp_path: Path) -> None:
    """Real 1.20.5 answers ANY after ALL was set."""
    script = tmp_path / "job.py"
    script.write_text(
        "from pyflink.common import InputDependencyConstraint\n"
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "config = env.get_config()\n"
        "assert config.set_default_input_dependency_constraint(InputDependencyConstraint.ALL) is config\n"
        f"assert config.get_default_input_dependency_constraint() is InputDependencyConstraint.ANY\n{END}"
    )
    assert load_jobs(script, LoadOptions(flink="1.20"))


# Each with what real 1.20.5 answers; 1.18.1, 1.19.3 and, where it has the class, 2.3.0 answer the same.
SETTINGS = {
    "FileSystemCheckpointStorage('file:///tmp/ck').get_checkpoint_path()": "file:/tmp/ck",
    "FileSystemCheckpointStorage('hdfs://host:9000/a//b/').get_checkpoint_path()": "hdfs://host:9000/a/b",
    "FileSystemCheckpointStorage('file:///x').get_min_file_size_threshold()": 20480,
    "FileSystemCheckpointStorage('file:///x').get_write_buffer_size()": 4096,
    "FileSystemCheckpointStorage('file:///x', 5, 2000).get_write_buffer_size()": 2000,
    "JobManagerCheckpointStorage('file:///x').get_checkpoint_path()": "file:/x",
    "JobManagerCheckpointStorage().get_max_state_size()": 5242880,
    "JobManagerCheckpointStorage(max_state_size=7).get_max_state_size()": 7,
    "MemoryStateBackend().get_max_state_size()": 5242880,
    "MemoryStateBackend().is_using_asynchronous_snapshots()": True,
    "FsStateBackend('file:///x').get_checkpoint_path()": "file:/x",
    "FsStateBackend('file:///x', 'file:///s', 2048, 4097, False).get_min_file_size_threshold()": 2048,
    "FsStateBackend('file:///x', 'file:///s', 2048, 4097, False).is_using_asynchronous_snapshots()": True,
    "RocksDBStateBackend('file:///x', True).is_incremental_checkpoints_enabled()": True,
    "RocksDBStateBackend('file:///x').get_checkpoint_backend().get_checkpoint_path()": "file:/x",
    "RocksDBStateBackend('file:///x').get_number_of_transfering_threads()": 4,
    "EmbeddedRocksDBStateBackend(True).is_incremental_checkpoints_enabled()": True,
    "EmbeddedRocksDBStateBackend().get_predefined_options().name": "DEFAULT",
    "EmbeddedRocksDBStateBackend().get_options()": None,
    "env.set_default_savepoint_directory('file:///sp/').get_default_savepoint_directory()": "file:/sp",
    "Configuration.parse_list_value('[x, y]', False)": ["[x, y]"],
    "Configuration.parse_list_value('[x, y]')": ["x", "y"],
}


@pytest.mark.parametrize("asked", SETTINGS)
def test_settings_answer_what_java_answers(asked: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "job.py"
    script.write_text(
        "from pyflink.common import Configuration\n"
        "from pyflink.datastream import *\nfrom pyflink.datastream.checkpoint_storage import *\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        f"print(repr({asked}))\n{END}"
    )
    load_jobs(script, LoadOptions(flink="1.20"))
    assert capsys.readouterr().err == f"{SETTINGS[asked]!r}\n"
