"""What tests of commands share: a folder of the test's own, and a terminal of 80 columns without colour."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every command runs in a folder of its own, at 80 columns, without colour, and no game is named by the environment."""
    monkeypatch.chdir(tmp_path)
    for key in ("ARENA_DB", "ARENA_GAME", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path
