from __future__ import annotations

from itertools import product

import pytest

from engine.sunda.notation.moves import CHALLENGE, SundaMove
from engine.sunda.rules.challenges import challenger_wins, dice_of
from tests.engine.sunda.helpers import VECTORS, at, vector


def chance(own: int, other: int) -> float:
    """The challenger's chance, from every way the dice can fall."""
    mine, theirs = dice_of(own, other), dice_of(other, own)
    rolls = list(product(range(1, 7), repeat=mine + theirs))
    return sum(challenger_wins(list(roll[:mine]), list(roll[mine:])) for roll in rolls) / len(rolls)


def test_a_tribe_of_five_beats_one_of_three_at_75_percent() -> None:
    assert chance(5, 3) == pytest.approx(161 / 216)
    assert round(100 * chance(5, 3)) == 75


@pytest.mark.parametrize(("own", "other", "dice"), [(1, 1, 1), (3, 1, 2), (4, 1, 3), (5, 1, 3), (2, 1, 1), (1, 2, 1), (1, 5, 1), (5, 5, 1)])
def test_the_larger_tribe_rolls_a_die_for_each_token_more_up_to_three(own: int, other: int, dice: int) -> None:
    assert dice_of(own, other) == dice


def test_the_challenger_wins_ties() -> None:
    assert challenger_wins([3], [3])
    assert challenger_wins([1, 5, 2], [5])
    assert not challenger_wins([4], [1, 5])


@pytest.mark.parametrize("name", sorted(path.stem for path in VECTORS.glob("*-L[45]-*.json")))
def test_the_loser_takes_his_topmost_token_of_the_losing_tribe_back(name: str) -> None:
    n_fights = 0
    state = at(name, 0)
    for seat, text, _ in vector(name)["decisions"]:
        move = state.game.parse(text)
        assert isinstance(move, SundaMove)
        claims = state.inside.claims.copy()
        state.play(move)
        if move.kind != CHALLENGE:
            continue
        n_fights += 1
        mine, theirs = (list(map(int, side.split())) for side in state.events[0].removeprefix("dice ").split("|"))
        own, other = claims.tribes[move.first], claims.tribes[move.second]
        assert (len(mine), len(theirs)) == (dice_of(len(own), len(other)), dice_of(len(other), len(own)))
        lost, where = (other, move.second) if max(mine) >= max(theirs) else (own, move.first)
        left = state.inside.claims.tribes.get(where, ())
        assert len(left) == len(lost) - 1
        owner = next(s for s in range(state.players) if lost.count(s) > left.count(s))
        assert lost.count(owner) == max(map(lost.count, lost))
        assert owner == seat if where == move.first else owner != seat
        top = max(i for i, s in enumerate(lost) if s == owner)
        assert left == lost[:top] + lost[top + 1 :]
        assert state.inside.claims.tokens[owner] == claims.tokens[owner] + 1
    assert n_fights > 0
