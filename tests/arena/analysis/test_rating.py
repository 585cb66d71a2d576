"""Rating a bot: what is played, what is computed of it, and what is refused."""

from __future__ import annotations

import pytest

from arena.analysis.rating import BASE, RatingError, rate, rival_names
from arena.play.executors.base import InlineExecutor
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from engine.registry import find_game

TONGIAKI = find_game("tongiaki")


def rivals(*names: str) -> dict[str, BotVersion]:
    return {name: resolve(name) for name in names}


def test_a_bot_is_placed_on_the_scale_on_which_random_has_1000() -> None:
    greedy = rate(resolve("greedy"), rivals("spoiler", BASE), TONGIAKI, 2, InlineExecutor(), matches=40)
    assert (greedy.bot, greedy.players, greedy.matches) == ("greedy", 2, 40)
    strengths = {each.bot: each for each in greedy.standings}
    assert (strengths[BASE].elo, strengths[BASE].low, strengths[BASE].high) == (1000, 1000, 1000)
    own = greedy.own
    assert own.low is not None
    assert own.high is not None
    assert own.elo is not None
    assert 1000 < own.low < own.elo < own.high
    assert greedy.forfeits == {"greedy": 0, "spoiler": 0, "random": 0}


def test_the_same_bot_has_the_same_rating() -> None:
    one, other = (rate(resolve("greedy"), rivals("spoiler", BASE), TONGIAKI, 2, InlineExecutor(), matches=8) for _ in range(2))
    assert one == other


def test_random_is_rated_as_1000() -> None:
    assert rate(resolve(BASE), rivals("greedy", "spoiler"), TONGIAKI, 2, InlineExecutor(), matches=8).own.elo == 1000


def test_rivals_fill_the_table_or_the_sentence_says_what_to_do() -> None:
    assert rival_names(TONGIAKI, 5) == ("greedy", "spoiler", "expert", "learned", BASE)
    with pytest.raises(RatingError, match="don't fill a table of 6 at tongiaki; take a smaller --tables"):
        rival_names(TONGIAKI, 6)
    with pytest.raises(RatingError, match="the other reference bots don't fill a table of 3"):
        rate(resolve("greedy"), rivals("spoiler", BASE), TONGIAKI, 3, InlineExecutor())
    with pytest.raises(RatingError, match="--matches 3: at tables of 2 a rating needs at least 4 matches"):
        rate(resolve("greedy"), rivals("spoiler", BASE), TONGIAKI, 2, InlineExecutor(), matches=3)
