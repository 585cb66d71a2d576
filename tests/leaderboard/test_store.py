"""What goes into the store comes out of it, once, and whole."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.records import Fault, FaultKind, MatchResult
from leaderboard.database import StoreError
from leaderboard.ratings import Rated
from leaderboard.store import CHUNK, DeterminismError, Entrant, Store, StoredMatch, StoredTournament, replay_digest
from tests.leaderboard.conftest import BOTS, entered, result_of

MakeResult = Callable[..., MatchResult]


def count(path: Path, table: str) -> int:
    """How many rows the table has, seen from outside."""
    with sqlite3.connect(path) as connection:
        [(number,)] = connection.execute(f"SELECT count(*) FROM {table}")  # noqa: S608  # our own tables
    connection.close()
    return int(number)


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

    def test_there_may_be_none(self, store: Store) -> None:
        assert store.tournament() is None
        assert store.tournament("cup") is None
        assert store.tournament_names() == ()
        assert store.bots() == ()

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
            digest=replay_digest(result.replay),
            isolation=result.isolation,
        )
        assert store.matches(["m1"]) == {"m1": expected}
        assert store.replay("m1") == result.replay
        assert store.digests(["m1", "m2"]) == {"m1": expected.digest}

    @pytest.mark.parametrize("kind", FaultKind)
    def test_every_kind_of_fault_comes_back(self, store: Store, tournament: StoredTournament, kind: FaultKind) -> None:
        result = result_of("m1", ["ann", "bob"], [2, 1], faults=[Fault(kind, 0, ""), None])
        store.add_results(tournament, [result])
        assert store.matches(["m1"])["m1"].seats == result.seats

    def test_the_same_result_again_is_ignored(self, store: Store, path: Path, tournament: StoredTournament) -> None:
        one, two = result_of("m1", ["ann", "bob"], [1, 2]), result_of("m2", ["ann", "bob"], [1, 2])
        assert store.add_results(tournament, [one]) == 1
        assert store.add_results(tournament, [one, two, two]) == 1
        assert store.add_results(tournament, [one, two]) == 0
        assert (count(path, "match"), count(path, "seat")) == (2, 4)
        assert store.count_matches(tournament) == 2

    def test_no_results_are_no_work(self, store: Store, tournament: StoredTournament) -> None:
        assert store.add_results(tournament, []) == 0

    def test_a_match_that_came_out_differently_stores_nothing(self, store: Store, path: Path, tournament: StoredTournament) -> None:
        store.add_results(tournament, [result_of("m1", ["ann", "bob"], [1, 2])])
        fresh, other = result_of("m2", ["ann", "bob"], [1, 2]), result_of("m1", ["ann", "bob"], [2, 1], replay="another")
        with pytest.raises(DeterminismError, match=r"match m1 \(ann, bob\) was played twice and came out differently"):
            store.add_results(tournament, [fresh, other])
        assert (count(path, "match"), count(path, "seat")) == (1, 2)
        assert store.replay("m1") == "the replay of m1 ✓"

    def test_also_when_both_come_in_one_batch(self, store: Store, path: Path, tournament: StoredTournament) -> None:
        pair = [result_of("m1", ["ann", "bob"], [1, 2], replay=replay) for replay in ("one", "other")]
        with pytest.raises(DeterminismError):
            store.add_results(tournament, pair)
        assert count(path, "match") == 0

    def test_more_matches_than_fit_in_one_query(self, store: Store, tournament: StoredTournament) -> None:
        ids = [f"{number:04}" for number in range(2 * CHUNK + 1)]
        store.add_results(tournament, [result_of(each, ["ann", "bob"], [1, 2]) for each in ids])
        assert list(store.matches(ids)) == ids
        assert len(store.digests(iter(ids))) == store.count_matches(tournament) == len(ids)

    def test_a_damaged_replay_is_told(self, store: Store, path: Path, tournament: StoredTournament) -> None:
        store.add_results(tournament, [result_of("m1", ["ann", "bob"], [1, 2])])
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE match SET replay = x'0102'")
        connection.close()
        with pytest.raises(StoreError, match=r"the replay of match m1 in .* is damaged"):
            store.replay("m1")

    def test_matches_of_another_tournament_do_not_count(self, store: Store, tournament: StoredTournament) -> None:
        other = entered(store, "other")
        store.add_results(tournament, [result_of("m1", ["ann", "bob"], [1, 2])])
        store.add_results(other, [result_of("m2", ["ann", "bob"], [2, 1])])
        assert store.count_matches(tournament) == store.count_matches(other) == 1
        assert [tally.wins for tally in store.tallies(tournament)] == [1.0, 0.0]
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
        [("3f", "more than one match begins"), ("", "more than one"), ("5", "no match begins"), ("%", "no match"), ("3_", "no")],
    )
    def test_none_or_several_are_refused_in_words(self, store: Store, beginning: str, words: str) -> None:
        with pytest.raises(StoreError, match=f"{words}.* with '{beginning}' in .*; 'arena matches --db .*' lists them"):
            store.find_match(beginning)

    def test_the_newest_come_first(self, store: Store, tournament: StoredTournament) -> None:
        assert [match.id for match in store.recent_matches(tournament)] == ["4%_x", "3f9b", "3f2a"]
        assert [match.id for match in store.recent_matches(tournament, limit=2)] == ["4%_x", "3f9b"]

    def test_only_those_of_one_bot_and_with_all_their_seats(self, store: Store, tournament: StoredTournament) -> None:
        found = store.recent_matches(tournament, bot="bob")
        assert [match.id for match in found] == ["3f9b", "3f2a"]
        assert [seat.bot for seat in found[0].seats] == ["bob", "cid"]

    def test_a_bot_without_matches_has_none(self, store: Store, tournament: StoredTournament) -> None:
        assert store.recent_matches(tournament, bot="dan") == ()


@st.composite
def results(draw: st.DrawFn) -> list[MatchResult]:
    """Results of two to four bots with any ranks, scores and faults, and solo blocks among them."""
    found = []
    for number in range(draw(st.integers(0, 12))):
        bots = draw(st.permutations(BOTS))[: draw(st.integers(2, 4))]
        keys = [draw(st.integers(0, 2)) for _ in bots]
        ranks = [1 + sum(other > key for other in keys) for key in keys]
        faults = [draw(st.sampled_from([None, None, Fault(FaultKind.CRASH, 1, "x")])) for _ in bots]
        scores = [draw(st.integers(-5, 40)) for _ in bots]
        found.append(result_of(f"m{number}", bots, ranks, scores=scores, faults=faults, block=number))
    for block in range(draw(st.integers(0, 3))):
        for bot in BOTS:
            fault = draw(st.sampled_from([None, None, Fault(FaultKind.CRASH, 1, "x")]))
            found.append(result_of(f"s{block}{bot}", [bot], [1], scores=[draw(st.integers(0, 3))], faults=[fault], block=block))
    return found


class TestTallies:
    @settings(max_examples=40)
    @given(results())
    def test_they_are_what_adding_up_gives(self, tmp_path_factory: pytest.TempPathFactory, found: list[MatchResult]) -> None:
        with Store.create(tmp_path_factory.mktemp("tallies") / "t.db") as store:
            tournament = entered(store)
            store.add_results(tournament, found)
            tallies = {tally.bot: tally for tally in store.tallies(tournament)}
        events: dict[str, list[tuple[str, int, int, bool]]] = defaultdict(list)
        for result in found:
            for seat in result.seats:
                event = f"block {result.ticket.block}" if len(result.seats) == 1 else result.ticket.id
                events[event].append((seat.bot, seat.rank, seat.score, seat.fault is not None))
        places: dict[str, list[int]] = defaultdict(list)
        wins: dict[str, float] = defaultdict(float)
        for name, seats in events.items():
            if name.startswith("block"):
                keys = [(not fault, score) for _, _, score, fault in seats]
                seats[:] = [
                    (bot, 1 + sum(o > k for o in keys), score, fault) for (bot, _, score, fault), k in zip(seats, keys, strict=True)
                ]
            winners = sum(rank == 1 for _, rank, _, _ in seats)
            for bot, rank, _, _ in seats:
                places[bot].append(rank)
                wins[bot] += 1 / winners if rank == 1 else 0
        played = [(seat.bot, seat) for result in found for seat in result.seats]
        assert set(tallies) == set(places)
        for bot, tally in tallies.items():
            seats_of = [seat for name, seat in played if name == bot]
            assert tally.matches == len(places[bot]) == len(seats_of)
            assert tally.wins == pytest.approx(wins[bot])
            assert tally.mean_rank == pytest.approx(sum(places[bot]) / len(places[bot]))
            assert tally.mean_score == pytest.approx(sum(seat.score for seat in seats_of) / len(seats_of))
            assert tally.faults == sum(seat.fault is not None for seat in seats_of)
            assert tally.decisions == sum(seat.decisions for seat in seats_of)
            assert tally.seconds == pytest.approx(sum(seat.seconds for seat in seats_of))


class TestRatings:
    @pytest.fixture(autouse=True)
    def matches(self, store: Store, tournament: StoredTournament) -> None:
        store.add_results(tournament, [result_of(match, BOTS, (1, 2, 3, 4)) for match in ("m1", "m2")])

    def test_the_latest_of_each_bot(self, store: Store, tournament: StoredTournament) -> None:
        first, second = Rated("ann", 1, "m1", 25.5, 8.0), Rated("ann", 2, "m2", 26.0, 7.5)
        other = Rated("bob", 1, "m1", 24.5, 8.0)
        store.add_ratings(tournament, [first, other])
        store.add_ratings(tournament, [second])
        store.add_ratings(tournament, [])
        assert store.latest_ratings(tournament) == (second, other)

    def test_a_rating_that_is_there_is_replaced(self, store: Store, path: Path, tournament: StoredTournament) -> None:
        store.add_ratings(tournament, [Rated("ann", 1, "m1", 25.5, 8.0)])
        store.add_ratings(tournament, [Rated("ann", 1, "m2", 20.0, 7.0)])
        assert store.latest_ratings(tournament) == (Rated("ann", 1, "m2", 20.0, 7.0),)
        assert count(path, "rating") == 1

    def test_none_at_first(self, store: Store, tournament: StoredTournament) -> None:
        assert store.latest_ratings(tournament) == ()

    def test_a_rating_after_a_match_that_is_not_stored_is_refused(self, store: Store, tournament: StoredTournament) -> None:
        with pytest.raises(StoreError, match="FOREIGN KEY"):
            store.add_ratings(tournament, [Rated("ann", 1, "none", 25.5, 8.0)])
