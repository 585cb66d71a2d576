"""The drama of a match: what is counted of its chances, and that more of it is a higher figure."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.analysis import drama as module
from arena.analysis.drama import Drama, drama_from, drama_of, match_drama
from arena.result_cache import Cache
from tests.arena.web.replays import TONGIAKI, timeline_of_vector

SEATS = [0, 0, 1, 0, 1]
"""Who decides: turns end before decisions 2, 3 and 4."""


def drama(*first: float) -> Drama:
    """That of a match won by seat 0, by its chances in all positions but the last."""
    return drama_of([(each, 1 - each) for each in (*first, 1.0)], SEATS, [1, 2])


def test_it_counts_changes_of_the_lead_between_turns_only() -> None:
    assert drama(0.6, 0.1, 0.6, 0.7, 0.8).changes == 0
    assert drama(0.6, 0.6, 0.4, 0.6, 0.3).changes == 3


def test_the_largest_swing_is_that_of_one_turn_and_the_result_is_none() -> None:
    assert drama(0.5, 0.9, 0.6, 0.7, 0.4).swing == pytest.approx(0.3)


@pytest.mark.parametrize(("late", "decided"), [((0.6, 0.6, 0.6), 0.0), ((0.4, 0.6, 0.6), 0.6), ((0.6, 0.6, 0.4), 1.0)])
def test_it_is_decided_once_the_winner_has_more_than_half_for_good(late: tuple[float, float, float], decided: float) -> None:
    assert drama(0.6, 0.6, *late).decided == decided


def test_a_comeback_is_from_the_winners_lowest_chance() -> None:
    found = drama(0.5, 0.5, 0.3, 0.08, 0.5)

    assert (found.winner, found.low, found.at) == (0, 0.08, 3)


def test_a_match_that_was_open_is_more_dramatic_than_one_that_was_not() -> None:
    assert 0 <= drama(0.5, 0.6, 0.7, 0.8, 0.9).figure < drama(0.5, 0.5, 0.1, 0.7, 0.2).figure <= 100


def test_a_replay_has_a_drama_as_soon_as_all_its_chances_are_known_and_the_same_each_time() -> None:
    replay = timeline_of_vector(TONGIAKI).replay
    found = match_drama(replay)

    assert found is not None
    assert found == match_drama(replay)
    assert replay.ranks[found.winner] == 1
    assert match_drama(replay, lambda: True) is None


def test_a_match_for_one_seat_has_none() -> None:
    assert match_drama(timeline_of_vector("sunda/solo-L0-1p-31").replay) is None


def test_it_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replay, cache = timeline_of_vector(TONGIAKI).replay, Cache(tmp_path / "analyses.db")
    found = drama_from(cache, replay)
    monkeypatch.setattr(module, "match_drama", lambda *_: pytest.fail("it was kept"))

    assert found is not None
    assert drama_from(cache, replay) == found
