"""What all tests begin with: saying which form of the engine they try."""

from __future__ import annotations

from engine import FORM


def pytest_report_header() -> str:
    return f"engine: {'compiled' if FORM.is_compiled else 'plain Python'} ({FORM.reason})"
