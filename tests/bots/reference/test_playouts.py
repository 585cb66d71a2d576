"""Bots that search: what they find, how often they look, and that nothing hidden makes a difference."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.bots import rehearse
from bots.errors import BotError
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.loading import load_bot, resolve
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import load, make_bot
from bots.protocol import Clock, ClockSpec, MatchInfo
from bots.reference.flat import Flat
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.mcts import Mcts
from bots.reference.search.by_value import best_by_value
from bots.reference.search.playout_tree import PlayoutTree
from bots.reference.search.tree import Tree
from bots.reference.valuation.base import RankChances, ValueFunction
from bots.reference.valuation.tongiaki import VALUE
from engine.core import Game, Move, OptionValue, State
from engine.records import Replay
from engine.registry import find_game, single_games
from engine.replay.format import read_replay
from engine.sunda import SundaState, sunda
from tests.bots.playing import match, share
from tests.bots.sandbox.tales import Chance, Choice, Tale, Telling
from tests.small_games import RACE, SEALED, TRICKS, add, add_three_in_a_row

ANY_GAME = tuple(bot for bot in REFERENCE_BOTS if bot not in {"expert", "learned"})


class Rules(Game):
    """All that a search asks of the game of a tale."""

    name = "tale"
    options: Mapping[str, OptionValue] = {}

    def new(self, players: int, seed: int) -> State:
        raise NotImplementedError

    def parse(self, text: str) -> Move:
        raise NotImplementedError

    def position(self, text: str) -> State:
        raise NotImplementedError


class Tell(Telling):
    """A tale with a game."""

    @property
    def game(self) -> Game:
        return Rules()


def searched(tale: Tale, seat: int = 0, players: int = 2, seed: int = 1) -> Move:
    tree = PlayoutTree(Tell(players, tale).view(seat), random.Random(seed))
    for _ in range(400):
        tree.walk()
    return tree.favourite()


class TestTheTree:
    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_the_only_move_that_wins_is_found(self, seed: int) -> None:
        trap = Choice(1, {"kind": (1, 0), "cruel": (0, 1)})
        assert str(searched(Choice(0, {"trap": trap, "win": Choice(1, {"a": (1, 0), "b": (1, 0)})}), seed=seed)) == "win"

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_of_three_seats_each_is_taken_to_play_for_itself(self, seed: int) -> None:
        left = Choice(1, {"greedy": (6, 9, 0), "spiteful": (0, 1, 9)})
        assert str(searched(Choice(0, {"left": left, "right": (5, 6, 7)}), players=3, seed=seed)) == "left"

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_nobody_bets_on_a_coin_as_if_it_were_seen(self, seed: int) -> None:
        bet = Choice(0, {"heads": Chance((9, 0), (0, 9)), "tails": Chance((0, 9), (9, 0))})
        assert str(searched(Choice(0, {"bet": bet, "keep": (7, 2)}), seed=seed)) == "keep"

    def test_a_secret_is_not_known_until_it_comes_to_light(self) -> None:
        """Who guessed right would win; who knows nothing of the secret does better to keep out."""
        odd = Choice(1, {"say odd": (0, 9), "say even": (9, 0), "keep out": (3, 5)})
        even = Choice(1, {"say odd": (9, 0), "say even": (0, 9), "keep out": (3, 5)})
        state = Tell(2, Choice(0, {"odd": odd, "even": even}, is_secret=True))
        tree = PlayoutTree(state.view(1), random.Random(1))
        for _ in range(50):
            tree.walk()
        assert [key[0] for key in tree._root.children if isinstance(key, tuple)] == ["sealed"]


class TestStrength:
    def test_it_beats_random_clearly_in_three_in_a_row(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert share("mcts", "random", add_three_in_a_row(monkeypatch), 5, 150) >= 0.85

    @pytest.mark.parametrize("threat", [["a1", "b2", "a2"], ["a1", "b2", "c3", "c1"]])
    def test_it_answers_a_threat_and_takes_a_win(self, threat: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        game = add_three_in_a_row(monkeypatch)
        state = game.new(2, 1)
        for move in threat:
            state.play(game.parse(move))
        assert state.actor is not None
        bot = Mcts()
        bot.start(MatchInfo(game, 2, state.actor, 3))
        assert str(bot.choose(state.view(state.actor), Clock(nodes=300))) == "a3"

    @pytest.mark.slow  # its sampling is tried in every game with secrets, and its strength in three-in-a-row
    def test_with_hidden_hands_it_beats_random(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert share("mcts", "random", add(monkeypatch, "tricks", TRICKS), 20, 100) >= 0.6

    def test_with_dice_it_finds_the_faster_die(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = add(monkeypatch, "race", RACE)
        bot = Mcts()
        bot.start(MatchInfo(game, 3, 0, 1))
        assert str(bot.choose(game.new(3, 1).view(0), Clock(nodes=300))) == "fast"


class TestEveryGame:
    @pytest.mark.parametrize("bot", ANY_GAME)
    @pytest.mark.parametrize("players", [2, 4])
    def test_a_bot_that_needs_no_heuristic_plays_a_game_with_secrets(self, bot: str, players: int, monkeypatch: pytest.MonkeyPatch) -> None:
        game = add(monkeypatch, "tricks", TRICKS)
        for seed in range(2):
            result = match([bot] * players, game, seed, ClockSpec(nodes=30))
            assert [each.fault for each in result.seats] == [None] * players

    @pytest.mark.parametrize("bot", ["greedy", "spoiler", "flat", "mcts"])
    def test_in_a_game_that_can_not_be_sampled_the_fault_says_so(self, bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
        result = match([bot, "random"], add(monkeypatch, "sealed", SEALED), 1, ClockSpec(nodes=30))
        fault = result.seats[0].fault
        assert fault is not None
        assert "can't sample its hidden information, so bots can't try moves in it: nobody can tell what the others hold" in fault.detail

    def test_searches_stop_in_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = add_three_in_a_row(monkeypatch)
        for name, most in (("mcts", 1), ("flat", 0)):
            bot = load_bot(name, MatchInfo(game, 2, 0, 1))
            state = game.new(2, 1)
            assert bot.choose(state.view(0), Clock(seconds=0.0)) in state.legal_moves
            assert bot.nodes <= most  # type: ignore[attr-defined]  # bots that search have it

    def test_one_that_needs_a_heuristic_is_refused_before_the_match(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = add_three_in_a_row(monkeypatch)
        said = r"^'expert' needs a heuristic, which three-in-a-row doesn't have; random, .* and mcts can play it$"
        with PlayerPool(Level.NONE) as pool, pytest.raises(BotError, match=said):
            rehearse([resolve("random"), resolve("expert")], game, pool)


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


EXAMPLES = Path(__file__).parents[3] / "examples"


def planned(level: int, seed: int, begun: int = 0) -> SundaState:
    """A table that the planner has filled alone, after so many random moves of another."""
    state = sunda({"level": level}).new(1, seed)
    for _ in range(begun):
        state.play(state.random_move(random.Random(seed)))
    bot = make_bot(resolve("planner"), load(resolve("planner")))
    bot.start(MatchInfo(state.game, 1, 0, seed))  # type: ignore[attr-defined]  # start is optional for a bot
    while state.actor is not None:
        state.play(bot.choose(state.view(0), Clock()))
    return state


@pytest.mark.slow  # whole games
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("level", "most"), [(0, 136), (1, 136), (2, 668), (5, 668)])
@pytest.mark.parametrize("seed", [1, 2])
def test_alone_it_lays_every_tile_and_scores_the_most_there_is(level: int, most: int, seed: int) -> None:
    outcome = planned(level, seed).outcome
    assert outcome is not None
    assert (outcome.scores, outcome.ending) == ((most,), "tiles")


def example(name: str) -> Replay:
    return read_replay((EXAMPLES / name).read_text())


TONGIAKI = find_game("tongiaki")


def late(players: int, seed: int) -> State:
    state = TONGIAKI.new(players, seed)
    rng = random.Random(seed)
    while state.actor is not None and (len(state.legal_moves) < 8 or VALUE.sight.rows(state)[0][0] > 0.5):
        state.play(state.random_move(rng))
    assert state.actor is not None
    return state


@pytest.mark.parametrize("players", [2, 4])
def test_it_plays_the_move_that_its_value_function_finds(players: int) -> None:
    state = late(players, 4)
    assert state.actor is not None
    view = state.view(state.actor)
    bot = load_bot("learned", MatchInfo(TONGIAKI, players, state.actor, 9))

    assert bot.choose(view, Clock()) == VALUE.quick_move(view, random.Random(9))


class ByPoints(ValueFunction):
    """A value function that counts the points of seat 0 on the table, without a quick way to a move."""

    version = "points"

    def rank_chances(self, state: State) -> RankChances:
        share = min(1.0, state.tally()["points"][0] / 100)
        return [[share, 1 - share], [1 - share, share]]


def test_without_a_quick_way_turns_are_played_out_and_compared() -> None:
    state = late(2, 7)
    while state.actor != 0:
        state.play(state.random_move(random.Random(3)))
    view = state.view(0)

    move = best_by_value(view, heuristic_of(TONGIAKI), ByPoints(), random.Random(2))

    assert move in state.legal_moves
