"""Simulated finals: an order that is false is seen, finals seldom state one, and they stop when it is enough."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.finals import FIELDS, Field, play

EQUAL, CLEAR, CYCLE = FIELDS[0], FIELDS[6], FIELDS[8]


@pytest.mark.parametrize("size", [2, 4, 6])
def test_a_clear_field_is_separated_and_what_is_said_of_it_is_true_of_no_other_order(size: int) -> None:
    ended = play(CLEAR, size, seed=3, budget=6000)

    assert ended.is_separated
    assert not ended.is_false
    assert ended.matches < 5000
    reverse = replace(CLEAR, levels=CLEAR.levels[::-1])
    assert play(reverse, size, seed=3, budget=6000).is_false


@pytest.mark.slow  # two hundred finals
@pytest.mark.parametrize(("field", "size"), [(EQUAL, 2), (EQUAL, 6), (CYCLE, 4)], ids=["equal-2", "equal-6", "cycle-4"])
def test_a_false_order_is_stated_in_at_most_a_twentieth_of_finals(field: Field, size: int) -> None:
    ended = [play(field, size, seed, budget=2000) for seed in range(70)]

    assert not any(each.is_separated for each in ended)
    assert sum(each.is_false for each in ended) <= 70 * 0.05
