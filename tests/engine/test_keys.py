"""Hash keys of positions and views: as equal, and as different, as the positions' texts."""

from __future__ import annotations

import os
import subprocess
import sys
from random import Random

import pytest

from engine import Game, Move, State, find_game
from engine.build_info import SETTING

GAMES = [
    find_game("tongiaki"),
    find_game("sunda", {"level": 0}),
    find_game("sunda", {"level": 5}),
    find_game("sunda", {"level": 5, "pots": "private"}),
    find_game("sunda", {"level": 5, "mode": "simultaneous"}),
]
each_game = pytest.mark.parametrize("game", GAMES, ids=str)
SHOW = """
from engine import find_game
for name in ("tongiaki", "sunda"):
    state = find_game(name).new(2, 5)
    for _ in range(30):
        state.play(state.legal_moves[0])
    print(state.key, state.view(1).key)
"""


def line(game: Game, players: int, seed: int) -> list[State]:
    """Every position of a random game."""
    state, rng = game.new(players, seed), Random(seed)
    states = [state.copy()]
    while state.actor is not None:
        state.play(state.random_move(rng))
        states.append(state.copy())
    return states


@each_game
def test_keys_are_equal_exactly_where_texts_are(game: Game) -> None:
    keys: dict[str, int] = {}
    for seed in range(4):
        for state in line(game, 2 + seed % 2, seed):
            assert keys.setdefault(state.text, state.key) == state.key
            view = state.view(seed % 2).position
            assert keys.setdefault(view.text, view.key) == view.key
    assert len(keys) > 300
    assert len(set(keys.values())) == len(keys)


@pytest.mark.parametrize("game", GAMES[:2], ids=["the order of the deck", "the dice to come"])
def test_what_nobody_knows_is_in_the_key_of_a_state_and_of_no_view(game: Game) -> None:
    one, other = (game.new(2, seed) for seed in (1, 2))
    assert one.key != other.key
    assert one.view(0).key == other.view(0).key


def test_a_choice_that_others_hide_is_not_in_the_key_of_a_view() -> None:
    start = GAMES[4].new(2, 1)
    start.play(start.legal_moves[0])
    states = []
    for number in (0, 1):
        state = start.copy()
        state.play(state.legal_moves[number])
        states.append(state)
    one, other = states
    assert one.has_hidden_choice(0)
    assert one.key != other.key
    assert one.view(0).key != other.view(0).key
    assert one.view(1).key == other.view(1).key


def test_the_order_of_moves_is_not_in_the_key_where_it_is_not_in_the_position() -> None:
    game = GAMES[0]

    def played(*texts: str) -> State:
        state = game.new(2, 1)
        for text in texts:
            state.play(game.parse(text))
        return state

    one = played("place 0", "place 1", "place 2", "place 3")
    other = played("place 2", "place 3", "place 0", "place 1")

    assert one == other
    assert one.key == other.key


def test_tiles_laid_in_another_order_give_the_same_key() -> None:
    game = GAMES[1]
    met: dict[str, set[int]] = {}
    ways = 0
    start = game.new(2, 1)
    rng = Random(5)
    for _ in range(5):
        start.play(start.random_move(rng))
    moves = list(start.legal_moves)
    for _ in range(400):
        first, second = rng.sample(moves, 2)
        for order in ((first, second), (second, first)):
            state = _after(start, order)
            if state is not None:
                ways += 1
                met.setdefault(state.text, set()).add(state.key)

    assert len(met) < ways, "no position was reached in two ways"
    assert all(len(keys) == 1 for keys in met.values())


def _after(start: State, moves: tuple[Move, ...]) -> State | None:
    state = start.copy()
    for move in moves:
        if not state.is_legal(move):
            return None
        state.play(move)
    return state


def test_a_game_of_ones_own_has_a_key_without_saying_how() -> None:
    game = GAMES[0]
    key_of = State.__dict__["key"].__get__
    assert key_of(game.new(2, 1)) == key_of(game.position(game.new(2, 1).text))
    assert key_of(game.new(2, 1)) != key_of(game.new(3, 1))


def test_keys_are_the_same_in_every_process_compiled_or_not() -> None:
    printed = set()
    for form, seed in (("", "1"), ("", "2"), ("plain", "3")):
        environment = {**os.environ, SETTING: form, "PYTHONHASHSEED": seed}
        printed.add(subprocess.run([sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(printed) == 1
