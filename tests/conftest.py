"""Settings that every test shares."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Deterministic, so that a red build is red for everybody; slow machines are no failure.
settings.register_profile("plan", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("plan")
