"""A tournament in one sentence, and its podium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.web.data.queries import Queries
from arena.web.data.summary import certainty, lead_sentence, podium
from leaderboard.statistics.bradley_terry import Strength
from leaderboard.storage.store import Store
from tests.arena.web.competition import EMPTY, HALF, OVER


@pytest.fixture(scope="module")
def queries(competition: Path) -> Iterator[Queries]:
    made = Queries(Store.read(competition), fresh_seconds=0)
    yield made
    made.close()


def strength(best: int, worst: int, chance: float) -> Strength:
    return Strength("ann", 40, 1, best, worst, 1600.0, 1550.0, 1650.0, chance, 0)


@pytest.mark.parametrize(
    ("best", "worst", "chance", "is_complete", "words"),
    [
        (1, 1, 1.0, True, ", certainly the strongest"),
        (1, 1, 1.0, False, ", certainly first"),
        (1, 2, 0.999, False, ", certainly first or second"),
        (1, 2, 0.87, False, ", certainly first or second (87% likely to be the strongest)"),
        (1, 3, 0.5, True, ", certainly in the top three (50% likely to be the strongest)"),
        (1, 7, 0.2, True, "; by strength it is somewhere in the top seven (20% likely to be the strongest)"),
        (1, 15, 0.0, True, "; by strength it is somewhere in the top 15"),
        (2, 2, 0.0, True, ", though by strength it is second"),
        (2, 22, 0.0, True, ", though by strength it is second to 22nd"),
        (11, 13, 0.0, True, ", though by strength it is 11th to 13th"),
    ],
)
def test_a_lead_is_as_certain_as_the_ranks_that_the_results_allow(
    best: int, worst: int, chance: float, is_complete: bool, words: str
) -> None:
    assert certainty(strength(best, worst, chance), is_complete=is_complete) == words


def test_nothing_is_certain_without_a_strength() -> None:
    assert certainty(None, is_complete=True) == certainty(Strength("ann", 0), is_complete=True) == ""


def test_the_sentence_says_who_won_who_leads_and_when_nothing_was_played(queries: Queries) -> None:
    over, half, empty = (lead_sentence(queries, queries.tournament(name)) for name in (OVER, HALF, EMPTY))

    leader = queries.standings(queries.tournament(OVER))[0].bot
    assert over.startswith(f"{leader} won, ")
    assert " after 4 of 120 matches" in half
    assert empty == "Nothing has been played yet; 3 bots have entered."


def test_the_podium_has_the_three_best_with_interval_and_ranks(queries: Queries) -> None:
    tournament = queries.tournament(OVER)

    steps = podium(queries, tournament)

    assert [step.bot for step in steps] == [line.bot for line in queries.standings(tournament)[:3]]
    strengths = queries.strengths_soon(tournament)
    assert strengths
    for step in steps:
        found = strengths[step.bot]
        assert (step.strength, step.low, step.high) == (found.strength, found.low, found.high)
        assert step.ranks.split("\N{EN DASH}")[0] == str(found.best_rank)
    assert podium(queries, queries.tournament(EMPTY)) == ()
