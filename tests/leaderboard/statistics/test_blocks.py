"""Blocks are found by line-up and seed, and only whole ones are compared."""

from __future__ import annotations

from dataclasses import replace
from math import factorial

from tests.leaderboard.made import Match, blocks_of, pair_block, results

BOTS = ("ann", "bob", "cid")


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
