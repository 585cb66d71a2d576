"""Stored matches as people look for them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlmodel import col, update

from leaderboard.storage.matches import (
    MatchFilter,
    block_of,
    count,
    endings,
    find_matches,
    look_up,
    tournaments_of,
)
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.tables import Match
from tests.leaderboard.conftest import MakeResult


def test_matches_of_one_commit_are_listed_by_when_they_came(store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
    store.add_results(tournament, [make_result(match, ["ann", "bob"], [1, 2]) for match in "bca"])

    assert [each.match.id for each in find_matches(store, tournament, MatchFilter()).matches] == ["a", "c", "b"]


def test_matches_of_one_moment_are_paged_through_without_loss(store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
    for part in range(3):
        store.add_results(tournament, [make_result(f"m{part}{number:02}", ["ann", "bob"], [1, 2]) for number in range(10)])
        with store.writing() as connection:
            connection.execute(
                update(Match).where(col(Match.id).like(f"m{part}%")).values(finished=datetime(2026, 1, 1 + part, tzinfo=UTC))
            )

    found: list[str] = []
    after, pages = None, 0
    while True:
        page = find_matches(store, tournament, MatchFilter(), after=after, limit=7)
        found += [each.match.id for each in page.matches]
        after, pages = page.after, pages + 1
        if after is None:
            break

    assert pages == 5
    assert found == [f"m{part}{number:02}" for part in (2, 1, 0) for number in range(10)]


def test_a_block_has_its_line_up_on_its_seed(store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
    results = [make_result(match, bots, [1, 2]) for match, bots in (("a", ["ann", "bob"]), ("b", ["bob", "ann"]), ("c", ["ann", "cid"]))]
    store.add_results(tournament, [*results, make_result("d", ["ann", "bob"], [1, 2], block=1)])
    match = store.matches(["a"])["a"]

    assert [each.id for each in block_of(store, tournament, match)] == ["a", "b"]


def test_counts_endings_and_entries(store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
    store.add_results(tournament, [make_result("a", ["ann", "bob"], [1, 2])])

    assert (count(store, tournament).played, count(store, tournament).void) == (1, 0)
    assert endings(store, tournament) == ("waters",)
    assert tournaments_of(store, "ann") == (("trial", "digest of ann"),)
    assert tournaments_of(store, "nobody") == ()
    assert [each.match.id for each in look_up(store, ["zzz", "a"])] == ["a"]


@pytest.mark.parametrize("wanted", [MatchFilter(bot="nobody"), MatchFilter(opponent="nobody"), MatchFilter(bot="nobody", fault="any")])
def test_a_bot_that_is_not_there_has_no_matches(
    store: Store, tournament: StoredTournament, make_result: MakeResult, wanted: MatchFilter
) -> None:
    store.add_results(tournament, [make_result("a", ["ann", "bob"], [1, 2])])

    assert find_matches(store, tournament, wanted).matches == ()
