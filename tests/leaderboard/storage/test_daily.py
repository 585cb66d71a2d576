"""Answers to positions of the day, and the matches that these are taken from."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import update

from leaderboard.storage.daily import add_answer, asked_on, has_answered, share_of
from leaderboard.storage.match_queries import matches_of_last_day
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.tables import MATCH
from tests.leaderboard.conftest import MakeResult


def test_the_first_answer_of_a_browser_counts_once_a_day(store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
    store.add_results(tournament, [make_result(match, ["ann", "bob"], [1, 2]) for match in "ab"])
    given = [("v", False), ("v", True), ("w", True), ("x", False)]
    for visitor, solved in given:
        add_answer(store, "2026-11-27", visitor, "a", 3, solved=solved)
    add_answer(store, "2026-11-28", "v", "b", 4, solved=True)

    assert [share_of(store, day) for day in ("2026-11-26", "2026-11-27", "2026-11-28")] == [(0, 0), (1, 3), (1, 1)]
    assert [asked_on(store, day) for day in ("2026-11-26", "2026-11-27", "2026-11-28")] == [None, ("a", 3), ("b", 4)]
    assert [has_answered(store, "2026-11-28", visitor) for visitor in "vw"] == [True, False]


def test_the_matches_of_the_last_day_with_any_are_found_in_the_order_of_their_replays(
    store: Store, tournament: StoredTournament, make_result: MakeResult
) -> None:
    moments = {"a": (1, 9), "b": (2, 0), "c": (2, 23), "d": (2, 12), "e": (5, 0)}
    store.add_results(tournament, [make_result(match, ["ann", "bob"], [1, 2]) for match in moments])
    with store.writing() as connection:
        for match, (day, hour) in moments.items():
            connection.execute(update(MATCH).where(MATCH.c.id == match).values(finished=datetime(2026, 1, day, hour, tzinfo=UTC)))
    digests = {match: store.matches([match])[match].digest for match in moments}

    found = matches_of_last_day(store, datetime(2026, 1, 5, tzinfo=UTC), 10)

    assert list(found) == sorted("bcd", key=digests.__getitem__)
    assert matches_of_last_day(store, datetime(2026, 1, 5, tzinfo=UTC), 2) == found[:2]
    assert matches_of_last_day(store, datetime(2026, 1, 1, tzinfo=UTC), 10) == ()
