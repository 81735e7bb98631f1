"""Every role has an operator on workers, and the driver knows of each what it needs."""

from __future__ import annotations

from spark_runner.executor.keyed import Keyed
from spark_runner.executor.table import OPERATORS
from spark_runner.program.roles import ROLES


def test_the_driver_and_the_workers_know_the_same_roles() -> None:
    assert set(ROLES) == {"", *OPERATORS}


def test_what_takes_keys_on_workers_is_keyed_for_the_driver() -> None:
    assert {role for role, made in OPERATORS.items() if issubclass(made, Keyed)} == {
        role for role, known in ROLES.items() if known.keyed
    }
