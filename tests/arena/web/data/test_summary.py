"""A tournament in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.web.data.queries import Queries
from arena.web.data.summary import certainty, lead_sentence
from tests.arena.web.competition import EMPTY, HALF, OVER


@pytest.fixture(scope="module")
def db(competition: Path) -> Path:
    return competition


@pytest.mark.parametrize(
    ("worst", "chance", "is_complete", "words"),
    [
        (1, 1.0, True, ", certainly the strongest"),
        (1, 1.0, False, ", certainly first"),
        (2, 0.999, False, "; it is certainly among the best two"),
        (2, 0.87, False, "; it is the strongest with 87 % probability, and certainly among the best two"),
        (3, 0.5, True, "; it is the strongest with 50 % probability, and certainly among the best three"),
        (7, 0.2, True, "; it is the strongest with 20 % probability, and among the best seven"),
        (15, 0.0, True, "; it is among the best 15"),
    ],
)
def test_a_lead_is_as_certain_as_the_ranks_that_the_ratings_allow(worst: int, chance: float, is_complete: bool, words: str) -> None:
    assert certainty(worst, chance, is_complete=is_complete) == words


def test_the_sentence_says_who_won_who_leads_and_when_nothing_was_played(queries: Queries) -> None:
    over, half, empty = (lead_sentence(queries, queries.tournament(name)) for name in (OVER, HALF, EMPTY))

    leader = queries.standings(queries.tournament(OVER))[0].bot
    assert over.startswith(f"{leader} won")
    assert " after 4 of 120 matches" in half
    assert empty == "Nothing has been played yet; 3 bots have entered."
