"""How hypothesis runs here: the same examples for the same code, and no test fails because a core was busy."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("engine", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("engine")
