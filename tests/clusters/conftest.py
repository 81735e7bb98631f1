"""Clusters that the tests share: each is started when the first test asks for it and stopped after the last."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clusters.connect import ConnectServer
from tests.clusters.hadoop_jars import hadoop_jars
from tests.clusters.high_availability import HighAvailabilityCluster
from tests.clusters.other_spark import NoOtherSpark, other_spark
from tests.clusters.standalone import StandaloneCluster
from tests.clusters.yarn import YarnCluster
from tests.support.maven_jars import NoJars


@pytest.fixture(scope="session", autouse=True)
def clean_end() -> Iterator[None]:
    """SIGTERM ends the tests as Ctrl-C does: with their servers, instead of leaving them behind."""

    def stop(number: int, _: object) -> None:
        raise KeyboardInterrupt(signal.Signals(number).name)

    before = signal.signal(signal.SIGTERM, stop)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="session")
def another_spark() -> Path:
    """The SPARK_HOME of another version; where it cannot be had the test says why it is skipped."""
    try:
        return other_spark()
    except NoOtherSpark as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def standalone() -> Iterator[StandaloneCluster]:
    """A master and two workers that no test may harm."""
    with StandaloneCluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def high_availability() -> Iterator[HighAvailabilityCluster]:
    """Two masters over ZooKeeper and two workers."""
    with HighAvailabilityCluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def connect() -> Iterator[ConnectServer]:
    """A Spark Connect server."""
    with ConnectServer() as server:
        yield server


@pytest.fixture(scope="session")
def yarn() -> Iterator[YarnCluster]:
    """A resource manager and two node managers; without Hadoop the test is skipped, or fails where it must not be."""
    try:
        hadoop_jars()
    except NoJars as reason:
        if os.environ.get("PLAN_REQUIRE_YARN") == "1":
            pytest.fail(f"PLAN_REQUIRE_YARN=1, yet {reason}")
        pytest.skip(str(reason))
    with YarnCluster() as cluster:
        yield cluster
