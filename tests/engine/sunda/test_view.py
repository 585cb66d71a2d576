"""What a seat may know (the dice to come and the open choices of a tick are hidden), and samples of the rest."""

from __future__ import annotations

from random import Random

import pytest

from engine.core import ReadOnlyError
from engine.sunda import SundaState, sunda
from engine.sunda.notation.moves import PLACE, RAID, WAIT
from tests.engine.sunda.helpers import line_ups, random_game
from tests.engine.sunda.test_ticks import begin

LINE_UPS = list(line_ups())


def test_views_of_games_that_differ_in_the_seed_alone_are_equal() -> None:
    one, other = (sunda({"level": 4}).new(2, seed) for seed in (1, 2))
    assert one != other
    assert one.view(0) == other.view(0)
    assert hash(one.view(0)) == hash(other.view(0))


def test_a_seat_does_not_see_what_others_have_chosen_in_the_tick() -> None:
    states = []
    for number in (0, 5):
        state = begin(3)
        state.play(list(state.legal_moves)[number])
        states.append(state)
    one, other = states
    assert one != other
    assert one.view(1) == other.view(1)
    assert one.view(2) == other.view(2)
    assert one.view(0) != other.view(0)
    assert list(one.view(1).legal_moves) == list(one.legal_moves)


def test_choices_are_open_once_all_have_chosen() -> None:
    for state in random_game(sunda({"mode": "simultaneous", "level": 2}), 3, 4):
        if state.inside.queue:
            assert "?" not in state.view(0).position.text.replace("dice ?", "")
            return
    raise AssertionError("no choice was ever left to be carried out")


@pytest.mark.sampled(7)
@pytest.mark.parametrize("number", range(0, len(LINE_UPS), 2))
def test_a_sample_agrees_with_the_view_and_can_be_played_on(number: int) -> None:
    game, players = LINE_UPS[number]
    rng = Random(number)
    for index, state in enumerate(random_game(game, players, seed=400 + number)):
        if index % 17 != number % 17 or state.actor is None:
            continue
        for seat in range(players):
            view = state.view(seat)
            assert (view.actor, view.players, view.outcome) == (state.actor, state.players, state.outcome)
            assert view.position.tally() == state.tally()
            assert game.position(view.position.text) == view.position
            sample = view.sample(rng)
            assert sample.view(seat) == view
            for _ in range(12):
                if sample.actor is not None:
                    sample.play(sample.random_move(rng))
        assert list(state.view(state.actor).legal_moves) == list(state.legal_moves)


def test_a_sample_gives_every_hidden_choice_and_fresh_dice() -> None:
    state = begin(4)
    for _ in range(2):
        state.play(next(iter(state.legal_moves)))
    samples = [state.view(2).sample(Random(seed)) for seed in range(30)]
    insides = [sample.inside for sample in samples if isinstance(sample, SundaState)]
    assert len({str(p.choices[0]) for p in insides}) > 10
    assert all(choice is not None and choice.kind in {PLACE, RAID, WAIT} for p in insides for choice in p.choices[:2])
    assert {p.dice.roll(0) for p in insides if p.dice is not None} == {1, 2, 3, 4, 5, 6}


def test_a_view_refuses_moves_and_does_not_change() -> None:
    state = begin(2)
    view = state.view(0)
    text = view.position.text
    with pytest.raises(ReadOnlyError):
        view.position.play(next(iter(view.legal_moves)))
    state.play(next(iter(state.legal_moves)))
    assert view.position.text == text
    read = state.game.position(text)
    with pytest.raises(ReadOnlyError):
        read.play(next(iter(read.legal_moves)))
