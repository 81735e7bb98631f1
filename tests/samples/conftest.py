"""One Spark session for the samples that run inside the tests' own process."""

from tests.spark_runner.conftest import spark  # noqa: F401
