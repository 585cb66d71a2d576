"""What is computed from stored results: columns, complete blocks, head-to-head, seats, use of time, shares and means with intervals."""

from __future__ import annotations

from dataclasses import replace
from math import factorial

import numpy as np
import pytest
from scipy import stats

from engine.records import FaultKind
from leaderboard.statistics.columns import joined
from leaderboard.statistics.intervals import Estimate, mean, share
from leaderboard.statistics.summary import faults, head_to_head, seat_advantage, usage, win_shares
from tests.leaderboard.made import Match, blocks_of, pair_block, results

BOTS = ("ann", "bob", "cid")

TABLE = [  # one block at a table of three, and one of two
    Match(1, 0, ("ann", "bob", "cid"), (1, 2, 3), (30, 20, 10)),
    Match(1, 1, ("bob", "cid", "ann"), (1, 1, 3), (25, 25, 5)),
    Match(1, 2, ("cid", "ann", "bob"), (3, 1, 2), (40, 12, 10), faulty=("cid",)),
    *pair_block(2, "ann", "bob", "1="),
]


class TestHeadToHead:
    def test_blocks_and_matches_won_tied_and_lost(self) -> None:
        found = {(line.bot, line.other): line for line in head_to_head(blocks_of(results(BOTS, TABLE)))}
        line = found["ann", "bob"]
        assert (line.blocks, line.blocks_won, line.blocks_tied, line.blocks_lost) == (2, 2, 0, 0)
        assert (line.matches, line.won, line.tied, line.lost) == (5, 3, 1, 1)
        assert line.share == pytest.approx((2 / 3 + 3 / 4) / 2)
        assert line.low < line.share < line.high
        assert set(found) == {("ann", "bob"), ("ann", "cid"), ("bob", "cid")}
        assert found["bob", "cid"].share == pytest.approx(2.5 / 3)


class TestSeats:
    def test_shares_of_wins_and_scores_by_seat(self) -> None:
        lines = {(line.players, line.seat): line for line in seat_advantage(blocks_of(results(BOTS, TABLE)))}
        # first seat: won, half, forfeited; second: lost, half, won
        assert [lines[3, seat].win_share for seat in range(3)] == [pytest.approx(0.5), pytest.approx(0.5), 0]
        assert lines[3, 0].mean_score == pytest.approx((30 + 25) / 2)  # a substitute's score is nobody's
        assert lines[3, 2].mean_score == pytest.approx((10 + 5 + 10) / 3)
        assert (lines[2, 0].blocks, lines[2, 0].matches, lines[2, 0].p_value) == (1, 2, None)

    def test_a_seat_that_always_wins_is_told_from_chance(self) -> None:
        matches = [match for seed in range(20) for match in pair_block(seed, "ann", "bob", "12" if seed else "11")]
        lines = seat_advantage(blocks_of(results(BOTS, matches)))
        assert lines[0].win_share == pytest.approx(0.975)
        assert lines[0].p_value is not None
        assert lines[0].p_value < 0.001
        fair = [match for seed in range(20) for match in pair_block(seed, "ann", "bob", "11")]
        assert seat_advantage(blocks_of(results(BOTS, fair)))[0].p_value == 1


class TestUse:
    def test_time_memory_and_decisions(self) -> None:
        data = results(BOTS, TABLE)
        slow = replace(data, seconds=np.where(data.match == 0, 3.0, 1.0), memory=np.where(data.match == 0, np.nan, data.memory))
        line = usage(slow)[0]
        assert (line.bot, line.matches, line.decisions, line.decisions_per_match) == ("ann", 5, 50, 10)
        assert line.seconds == pytest.approx((3 + 4 * 1) / 50)
        assert line.seconds_p50 == pytest.approx(0.1)
        assert line.cpu_seconds == pytest.approx(0.05)
        assert (line.memory_p50, line.memory_peak) == (1000, 1000)


def test_faults_are_counted_by_kind() -> None:
    found = {line.bot: line for line in faults(results(BOTS, TABLE))}
    assert (found["cid"].matches, found["cid"].forfeits, found["cid"].kinds["crash"]) == (3, 1, 1)
    assert set(found["ann"].kinds) == {kind.value for kind in FaultKind}
    assert found["ann"].forfeits == 0


class TestWinShares:
    def test_a_shared_win_counts_its_part_and_blocks_are_the_unit(self) -> None:
        found = {(line.players, line.bot): line for line in win_shares(blocks_of(results(BOTS, TABLE)))}
        assert {key: (line.blocks, line.matches, line.share) for key, line in found.items()} == {
            (2, "ann"): (1, 2, pytest.approx(0.75)),
            (2, "bob"): (1, 2, pytest.approx(0.25)),
            (3, "ann"): (1, 3, pytest.approx(2 / 3)),
            (3, "bob"): (1, 3, pytest.approx(1 / 6)),
            (3, "cid"): (1, 3, pytest.approx(1 / 6)),
        }
        assert all(line.low <= line.share <= line.high for line in found.values())


class TestJoined:
    def test_several_tournaments_are_read_as_one(self) -> None:
        more = pair_block(7, "cid", "dan", "12")
        parts = [results(BOTS, TABLE), results(("dan", "cid"), more)]
        whole = results((*BOTS, "dan"), [*TABLE, *more])
        assert head_to_head(blocks_of(joined(parts))) == head_to_head(blocks_of(whole))
        assert win_shares(blocks_of(joined(parts))) == win_shares(blocks_of(whole))
        assert usage(joined(parts)) == usage(whole)


def test_a_block_with_a_match_missing_is_counted_and_left_out() -> None:
    matches = [*pair_block(1, "ann", "bob", "12"), *pair_block(2, "ann", "cid", "11")[:1]]
    blocks = blocks_of(results(BOTS, matches))
    assert (blocks.complete, blocks.incomplete, blocks.matches_left_out) == (1, 1, 1)
    assert [table.bots.tolist() for table in blocks.tables] == [[[0, 1]]]


def test_bots_keep_their_column_whatever_their_seat() -> None:
    blocks = blocks_of(results(BOTS, pair_block(1, "bob", "ann", "1=")))
    (table,) = blocks.tables
    assert table.place.tolist() == [[[2, 1], [1, 1]]]
    assert table.seat.tolist() == [[[1, 0], [0, 1]]]


def test_two_line_ups_on_one_seed_are_two_blocks() -> None:
    blocks = blocks_of(results(BOTS, [*pair_block(1, "ann", "bob", "11"), *pair_block(1, "bob", "cid", "11")]))
    assert blocks.complete == 2


def test_blocks_of_permutations_need_every_order() -> None:
    matches = [Match(1, number, BOTS, (1, 2, 3)) for number in range(6)]
    assert blocks_of(results(BOTS, matches), factorial).complete == 1
    assert blocks_of(results(BOTS, matches[:3]), factorial).complete == 0
    assert blocks_of(results(BOTS, matches[:3])).complete == 1


@pytest.mark.parametrize(("won", "number"), [(3, 10), (5, 10), (1, 2), (40, 100)])
def test_the_share_of_wins_has_the_interval_of_jeffreys(won: int, number: int) -> None:
    found = share([1] * won + [0] * (number - won))
    low, high = stats.beta.interval(0.95, won + 0.5, number - won + 0.5)
    assert found.value == pytest.approx(won / number)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_ten_wins_of_ten_are_no_certainty() -> None:
    found = share([1] * 10)
    assert found.low is not None
    assert 0.7 < found.low < 0.9
    assert found.high == 1


def test_the_mean_has_students_interval_and_one_value_has_none() -> None:
    values = [3.0, 5.0, 10.0]
    low, high = stats.t.interval(0.95, 2, loc=6, scale=stats.sem(values))
    found = mean(values)
    assert (found.value, found.low, found.high) == (pytest.approx(6), pytest.approx(low), pytest.approx(high))
    assert mean([3.0]) == Estimate(3.0, None, None)


def test_solo_matches_on_one_seed_are_one_event_placed_by_score_with_forfeits_last() -> None:
    scores = {"ann": 5, "bob": 9, "cid": 5}
    matches = [Match(1, number, (bot,), (1,), (score,)) for number, (bot, score) in enumerate(scores.items())]
    (table,) = blocks_of(results(BOTS, matches)).tables
    assert table.is_solo
    assert table.place.tolist() == [[[2, 1, 2]]]
    matches[1] = replace(matches[1], faulty=("bob",))
    (table,) = blocks_of(results(BOTS, matches)).tables
    assert table.place.tolist() == [[[1, 3, 1]]]
    assert blocks_of(results(BOTS, matches[:2])).complete == 0
