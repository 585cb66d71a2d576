"""The fold of results: the same however they arrive, and nothing but what adding up and rating them in order gives."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.records import Fault, FaultKind, MatchResult
from leaderboard.ratings.fold import Fold, RatedResult, RatingFold, RatingParameters, entry_of
from tests.leaderboard.conftest import BOTS, fold_of, result_of


@st.composite
def results(draw: st.DrawFn) -> list[MatchResult]:
    """Results of two to four bots with any ranks, scores and faults, and solo blocks after them."""
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


class TestTotals:
    @given(results())
    def test_they_are_what_adding_up_gives(self, found: list[MatchResult]) -> None:
        totals = {total.bot: total for total in fold_of(found).totals}
        events: dict[str, list[tuple[str, int, float, bool]]] = defaultdict(list)
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
        assert set(totals) == set(BOTS)
        for bot, total in totals.items():
            seats_of = [seat for name, seat in played if name == bot]
            assert total.matches == len(places[bot]) == len(seats_of)
            assert total.wins == pytest.approx(wins[bot])
            assert total.places == sum(places[bot])
            assert total.points == sum(seat.score for seat in seats_of)
            assert total.faults == sum(seat.fault is not None for seat in seats_of)
            assert total.decisions == sum(seat.decisions for seat in seats_of)
            assert total.seconds == pytest.approx(sum(seat.seconds for seat in seats_of))

    def test_a_block_that_not_all_have_played_counts_for_nobody(self) -> None:
        part = [result_of(f"s0{bot}", [bot], [1], scores=[9]) for bot in BOTS[:-1]]
        folded = fold_of(part)
        assert folded.matches == 3
        assert {(total.matches, total.points) for total in folded.totals} == {(0, 0)}
        whole = [result_of(f"s1{bot}", [bot], [1], scores=[1], block=1) for bot in BOTS]
        assert {(total.matches, total.points) for total in fold_of(part + whole).totals} == {(1, 1)}


class TestOrder:
    @given(results(), st.data())
    def test_it_does_not_matter_in_which_order_results_arrive(self, found: list[MatchResult], data: st.DataObject) -> None:
        fold = Fold({bot: f"digest of {bot}" for bot in BOTS}, RatingParameters())
        for index in data.draw(st.permutations(range(len(found)))):
            fold.add(index, entry_of(found[index]))
        assert fold.take() == fold_of(found)

    @given(st.permutations(range(8)))
    def test_a_result_waits_for_those_before_it(self, order: list[int]) -> None:
        fold = Fold(dict.fromkeys(BOTS, ""), RatingParameters())
        for done, number in enumerate(order, start=1):
            fold.add(number, entry_of(result_of(f"m{number}", BOTS, (1, 2, 3, 4))))
            assert fold.take().matches == next((n for n in range(8) if n not in order[:done]), 8)

    def test_void_matches_count_for_nothing_and_hold_nobody_up(self) -> None:
        one, two = result_of("m1", BOTS, (1, 2, 3, 4)), result_of("m2", BOTS, (2, 1, 3, 4))
        fold = Fold({bot: f"digest of {bot}" for bot in BOTS}, RatingParameters())
        for index, entry in ((0, entry_of(one)), (2, entry_of(two)), (1, None)):
            fold.add(index, entry)
        assert fold.take() == fold_of([one, two])

    def test_what_waits_behind_a_gap_is_folded_when_the_gap_is_given_up(self) -> None:
        one, two = result_of("m1", BOTS, (1, 2, 3, 4)), result_of("m2", BOTS, (2, 1, 3, 4))
        fold = Fold({bot: f"digest of {bot}" for bot in BOTS}, RatingParameters())
        fold.add(7, entry_of(two))
        fold.add(3, entry_of(one))
        assert fold.take().matches == 0
        fold.close_gaps()
        assert fold.take() == fold_of([one, two])


def test_ratings_are_the_rating_fold_s() -> None:
    found = [result_of(f"m{n}", BOTS[: 2 + n % 3], (1, 2, 2, 4)[: 2 + n % 3]) for n in range(20)]
    ratings = RatingFold(BOTS, RatingParameters())
    for result in found:
        ratings.add(RatedResult(result.ticket.id, tuple(s.bot for s in result.seats), tuple(s.rank for s in result.seats)))
    assert fold_of(found).table == ratings.table()


def test_the_digest_covers_all_that_play_decides_and_no_clock() -> None:
    fault = Fault(FaultKind.CRASH, 5, "said something")
    result = result_of("m1", ("ann", "bob"), (2, 1), scores=(3, 4), faults=(fault, None))
    line = '["m1",[["digest of ann",3,2,["crash",5]],["digest of bob",4,1,null]],"waters","' + result.replay.digest + '"]\n'
    assert json.loads(line)
    assert fold_of([result]).results_digest == "sha256:" + hashlib.sha256(line.encode()).hexdigest()
