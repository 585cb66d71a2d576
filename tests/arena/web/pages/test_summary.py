"""A tournament in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.run.results import Standing
from arena.web.pages.front import _open, certainty, is_open, lead_sentence
from arena.web.queries import Queries, State
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
    assert over.startswith((f"Too close to tell: {leader} won", f"{leader} won"))
    assert " after 4 of 120 matches" in half
    assert empty == "Nothing has been played yet; 3 bots have entered."


@pytest.mark.parametrize(
    ("bots", "worst", "words"),
    [
        (1, 1, None),
        (3, 2, None),
        (2, 2, "Too early to tell: 1 leads after 6 of 12 matches, but its interval overlaps that of the other bot too much."),
        (4, 4, "Too early to tell: 1 leads after 6 of 12 matches, but its interval overlaps those of all others too much."),
        (4, 3, "Too early to tell: 1 leads after 6 of 12 matches, but its interval overlaps those of 2 of the 3 others too much."),
    ],
)
def test_it_is_too_early_to_tell_while_the_first_bot_is_not_certainly_above_half_of_the_others(
    bots: int, worst: int, words: str | None
) -> None:
    lines = [Standing(at, str(at), "", 20.0, 25.0, 1.0, 6, 0.5, 1.5, 20.0, 0, 1, worst) for at in range(1, bots + 1)]

    assert is_open(lines) == (words is not None)
    if words:
        state = State(played=6, total=12, void=0, rate=None)
        assert "".join(part.text for part in _open(["1"], lines, state)) == words
