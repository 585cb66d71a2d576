"""Results come back from the database as they went in."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.records import Fault, FaultKind
from leaderboard.statistics.columns import FAULTS, MatchIds, read_results
from leaderboard.storage.database import StoreError
from leaderboard.storage.store import Store, StoredTournament
from tests.leaderboard.conftest import BOTS, MakeResult, entered


def test_every_seat_is_there_with_its_facts(store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
    other = entered(store, "other")
    fault = Fault(FaultKind.CRASH, 3, "boom")
    store.add_results(
        tournament, [make_result("m1", ("bob", "ann"), (1, 2), scores=(7, 5), faults=(None, fault)), make_result("m2", BOTS, (2, 1, 3, 4))]
    )
    store.add_results(other, [make_result("m3", ("ann", "bob"), (1, 2))])
    found = read_results(store, tournament)
    assert found.bots == BOTS
    seats = sorted(zip(found.players[found.match], found.bot, found.seat, found.score, found.rank, found.fault, strict=True))
    crash = FAULTS.index(FaultKind.CRASH)
    assert [tuple(map(int, seat)) for seat in seats][:2] == [(2, 0, 1, 5, 2, crash), (2, 1, 0, 7, 1, -1)]
    assert len(seats) == 6
    assert set(found.block_key.tolist()) == {2**53 - 1}
    assert sorted(found.decisions.tolist()) == [3, 3, 4, 4, 5, 6]
    assert sorted(found.seconds.tolist()) == [0.25, 0.25, 0.5, 0.5, 0.75, 1.0]
    assert np.isnan(found.memory).all()


def test_matches_of_a_bot_that_has_joined_since_are_left_out(store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
    store.add_results(tournament, [make_result("m1", ("ann", "bob"), (1, 2)), make_result("m2", ("ann", BOTS[-1]), (1, 2))])
    before = replace(tournament, entrants=tournament.entrants[:-1])
    assert [*read_results(store, before).ids] == ["m1"]


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)  # no other database keeps a text in a column of numbers
def test_what_is_no_number_is_told_as_damage(store: Store, tournament: StoredTournament, make_result: MakeResult, path: Path) -> None:
    store.add_results(tournament, [make_result("m", ("ann", "bob"), (1, 2))])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE seat SET score = 'many' WHERE seat = 0")
    connection.close()
    with pytest.raises(StoreError, match=r"results\.db is damaged.*'trial'"):
        read_results(store, tournament)


def test_ids_of_matches_are_found_again_and_others_are_not() -> None:
    ids = MatchIds(np.array(["m7", "m10", "m2"], np.bytes_))
    assert [*ids] == ["m7", "m10", "m2"]
    assert [*ids[1:]] == ["m10", "m2"]
    assert ids.finder()(["m2", "m1", "m10", "m100", ""]).tolist() == [2, -1, 1, -1, -1]
    assert MatchIds(np.empty(0, "S1")).finder()(["m1"]).tolist() == [-1]
