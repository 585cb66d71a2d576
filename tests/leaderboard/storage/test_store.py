"""What is stored comes back: tournaments, matches, standings, contents; pages of matches; and a database that is away for a while."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlmodel import col, update

from engine.records import Fault, FaultKind
from leaderboard.errors import DatabaseUnavailableError, StoreError
from leaderboard.ratings.fold import entry_of
from leaderboard.records import Ending
from leaderboard.storage.activity import NewestSeal, count_since, find_seal
from leaderboard.storage.database import LONGEST_WAIT, Patience, is_being_written, patient
from leaderboard.storage.raw_queries import read_contents
from leaderboard.storage.store import Entrant, Store, StoredMatch, StoredTournament
from leaderboard.storage.submissions import QueueCount, count_waiting, submit
from leaderboard.storage.tables import Match
from leaderboard.storage.tournaments import Run, keep_contents, runs, without_content, write_run
from tests.leaderboard.conftest import BOTS, MakeResult, count, entered, execute, fold_of, result_of
from tests.world import changed, claimed, person, sent


class TestTournaments:
    def test_a_tournament_comes_back_as_it_was_stored(self, store: Store) -> None:
        entrants = [Entrant("bob", "2" * 64, "bob.py"), Entrant("ann", "1" * 64, "pkg.ann")]
        stored = store.add_tournament("cup", "tongiaki", 2**63 - 1, '{"a":1}', 12, entrants)
        assert stored == store.tournament("cup") == store.tournament()
        assert (stored.seed, stored.spec, stored.total) == (2**63 - 1, '{"a":1}', 12)
        assert stored.entrants == tuple(sorted(entrants, key=lambda entrant: entrant.name))

    def test_without_a_name_the_newest(self, store: Store) -> None:
        entered(store, "one")
        newest = entered(store, "two")
        assert store.tournament() == newest
        assert store.tournament_names() == ("one", "two")

    def test_versions_of_a_bot_are_shared_by_tournaments(self, store: Store) -> None:
        entered(store, "one")
        entered(store, "two")
        store.add_tournament("three", "tongiaki", 7, "{}", 1, [Entrant("ann", "another digest", "ann.py")])
        assert [(bot.name, bot.digest) for bot in store.bots() if bot.name == "ann"] == [
            ("ann", "digest of ann"),
            ("ann", "another digest"),
        ]
        assert len(store.bots()) == len(BOTS) + 1

    def test_two_tournaments_of_one_name_can_not_be(self, store: Store) -> None:
        entered(store, "one")
        with pytest.raises(StoreError):
            entered(store, "one")
        assert store.tournament_names() == ("one",)


class TestMatches:
    def test_a_result_comes_back_as_it_was_stored(self, store: Store, tournament: StoredTournament) -> None:
        fault = Fault(FaultKind.ILLEGAL_MOVE, 17, "'x' is no \n move ✓")
        result = result_of("m1", ["cid", "ann", "bob"], [3, 1, 1], scores=[-2, 30, 30], faults=[fault, None, None], block=4)
        assert store.add_results(tournament, [result]) == 1
        expected = StoredMatch(
            id="m1",
            tournament="trial",
            block=4,
            rotation=1,
            seed=2**53 - 1,
            seats=result.seats,
            end="waters",
            decisions=40,
            seconds=1.5,
            digest=result.replay.digest,
            isolation=result.isolation,
            block_key=2**53 - 1,
        )
        assert store.matches(["m1"]) == {"m1": expected}
        assert store.replay("m1") == result.replay.text
        assert store.entries(tournament, ["m1", "m2"]) == {"m1": entry_of(result)}

    def test_the_same_result_again_is_ignored(self, store: Store, tournament: StoredTournament) -> None:
        one, two = result_of("m1", ["ann", "bob"], [1, 2]), result_of("m2", ["ann", "bob"], [1, 2])
        assert store.add_results(tournament, [one]) == 1
        assert store.add_results(tournament, [one, two, two]) == 1
        assert store.add_results(tournament, [one, two]) == 0
        assert (count(store, "match"), count(store, "seat")) == (2, 4)
        assert store.count_matches(tournament) == 2

    def test_a_match_that_came_out_differently_stores_nothing(self, store: Store, tournament: StoredTournament) -> None:
        store.add_results(tournament, [result_of("m1", ["ann", "bob"], [1, 2])])
        fresh, other = result_of("m2", ["ann", "bob"], [1, 2]), result_of("m1", ["ann", "bob"], [2, 1], replay="another")
        with pytest.raises(StoreError, match=r"match m1 \(ann, bob\) was played twice with different results"):
            store.add_results(tournament, [fresh, other])
        assert (count(store, "match"), count(store, "seat")) == (1, 2)
        assert store.replay("m1") == "the replay of m1 ✓"

    def test_matches_of_another_tournament_do_not_count(self, store: Store, tournament: StoredTournament) -> None:
        other = entered(store, "other")
        store.add_results(tournament, [result_of("m1", ["ann", "bob"], [1, 2])])
        store.add_results(other, [result_of("m2", ["ann", "bob"], [2, 1])])
        assert store.count_matches(tournament) == store.count_matches(other) == 1
        assert [match.id for match in store.recent_matches(other)] == ["m2"]


class TestFinding:
    @pytest.fixture(autouse=True)
    def matches(self, store: Store, tournament: StoredTournament) -> None:
        for match, bots in (("3f2a", ("ann", "bob")), ("3f9b", ("bob", "cid")), ("4%_x", ("cid", "ann"))):
            store.add_results(tournament, [result_of(match, bots, (1, 2))])

    @pytest.mark.parametrize(("beginning", "found"), [("3f2", "3f2a"), ("3f9b", "3f9b"), ("4", "4%_x"), ("4%_", "4%_x")])
    def test_a_match_by_the_beginning_of_its_id(self, store: Store, beginning: str, found: str) -> None:
        assert store.find_match(beginning).id == found

    @pytest.mark.parametrize(
        ("beginning", "words"),
        [("3f", "more than one match id"), ("", "more than one"), ("5", "no match id"), ("%", "no match"), ("3_", "no")],
    )
    def test_none_or_several_are_refused_in_words(self, store: Store, beginning: str, words: str) -> None:
        with pytest.raises(StoreError, match=f"{words}.* in .* begins with '{beginning}'; 'arena matches --db .*' lists the matches"):
            store.find_match(beginning)

    def test_the_newest_come_first(self, store: Store, tournament: StoredTournament) -> None:
        assert [match.id for match in store.recent_matches(tournament)] == ["4%_x", "3f9b", "3f2a"]
        assert [match.id for match in store.recent_matches(tournament, limit=2)] == ["4%_x", "3f9b"]


class TestStandings:
    @pytest.fixture(autouse=True)
    def matches(self, store: Store, tournament: StoredTournament) -> None:
        store.add_results(tournament, [result_of(match, BOTS, (1, 2, 3, 4)) for match in ("m1", "m2")])

    def test_they_come_back_as_they_were_stored(self, store: Store, tournament: StoredTournament) -> None:
        folded = fold_of([result_of(match, BOTS, (1, 2, 2, 4)) for match in ("m1", "m2")])
        store.add_results(tournament, [], folded)
        assert store.standings(tournament) == (2, folded.totals)
        store.add_results(tournament, [], fold_of([result_of("m1", BOTS, (4, 3, 2, 1))]))
        assert store.standings(tournament)[0] == 1
        assert {total.bot: total.wins for total in store.standings(tournament)[1]} == {"ann": 0, "bob": 0, "cid": 0, "dan": 1}

    def test_results_and_the_standings_that_follow_are_stored_together_or_not_at_all(
        self, store: Store, tournament: StoredTournament
    ) -> None:
        before = fold_of([result_of(match, BOTS, (1, 2, 3, 4)) for match in ("m1", "m2")])
        store.add_results(tournament, [], before)
        more = [result_of(match, BOTS[:2], (1, 2)) for match in ("m3", "m4")]
        folded = fold_of([*(result_of(match, BOTS, (1, 2, 3, 4)) for match in ("m1", "m2")), *more])
        with pytest.raises(StoreError):
            store.add_results(tournament, [*more, result_of("m1", BOTS, (4, 3, 2, 1), replay="another")], folded)
        assert (store.standings(tournament), store.count_matches(tournament)) == ((2, before.totals), 2)
        assert store.add_results(tournament, more, folded, before.totals) == 2
        assert (store.standings(tournament), store.count_matches(tournament)) == ((4, folded.totals), 4)


def test_whether_a_run_is_writing_can_be_asked_without_being_in_its_way(place: str) -> None:
    with Store.create(place):
        assert is_being_written(place)
        assert is_being_written(place)
    assert not is_being_written(place)
    Store.create(place).__exit__()


def test_a_reader_gets_whole_matches_while_a_run_stores_more(place: str) -> None:
    with Store.create(place) as writer, Store.read(place) as reader:
        tournament = entered(writer)
        writer.add_results(tournament, [result_of("m1", ["ann", "bob"], [1, 2])])
        late = [result_of("m2", ["ann", "bob"], [1, 2])]

        @event.listens_for(reader._engine, "after_cursor_execute")
        def store_another(*_query: object) -> None:
            if late:
                writer.add_results(tournament, [late.pop()])
            elif writer.count_matches(tournament) == 2:
                writer.add_results(tournament, [result_of("m3", ["ann", "bob"], [1, 2])])

        found = reader.entries(tournament, ["m1", "m2", "m3"])
        assert not late
        assert {len(entry.bots) for entry in found.values()} == {2}
        assert reader.entries(tournament, ["m1", "m2", "m3"]).keys() == {"m1", "m2", "m3"}


class Clock:
    """Time that passes only in pauses."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


class Away:
    """Fails so many times."""

    def __init__(self, times: int, error: Exception | None = None) -> None:
        self.times = times
        self.error = error or DatabaseUnavailableError("it is locked")

    def __call__(self, answer: str) -> str:
        self.times -= 1
        if self.times >= 0:
            raise self.error
        return answer


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def patience(clock: Clock, told: list[str]) -> Patience:
    return Patience(told.append, clock=lambda: clock.now, pause=clock.pause)


def test_it_is_tried_again_after_growing_pauses(patience: Patience, clock: Clock, told: list[str]) -> None:
    assert patience(Away(8), "done") == "done"
    assert clock.pauses == [0.5, 1, 2, 4, 8, 16, 20, 20]
    assert told[0] == "the database is unavailable, retrying in 0.5 s: it is locked"
    assert told[-1] == "the database is available again"
    assert len(told) == 9


def test_there_is_an_end(patience: Patience, clock: Clock) -> None:
    with pytest.raises(DatabaseUnavailableError):
        patience(Away(1000), "done")
    assert LONGEST_WAIT - 20 < clock.now <= LONGEST_WAIT


def test_a_patient_store_is_like_the_store(path: Path, patience: Patience) -> None:
    with Store.create(path) as store:
        careful = patient(store, patience)
        tournament = entered(careful)
        assert careful.name == store.name
        assert careful.tournament("trial") == tournament
        assert careful.count_matches(tournament) == 0


ONE, TWO, SUBMITTED = Entrant("one", "a" * 64, "one.py"), Entrant("two", "b" * 64, "two.py"), Entrant("three", "c" * 64, "")


def kept(store: Store, *digests: str) -> list[tuple[object, object, bytes]]:
    with store.reading() as connection:
        found = [each for each in read_contents(connection, digests or None) if not each.is_submitted]
    return [(each.bot, each.version, zlib.decompress(each.content)) for each in found if isinstance(each.content, bytes)]


def test_a_content_is_kept_once_and_only_of_what_was_entered(place: str) -> None:
    with Store.create(place) as store:
        submit(store, "three", SUBMITTED.digest, person(store, "ann"), b"submitted")
        store.add_tournament("cup", "tongiaki", 1, "{}", 2, [ONE, TWO, SUBMITTED])
        assert without_content(store, [ONE, TWO, SUBMITTED]) == (ONE, TWO)
        keep_contents(store, {ONE: b"first", Entrant("nobody", "d" * 64, ""): b"x"})
        keep_contents(store, {ONE: b"second", TWO: b"other"})
        assert without_content(store, [ONE, TWO, SUBMITTED]) == ()
        assert kept(store) == [("one", ONE.digest, b"first"), ("two", TWO.digest, b"other")]
        assert kept(store, TWO.digest) == [("two", TWO.digest, b"other")]


NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def store_matches(store: Store, tournament: StoredTournament, make_result: MakeResult, *ages: int) -> None:
    """Store matches that are so many seconds old."""
    ids = [f"m{age}" for age in ages]
    store.add_results(tournament, [make_result(each, ["ann", "bob"], [1, 2]) for each in ids])
    with store.writing() as connection:
        for match, age in zip(ids, ages, strict=True):
            connection.execute(update(Match).where(col(Match.id) == match).values(finished=NOW - timedelta(seconds=age)))


def test_matches_since_a_moment(store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
    assert count_since(store, NOW) == 0
    store_matches(store, tournament, make_result, 10, 50, 61, 7000)
    assert count_since(store, NOW - timedelta(seconds=60)) == 2


class TestSeals:
    def test_the_newest_seal(self, store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
        execute(store, "DELETE FROM seal_link")
        assert find_seal(store, tournament.id) == NewestSeal(0)
        store_matches(store, tournament, make_result, 10, 20)
        store.seal(tournament, fold_of([]), "digest", is_final=False)
        found = find_seal(store, tournament.id)
        assert (found.number, found.matches, found.is_final, found.is_signed) == (1, 2, False, False)
        assert found.time is not None


class TestRuns:
    @staticmethod
    def run(tournament: StoredTournament) -> Run:
        return Run(
            tournament_id=tournament.id, host="node", process=17, place="2 processes", began=NOW, seen=NOW + timedelta(seconds=9),
            matches=12,
        )  # fmt: skip

    def test_a_run_comes_back_as_it_was(self, store: Store, tournament: StoredTournament) -> None:
        write_run(store, self.run(tournament))
        assert runs(store) == {"trial": self.run(tournament)}
        ended = changed(self.run(tournament), host="other", ending=Ending.PAUSED, reason="slow")
        write_run(store, ended)
        assert runs(store) == {"trial": ended}

    def test_the_run_with_the_last_sign_of_life_comes_first(self, store: Store, tournament: StoredTournament) -> None:
        write_run(store, self.run(tournament))
        write_run(store, changed(self.run(entered(store, "later")), seen=NOW + timedelta(days=1)))
        assert list(runs(store)) == ["later", "trial"]

    def test_a_damaged_row_is_one_sentence(self, store: Store, tournament: StoredTournament) -> None:
        write_run(store, self.run(tournament))
        execute(store, "UPDATE run SET ending = 'sunk'")
        with pytest.raises(StoreError, match=r"the table of runs in .* is damaged: "):
            runs(store)


def test_what_waits_to_be_checked(store: Store) -> None:
    assert count_waiting(store) == QueueCount(0, 0, None)
    for author in ("Ana", "Ben", "Eve"):
        sent(store, author)
    claimed(store)
    found = count_waiting(store)
    assert (found.waiting, found.checking) == (2, 1)
    assert found.oldest is not None
    assert abs(datetime.now(UTC) - found.oldest) < timedelta(minutes=10)


def test_the_room_of_a_database(store: Store, path: Path) -> None:
    space = store.space()
    assert space.used > 10_000
    if path.exists():
        assert space.free is not None
        assert space.total is not None
        assert 0 < space.free < space.total
    else:
        assert (space.free, space.total) == (None, None)
