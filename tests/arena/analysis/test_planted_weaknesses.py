"""What is planted in a bot is what its worst decisions have in common, and twins have nothing."""

from __future__ import annotations

import pytest

from arena.analysis.traits.tongiaki import FEW_TILES
from arena.analysis.weak_points import weak_points
from benchmarks.planted import NeverCrowns, NeverLooksAtTheDeck, analysed
from bots.reference.expert import Expert

pytestmark = pytest.mark.slow  # half a minute of matches and analyses each


def test_a_bot_that_ignores_royal_islands_is_named_so_first() -> None:
    point, *_ = weak_points(analysed(NeverCrowns))

    assert point.words == "from passing up a royal island"
    assert point.lost > 1.3 * point.rivals


def test_a_bot_that_does_not_see_the_end_coming_is_named_by_what_is_left_of_the_deck() -> None:
    point, *_ = weak_points(analysed(NeverLooksAtTheDeck, 60))

    assert point.words == f"with at most {FEW_TILES[-1]} tiles left"


def test_of_twins_nothing_stands_out() -> None:
    assert weak_points(analysed(Expert)) == ()
