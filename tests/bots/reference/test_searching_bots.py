"""The bots that search keep to their budgets, see nothing hidden, and beat those that only look at the next move."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from bots.protocol import Clock, MatchInfo
from bots.reference.flat import Flat
from bots.reference.mcts import Mcts
from bots.reference.search.tree import Tree
from engine.core import Game, Move, State
from engine.registry import find_game, single_games
from engine.sunda import SundaState

SEARCHERS = [Flat, Mcts]


def started(make: Callable[[], Any], game: Game, players: int = 2, seat: int = 0, seed: int = 1) -> Any:
    bot = make()
    bot.start(MatchInfo(game, players, seat, seed))
    return bot


def after(game: Game, moves: int, seed: int = 1) -> State:
    """A game for two after so many random moves, and then on to a decision; of a shorter game, its last decision before the end."""
    state = last = game.new(2, seed)
    rng = random.Random(seed)
    while state.actor is not None and (moves > 0 or len(state.legal_moves) == 1):
        if len(state.legal_moves) > 1:
            last = state.copy()
        state.play(state.random_move(rng))
        moves -= 1
    return last if state.actor is None else state


def asked(bot: Any, state: State, clock: Clock) -> Move:
    """The bot's move for the seat that has to decide."""
    assert state.actor is not None
    move: Move = bot.choose(state.view(state.actor), clock)
    return move


class TestBudget:
    @pytest.mark.parametrize("game", single_games())
    @pytest.mark.parametrize("nodes", [1, 37])
    def test_the_search_looks_at_exactly_as_many_positions_as_its_clock_says(self, game: str, nodes: int) -> None:
        state = after(find_game(game), 30)
        bot = started(Mcts, state.game)
        asked(bot, state, Clock(nodes=nodes))
        assert bot.nodes == nodes

    def test_a_node_is_a_walk_through_the_tree(self, monkeypatch: pytest.MonkeyPatch) -> None:
        walks: list[Tree] = []
        walk = Tree.walk
        monkeypatch.setattr(Tree, "walk", lambda tree: (walks.append(tree), walk(tree))[1])
        state = after(find_game("tongiaki"), 30)
        asked(started(Mcts, state.game), state, Clock(nodes=25))
        assert len(walks) == 25

    @pytest.mark.parametrize("nodes", [1, 60])
    def test_random_games_are_never_more_than_the_clock_says(self, nodes: int) -> None:
        state = after(find_game("tongiaki"), 30)
        bot = started(Flat, state.game)
        asked(bot, state, Clock(nodes=nodes))
        assert nodes / 2 < bot.nodes + 1 <= nodes + 1

    @pytest.mark.parametrize("clock", [Clock(seconds=0.0), Clock(bank=0.0), Clock(seconds=5.0, bank=0.0)])
    def test_out_of_time_the_search_stops_with_a_legal_move(self, clock: Clock) -> None:
        state = after(find_game("tongiaki"), 30)
        bot = started(Mcts, state.game)
        assert asked(bot, state, clock) in state.legal_moves
        assert bot.nodes < Mcts.budget


class TestHiddenThings:
    @pytest.mark.parametrize("make", SEARCHERS)
    def test_the_order_of_the_deck_makes_no_difference(self, make: Callable[[], Any]) -> None:
        state = after(find_game("tongiaki"), 40)
        other = state.copy()
        other.determinize(random.Random(5))
        assert other.text != state.text
        clock = Clock(nodes=60)
        assert asked(started(make, state.game), state, clock) == asked(started(make, state.game), other, clock)

    @pytest.mark.parametrize("make", SEARCHERS)
    def test_what_others_have_chosen_in_a_tick_makes_no_difference(self, make: Callable[[], Any]) -> None:
        game = find_game("sunda", {"mode": "simultaneous"})
        start = game.new(2, 3)
        start.play(start.legal_moves[0])
        found = set()
        for first in (0, 5, -1):
            state = start.copy()
            state.play(state.legal_moves[first])
            assert isinstance(state, SundaState)
            assert state.actor == 1
            found.add(str(asked(started(make, game, seat=1), state, Clock(nodes=30))))
        assert len(found) == 1
