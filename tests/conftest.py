"""What all tests share: saying which form of the engine they try, and fixtures that several packages use."""

from __future__ import annotations

from engine import FORM
from tests.postgres import postgres

__all__ = ["postgres", "pytest_report_header"]


def pytest_report_header() -> str:
    return f"engine: {'compiled' if FORM.is_compiled else 'plain Python'} ({FORM.reason})"
