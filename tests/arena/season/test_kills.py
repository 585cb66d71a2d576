"""Whoever runs a season may be killed at any moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.arena.season.killed import outcome


@pytest.mark.slow  # it starts and kills programs
def test_the_same_submissions_at_the_same_times_give_the_same_results_however_often_somebody_is_killed(tmp_path: Path) -> None:
    assert outcome(tmp_path / "killed", kills=6, seed=1) == outcome(tmp_path / "whole", kills=0, seed=2)
