"""The lifecycle that every reference bot keeps."""

from __future__ import annotations

import random
from typing import Any

import pytest

from arena.bots import plays
from bots.loader.loading import resolve
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import load, make_bot
from bots.protocol import Clock, ClockSpec, MatchInfo
from engine.core import State
from engine.registry import find_game, single_games
from tests.bots.playing import match

BUDGET = 8
"""Nodes for each decision of the bots that search: a few, for what they do with many takes as long."""

CLOCK = Clock(nodes=BUDGET)

TABLES = [(name, players) for name in single_games() for players in range(find_game(name).min_players, find_game(name).max_players + 1)]
"""Every game at every number of seats."""

BOTS_AND_GAMES = [(bot, game) for bot in REFERENCE_BOTS for game in single_games() if plays(bot, game)]

BOTS_AND_TABLES = [(bot, game, players) for bot in REFERENCE_BOTS for game, players in TABLES if plays(bot, game)]


def seated(names: list[str], game: str, seed: int) -> tuple[State, list[Any]]:
    """A new game and bots that have been told that it begins, with seeds of their own."""
    rules = find_game(game)
    bots: list[Any] = []
    for seat, name in enumerate(names):
        version = resolve(name)
        bot: Any = make_bot(version, load(version))
        bot.start(MatchInfo(rules, len(names), seat, 1000 * seed + seat))
        bots.append(bot)
    return rules.new(len(names), seed), bots


def played(names: list[str], game: str, seed: int, decisions: int | None = None) -> tuple[State, list[str]]:
    """The state and the moves after so many decisions, or at the end."""
    state, bots = seated(names, game, seed)
    moves: list[str] = []
    while (seat := state.actor) is not None and (decisions is None or len(moves) < decisions):
        move = bots[seat].choose(state.view(seat), CLOCK) if len(state.legal_moves) > 1 else state.legal_moves[0]
        assert move in state.legal_moves
        state.play(move)
        moves.append(str(move))
    return state, moves


class TestLifecycle:
    @pytest.mark.sampled(6)
    @pytest.mark.parametrize(("bot", "game", "players"), BOTS_AND_TABLES)
    def test_it_plays_legal_moves_to_the_end_at_every_table(self, bot: str, game: str, players: int) -> None:
        state, _ = played([bot] + ["random"] * (players - 1), game, players)
        assert state.outcome is not None

    @pytest.mark.sampled(2)
    @pytest.mark.parametrize(("bot", "game"), BOTS_AND_GAMES)
    def test_another_seed_gives_other_play(self, bot: str, game: str) -> None:
        lines = []
        for bot_seed in (1, 2):
            state, bots = seated([bot] * 2, game, 1)
            for seat, each in enumerate(bots):
                each.start(MatchInfo(state.game, 2, seat, bot_seed))
            line: list[str] = []
            while (seat_now := state.actor) is not None and len(line) < 40:
                move = bots[seat_now].choose(state.view(seat_now), CLOCK)
                state.play(move)
                line.append(str(move))
            lines.append(line)
        assert lines[0] != lines[1]

    @pytest.mark.sampled(2)
    @pytest.mark.parametrize(("bot", "game"), BOTS_AND_GAMES)
    def test_it_leaves_the_global_dice_alone_and_does_not_look_at_them(self, bot: str, game: str) -> None:
        random.seed(1)
        before = random.getstate()
        one = played([bot] * 2, game, 1, 40)[1]
        assert random.getstate() == before
        random.seed(2)
        assert played([bot] * 2, game, 1, 40)[1] == one

    @pytest.mark.parametrize(("bot", "game"), BOTS_AND_GAMES)
    def test_choosing_changes_nothing_in_the_game(self, bot: str, game: str) -> None:
        state, bots = seated([bot] * 2, game, 3)
        before, moves = state.text, [str(move) for move in state.legal_moves]
        bots[0].choose(state.view(0), CLOCK)
        assert state.text == before
        assert [str(move) for move in state.legal_moves] == moves


SUNDA = [
    *({"level": level} for level in range(1, 6)),
    {"pots": "private", "level": 3},
    {"mode": "simultaneous"},
    {"mode": "simultaneous", "level": 5},
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("bot", [bot for bot in REFERENCE_BOTS if plays(bot, "sunda")])
@pytest.mark.parametrize("options", SUNDA, ids=str)
def test_a_bot_plays_sunda_at_every_level_and_in_every_mode(bot: str, options: dict[str, Any]) -> None:
    result = match([bot, "random"], find_game("sunda", options), 2, ClockSpec(nodes=BUDGET))
    assert [seat.fault for seat in result.seats] == [None, None]
