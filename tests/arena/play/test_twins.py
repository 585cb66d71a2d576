"""Twins of one bot behind different neighbours: names and seatings decide nothing."""

from __future__ import annotations

import pytest

from benchmarks.fairness import measure

pytestmark = pytest.mark.slow  # statistics over many matches


def test_twins_end_above_each_other_equally_often_whoever_they_sit_behind() -> None:
    twins = measure("sunda", {"level": 0}, 3, 12)
    assert twins.decided >= 48
    assert 0.3 < twins.share < 0.7
