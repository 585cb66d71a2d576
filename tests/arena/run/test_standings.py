"""One ranking: its certainty by the ratings, and strength as a second opinion."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.run.results import chance_of_first, older_bots, second_opinion, standings
from arena.spec.spec import make_spec
from leaderboard.statistics.bradley_terry import Strength
from leaderboard.storage.store import Store
from tests.stored import tournament_of


def test_possible_ranks_contain_the_rank_and_the_chances_of_the_first_place_sum_to_one(stored_store: Store) -> None:
    lines = standings(stored_store, tournament_of(stored_store))

    assert all(line.best_rank <= line.rank <= line.worst_rank for line in lines)
    chances = [chance_of_first(lines, line.bot) for line in lines]
    assert sum(chances) == pytest.approx(1, abs=0.01)


def strength(bot: str, value: float, wide: float = 10) -> Strength:
    return Strength(bot, 40, 1, 1, 1, value, value - wide, value + wide, 0.0, 0)


@pytest.mark.parametrize(
    ("values", "wide", "words"),
    [
        ((1600, 1500, 1400), 10, ""),
        ((1500, 1600, 1400), 10, "By Elo, a second opinion, bob (1600) is above ann (1500)."),
        ((1500, 1600, 1400), 80, "By Elo, a second opinion, bob (1600) is above ann (1500), though their intervals overlap."),
        (
            (1400, 1500, 1600),
            10,
            "By Elo, a second opinion, cy (1600) is above ann (1400); other pairs that change places: 2.",
        ),
    ],
)
def test_the_second_opinion_names_the_pair_furthest_apart(values: tuple[int, ...], wide: float, words: str) -> None:
    bots = ("ann", "bob", "cy")
    found = {bot: strength(bot, value, wide) for bot, value in zip(bots, values, strict=True)}
    assert second_opinion(bots, found) == words


def test_a_ladder_lists_each_authors_newest_bot_that_plays_and_nobody_who_left_unplayed(stored_store: Store) -> None:
    line = standings(stored_store, tournament_of(stored_store))[0]
    entered = {"host": None, "ana": "Ana", "ana.2": "Ana", "ben": "Ben", "ben.2": "Ben", "cy": "Cy", "dee": None}
    gone = {"ben.2": 9, "cy": 9, "dee": 0}
    lines = [replace(line, bot=name, left=name in gone, matches=gone.get(name, 9)) for name in entered]
    bots = [{"name": name, "source": "random"} | ({"author": author} if author else {}) for name, author in entered.items()]
    data = {"name": "cup", "game": "tongiaki", "bots": bots, "schedule": {"format": "ladder", "tables": [2]}}

    assert older_bots(make_spec(data), lines) == {"ana", "ben.2", "dee"}
    assert older_bots(make_spec(data | {"schedule": {"tables": [2], "blocks": 1}}), lines) == frozenset()
