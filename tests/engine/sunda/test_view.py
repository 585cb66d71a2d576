"""What a seat may know (the dice to come and the open choices of a tick are hidden), and samples of the rest."""

from __future__ import annotations

from random import Random

from engine.sunda import SundaState, sunda
from engine.sunda.notation.moves import PLACE, RAID, WAIT
from tests.engine.sunda.helpers import random_game
from tests.engine.sunda.test_ticks import begin


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


def test_a_sample_gives_every_hidden_choice_and_fresh_dice() -> None:
    state = begin(4)
    for _ in range(2):
        state.play(next(iter(state.legal_moves)))
    samples = [state.view(2).sample(Random(seed)) for seed in range(30)]
    insides = [sample.inside for sample in samples if isinstance(sample, SundaState)]
    assert len({str(p.choices[0]) for p in insides}) > 10
    assert all(choice is not None and choice.kind in {PLACE, RAID, WAIT} for p in insides for choice in p.choices[:2])
    assert {p.dice.roll(0) for p in insides if p.dice is not None} == {1, 2, 3, 4, 5, 6}
