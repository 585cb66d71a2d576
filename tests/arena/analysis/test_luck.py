"""``arena luck``: its blocks, its figures, and one sentence for what can't be measured."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from typer.testing import CliRunner, Result

from arena.analysis.block_luck import SERIES, make_luck_plan
from arena.cli.app import app
from engine.registry import find_game

HERE = ("--executor", "inline", "--isolation", "none", "--blocks", "2")


def luck(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["luck", "--game", "tongiaki", *arguments, *HERE], prog_name="arena")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_in_each_series_of_a_block_every_bot_sits_in_every_seat(players: int) -> None:
    plan = make_luck_plan(find_game("tongiaki", {}), ["greedy", "spoiler"], players=players, blocks=4, seed=7)
    tickets = list(plan.tickets())
    assert len({ticket.id for ticket in tickets}) == len(tickets) == plan.total == 4 * 3 * players
    for block in range(4):
        for series, name in enumerate(SERIES):
            part = [each for each in tickets if each.block == block and each.rotation // players == series]
            seated = Counter((bot, seat) for each in part for seat, bot in enumerate(each.seats))
            assert set(seated.values()) == {1}
            assert len(seated) == players**2
            assert len({each.seed for each in part}) == (players if name == "own" else 1)
    assert len({each.seed for each in tickets}) == 4 * (1 + players)


def test_alone_every_bot_plays_once_in_each_series() -> None:
    plan = make_luck_plan(find_game("sunda", {}), ["greedy", "random"], players=1, blocks=2, seed=7)
    assert [each.seats for each in plan.tickets() if each.block == 0 and each.rotation < 2] in (
        [("greedy",), ("random",)],
        [("random",), ("greedy",)],
    )
    assert plan.total == 12


def test_it_prints_figures_and_says_what_they_mean() -> None:
    result = luck("greedy", "spoiler")
    assert result.exit_code == 0, result.output
    assert "var(block) * k / var(match), one deck" in result.output
    assert "greedy and spoiler" in result.output
    again = luck("greedy", "spoiler")
    assert again.output == result.output


@pytest.mark.slow  # plays blocks of every kind
def test_json_has_every_figure_of_every_kind_of_pair() -> None:
    data = json.loads(luck("greedy", "spoiler", "--players", "4", "--json").output)
    assert data["matches"] == 2 * 3 * 4
    assert {tuple(pair["bots"]) for pair in data["pairs"]} == {("greedy", "spoiler"), ("greedy", "greedy"), ("spoiler", "spoiler")}
    assert set(data["pairs"][0]["shared"]) == {"value", "low", "high"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("greedy", "--players", "9"), "is for 2 to 6"),
        (("greedy", "random", "spoiler"), "3 bots don't fit a table of 2"),
        (("gredy",), "did you mean 'greedy'"),
    ],
)
def test_what_can_not_be_measured_is_one_sentence(arguments: tuple[str, ...], words: str) -> None:
    result = luck(*arguments)
    assert result.exit_code == 2
    assert words in result.output
    assert "Traceback" not in result.output
