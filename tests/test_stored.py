"""Stored tournaments are what their names say, and a test's copy is its own."""

from __future__ import annotations

import pytest

from leaderboard.storage.store import Store
from tests.stored import STORED, StoredTournaments, tournament_of


@pytest.mark.parametrize("name", STORED)
def test_each_stored_tournament_is_whole_and_a_copy_can_be_changed(stored: StoredTournaments, name: str) -> None:
    copy = stored(name)
    with Store.create(copy) as store, Store.read(stored.shared(name)) as shared:
        tournament = tournament_of(store, name)
        assert store.count_matches(tournament) == tournament.total == shared.count_matches(tournament)
        assert store.chain(tournament.id)[-1].body.is_final
        with store.writing() as connection:
            connection.exec_driver_sql("DELETE FROM standing")
        assert not store.standings(tournament)[1]
        assert shared.standings(tournament)[1]
