"""Positions of OpenSpiel's games: chance from the seed, moves in words, choices of the same moment, and what seats know."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from engine.core import IllegalMoveError, Move, PositionError
from engine.core.observer import Chronicle, Observer
from engine.openspiel.moves import notations
from engine.registry import find_game

pytestmark = pytest.mark.slow  # OpenSpiel comes with the extra dev


def game_of(member: str) -> Any:
    return find_game(f"openspiel:{member}")


def test_a_secret_draw_is_no_event() -> None:
    game = game_of("leduc_poker")
    assert not game.chance_events
    for seed in range(20):
        state, rng = game.new(2, seed), Random(seed)
        while state.actor is not None:
            state.play(state.random_move(rng))
            assert state.events == ()


# Notation
class Words:
    """A position of which only the words for its actions matter."""

    def __init__(self, *words: str) -> None:
        self._words = words

    def current_player(self) -> int:
        return 0

    def action_to_string(self, seat: int, action: int) -> str:
        return self._words[action]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["a1", "b1"], ["a1", "b1"]),
        (["two  words\n", "tab\there"], ["two words", "tab here"]),
        (["Pass", "Bet", "Pass"], ["Pass #0", "Bet", "Pass #2"]),
        (["", "x"], ["#0", "x"]),
        (["x #1", "x", "x"], ["x #1 #0", "x #1", "x #2"]),
        (["\x1b[31mred"], ["?[31mred"]),
    ],
)
def test_words_for_actions_become_lines_that_differ(words: Sequence[str], expected: Sequence[str]) -> None:
    assert list(notations(Words(*words), range(len(words)))) == expected


@pytest.mark.parametrize("member", ["backgammon", "goofspiel(num_cards=4)", "leduc_poker"])
def test_a_random_move_keeps_its_words_when_the_game_goes_on_and_is_equal_to_the_one_in_the_list(member: str) -> None:
    game = game_of(member)
    state, again = game.new(2, 4), game.new(2, 4)
    rng, moves, listed = Random(2), [], []
    while state.actor is not None:
        same = Random()
        same.setstate(rng.getstate())
        moves.append(state.random_move(rng))
        listed.append(state.list_moves()[same.randrange(state.count_moves())])
        state.play(moves[-1])
    assert moves == listed
    for move in moves:
        again.play(move)
    assert again.text == state.text


def test_a_random_move_may_be_played_on_a_copy_and_not_twice() -> None:
    state = game_of("tic_tac_toe").new(2, 1)
    move = state.random_move(Random(1))
    other = state.copy()
    state.play(move)
    other.play(move)
    assert state == other
    with pytest.raises(IllegalMoveError):
        state.play(move)


# Choices of the same moment
def goofspiel(*choices: int) -> Any:
    state = game_of("goofspiel(num_cards=4,players=3,points_order=ascending)").new(3, 1)
    for choice in choices:
        state.play(state.list_moves()[choice])
    return state


def test_a_choice_is_hidden_until_all_have_chosen() -> None:
    one, other = goofspiel(0, 2), goofspiel(3, 2)
    assert one != other
    for seat in (1, 2, -1):
        assert one.view(seat) == other.view(seat)
        assert str(one.view(seat).position) == str(other.view(seat).position)
    assert one.view(0) != other.view(0)
    assert goofspiel(0, 2, 1).view(1) != goofspiel(3, 2, 1).view(1)


def test_a_sample_makes_up_what_others_have_chosen_and_keeps_ones_own() -> None:
    samples = [goofspiel(0, 2).view(1).sample(Random(seed)) for seed in range(40)]
    assert len({sample.text.split("]")[0] for sample in samples}) == 4
    assert len({sample.view(1).position.text for sample in samples}) == 1


def test_a_hidden_choice_is_no_news_until_it_is_revealed() -> None:
    state = goofspiel()
    chronicle = Chronicle(state)
    observers = [Observer(state.game, 3, seat, chronicle.opening(seat)) for seat in range(3)]
    moves: list[Move] = []
    for number in range(6):
        actor, move = state.actor, state.list_moves()[number % 2]
        assert actor is not None
        moves.append(move)
        state.play(move)
        chronicle.record(actor, move, state)
        for seat, observer in enumerate(observers):
            [news] = chronicle.news(seat, number)
            assert (news.move is None) == (seat != actor and number % 3 != 2)
            observer.observe(news)
            assert observer.view() == state.view(seat)
    assert chronicle.news(2, 2)[0].events == (f"chose 0 {moves[0]}", f"chose 1 {moves[1]}")


# Hidden information
def test_legal_moves_of_others_are_not_in_a_view() -> None:
    state = game_of("oh_hell").new(3, 1)
    assert state.view(state.actor).position.count_moves() == state.count_moves()
    for seat in {0, 1, 2} - {state.actor}:
        assert not state.view(seat).position.list_moves()
        assert '"moves"' not in state.view(seat).position.text


def test_hidden_moves_are_no_news() -> None:
    state = game_of("dark_hex").new(2, 1)
    chronicle = Chronicle(state)
    actor, move = state.actor, state.list_moves()[3]
    assert actor == 0
    state.play(move)
    chronicle.record(actor, move, state)
    assert chronicle.news(0, 0)[0].move == str(move)
    assert chronicle.news(1, 0)[0].move is None
    assert chronicle.news(-1, 0)[0].move is None


def test_a_game_that_cannot_be_sampled_says_so() -> None:
    game = game_of("battleship")
    assert not game.can_sample
    with pytest.raises(PositionError, match="openspiel:battleship can't be sampled"):
        game.new(2, 1).view(0).sample(Random(1))
