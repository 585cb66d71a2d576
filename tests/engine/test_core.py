"""What every game has in common, seen on Tongiaki."""

from __future__ import annotations

from random import Random

import pytest

import engine.core
from engine.core import ArenaError, EngineError, InvalidMoveError, Move, ReadOnlyError, shared_ranks
from engine.registry import find_game
from engine.tongiaki import TONGIAKI


@pytest.mark.parametrize(
    ("keys", "ranks"),
    [
        ([(3,), (2,), (2,), (1,)], (1, 2, 2, 4)),
        ([(1,), (1,)], (1, 1)),
        ([(0,), (5,), (5,)], (3, 1, 1)),
        ([(2, 1), (2, 3), (2, -1)], (2, 1, 3)),
    ],
)
def test_the_largest_key_ranks_first_and_equal_keys_share_the_better_rank(keys: list[tuple[int, ...]], ranks: tuple[int, ...]) -> None:
    assert shared_ranks(keys) == ranks


def test_legal_moves_answer_bool_len_in_index_and_iteration_alike() -> None:
    state = TONGIAKI.new(2, 0)
    moves = state.legal_moves
    assert bool(moves)
    assert len(moves) == 6
    assert [str(move) for move in moves] == [f"place {beach}" for beach in range(6)]
    assert moves[2] == TONGIAKI.parse("place 2")
    assert moves[2] in moves
    assert TONGIAKI.parse("pass") not in moves
    assert repr(moves) == "<legal moves: place 0, place 1, place 2, place 3, place 4, place 5>"


def test_states_are_equal_when_their_positions_are_and_cannot_be_hashed() -> None:
    one, other = TONGIAKI.new(2, 5), TONGIAKI.new(2, 5)
    assert one == other
    assert one != TONGIAKI.new(2, 6)
    assert one != TONGIAKI.new(3, 5)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


@pytest.mark.parametrize(("name", "foreign"), [("tongiaki", find_game("sunda").parse("skip")), ("sunda", TONGIAKI.parse("pass"))])
def test_a_game_explains_no_move_of_another_and_plays_no_view_to_its_end(name: str, foreign: Move) -> None:
    game = find_game(name)
    with pytest.raises(InvalidMoveError, match=f"{foreign} is not a move of"):
        game.explain(foreign)
    with pytest.raises(ReadOnlyError):
        game.new(2, 1).view(0).position.playout(Random(1))


def test_every_error_of_the_engine_has_one_root() -> None:
    errors = [kind for kind in vars(engine.core).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(errors) == 9
    assert all(issubclass(kind, EngineError) for kind in errors if kind is not ArenaError)
    assert issubclass(EngineError, ArenaError)
    assert issubclass(EngineError, ValueError)
