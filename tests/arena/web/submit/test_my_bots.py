"""What authors may know of their own bots."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from arena.analysis.fault_groups import group_faults
from arena.bots import find_bots
from arena.spec.spec import make_spec
from arena.tournament import prepare
from arena.web.queries import Queries
from arena.web.submit.my_bots import (
    find_next_round,
    my_entries,
    my_faults,
    my_matches,
    my_submissions,
    own_bots,
)
from arena.web.submit.queue import places_in_queue
from leaderboard.storage.people import names_of
from leaderboard.storage.store import Store, StoredTournament
from tests.arena.web.hosting import LADDER
from tests.arena.web.own_bots import OWNERS
from tests.people import person
from tests.stored import tournament_of
from tests.submitted import sent


@pytest.fixture(scope="module")
def db(own_bots: Path) -> Path:
    return own_bots


@pytest.fixture
def ana(queries: Queries) -> str:
    return person(queries.store, "Ana")


@pytest.fixture
def ladder(queries: Queries) -> StoredTournament:
    return queries.tournament(LADDER)


def test_a_submitted_bot_belongs_to_who_submitted_it(queries: Queries, ladder: StoredTournament, ana: str) -> None:
    assert own_bots(queries, ladder, ana) == {"walker": "walker@1", "walker.2": "walker@2"}
    assert own_bots(queries, ladder, person(queries.store, "Ben")) == {"spy": "spy@1"}
    for stranger in ("ana", "Ana ", "", "host"):
        assert own_bots(queries, ladder, stranger) == {}


def test_a_file_belongs_to_the_author_that_the_host_has_named(tmp_path: Path) -> None:
    bots = [{"name": "mine", "source": "random", "author": "Ana"}, {"name": "other", "source": "greedy"}]
    with Store.create(tmp_path / "cup.db") as store:
        spec = make_spec({"name": "cup", "game": "tongiaki", "seed": 7, "bots": bots, "schedule": {"tables": [2], "blocks": 1}}, "test")
        prepare(spec, store, find_bots(spec, tmp_path, store))
    queries = Queries(Store.read(tmp_path / "cup.db"), fresh_seconds=0.0)
    cup = queries.tournament("cup")
    assert (own_bots(queries, cup, person(queries.store, "Ana")), own_bots(queries, cup, "")) == ({"mine": ""}, {})
    [(entry, label)] = my_entries(queries, person(queries.store, "Ana"))
    assert (entry.bot, label, entry.place, entry.line) == ("mine", "", None, None)
    assert find_next_round(queries, cup, "mine") is None
    assert (my_matches(queries, person(queries.store, "Ana"), cup, 20), my_faults(queries, person(queries.store, "Ana"), cup)) == ([], ())
    queries.close()


def test_versions_of_one_author_never_share_a_table(queries: Queries, ladder: StoredTournament) -> None:
    assert {bot.name: names_of(queries.store)[bot.author] for bot in queries.spec(ladder).bots if bot.author} == OWNERS
    tables = [{seat.bot for seat in match.seats} for match in queries.store.recent_matches(ladder, limit=200)]
    assert {"walker", "spy"} in tables
    assert {"walker", "walker.2"} not in tables


def test_every_version_has_its_rating(queries: Queries, ana: str) -> None:
    mine = my_entries(queries, ana)
    assert [label for _, label in mine] == ["walker@1", "walker@2"]
    for entry, _ in mine:
        assert entry.line is not None


def test_matches_have_own_words_only(queries: Queries, ladder: StoredTournament, ana: str) -> None:
    matches = my_matches(queries, ana, ladder, 20)
    assert {bot for bot, _ in matches} == {"walker", "walker.2"}
    details = {(seat.bot, bool(seat.fault.detail)) for _, listed in matches for seat in listed.match.seats if seat.fault}
    assert details == {("walker", True), ("walker.2", True), ("spy", False)}
    finished = [listed.finished for _, listed in my_matches(queries, ana, ladder, 3)]
    assert len(finished) == 3
    assert finished == sorted(finished, reverse=True)


def test_the_same_exception_at_the_same_line_is_one_group(queries: Queries, ladder: StoredTournament, ana: str) -> None:
    groups = group_faults(my_faults(queries, ana, ladder))
    assert [(each.bot, each.where.partition(", ")[2]) for each in groups] == [
        ("walker", "line 7, in choose"),
        ("walker.2", "line 7, in choose"),
    ]
    assert all(each.what == "ValueError: the plan of walker, -1" and each.count == 8 for each in groups)


def test_a_bot_that_has_just_joined_plays_in_the_next_round(own_bots: Path, tmp_path: Path) -> None:
    db = Path(copy(own_bots, tmp_path))
    queries = Queries(Store.read(db), fresh_seconds=0.0)
    coming = find_next_round(queries, queries.tournament(LADDER), "walker")
    assert coming is not None
    assert (coming.round, coming.notes) == (7, ())
    with Store.join(db) as store:
        ladder = tournament_of(store, LADDER)
        store.extend_tournament(ladder, ladder.spec.replace('"rounds":null', '"rounds":6'), None, (), reorders=False)
    coming = find_next_round(queries, queries.tournament(LADDER), "walker")
    queries.close()
    assert coming is not None
    assert (coming.round, coming.notes) == (None, ("the ladder has 6 rounds, and all have begun; its host may add more",))


def test_a_submission_has_its_place_in_the_queue(own_bots: Path, tmp_path: Path) -> None:
    db = Path(copy(own_bots, tmp_path))
    with Store.join(db) as store:
        for number, author in enumerate(("Ben", "Ben", "Ana")):
            sent(store, author, id=f"u{number}")
        assert list(places_in_queue(store).values()) == [1, 2, 3]
    queries = Queries(Store.read(db), fresh_seconds=0.0)
    mine = {who: my_submissions(queries, person(queries.store, who)) for who in ("Ana", "Ben")}
    queries.close()
    assert [(each.id, place) for each, place in mine["Ana"] if place] == [("u2", 2)]
    assert [(each.id, place) for each, place in mine["Ben"] if place] == [("u1", 3), ("u0", 1)]
