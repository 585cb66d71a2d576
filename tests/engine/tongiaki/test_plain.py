"""The engine against a second implementation of the same rules, step by step."""

from __future__ import annotations

from random import Random

import pytest

from engine.tongiaki import TONGIAKI
from tests.engine.tongiaki.helpers import listed, picture
from tests.engine.tongiaki.plain import Plain


def prefer(moves: list[str], word: str, rng: Random) -> str:
    """A move that begins with the word, where there is one, four times in five; the players who only ever play at random meet little."""
    wanted = [move for move in moves if move.startswith(word)]
    return rng.choice(wanted if wanted and rng.random() < 0.8 else moves)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("word", ["", "expand", "crown", "take", "enter", "recolonise"])
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_both_implementations_agree_at_every_step(players: int, word: str) -> None:
    rng = Random(f"{players} {word}")
    for _ in range(2):
        seed = rng.randrange(2**40)
        plain, state = Plain(players, seed), TONGIAKI.new(players, seed)
        while plain.actor is not None:
            moves = plain.legal()
            assert listed(state) == moves
            assert state.actor == plain.actor
            assert picture(state) == plain.board()
            move = prefer(moves, word, rng)
            plain.play(move)
            state.play(TONGIAKI.parse(move))
        outcome = state.outcome
        assert outcome is not None
        assert (list(outcome.scores), list(outcome.ranks), str(outcome.ending)) == plain.outcome()
        assert picture(state) == plain.board()
