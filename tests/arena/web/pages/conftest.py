"""What tests of pages share: the competition."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def db(competition: Path) -> Path:
    """The database of the competition, only to be read."""
    return competition
