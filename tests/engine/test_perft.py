"""Counting move sequences, against the counts of the independent implementation."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from engine.core.chance import advance, perft
from engine.tongiaki import TONGIAKI

COUNTS = (Path(__file__).parents[1] / "vectors/tongiaki/perft.txt").read_text(encoding="utf-8").splitlines()


def test_all_forty_counts_are_there() -> None:
    assert len([row for row in COUNTS if row.strip()]) == 40


@pytest.mark.parametrize("row", COUNTS)
def test_every_count_agrees(row: str) -> None:
    players, seed, after, depth, count = map(int, row.split())
    state = TONGIAKI.new(players, seed)
    advance(state, after, Random(0))
    assert perft(state, depth) == count


def test_a_game_that_is_over_has_no_sequences_and_advancing_stops_there() -> None:
    state = TONGIAKI.new(2, 0)
    advance(state, 100_000, Random(0))
    assert state.actor is None
    assert [perft(state, depth) for depth in (1, 2, 3)] == [0, 0, 0]


def test_advancing_plays_the_move_that_one_draw_of_the_generator_names() -> None:
    state, other = TONGIAKI.new(3, 4), TONGIAKI.new(3, 4)
    rng = Random(7)
    advance(state, 25, Random(7))
    for _ in range(25):
        other.play(other.legal_moves[rng.randrange(len(other.legal_moves))])
    assert state == other
