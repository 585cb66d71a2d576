"""Fixtures that tests of several packages use."""

from tests.postgres import postgres

__all__ = ["postgres"]
