"""Reference bots in games that they know nothing of: who plays, how well, and what they say of games that they can't play."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from arena.bots import rehearse
from bots.errors import BotError
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.loading import load_bot, resolve
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.protocol import Clock, ClockSpec, MatchInfo
from bots.reference.mcts import Mcts
from bots.reference.search.playout_tree import PlayoutTree
from engine.core import Game, Move, OptionValue, State
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
        assert "sealed can't be sampled, so no bot can try moves in it: nobody can tell what the others hold" in fault.detail

    def test_searches_stop_in_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = add_three_in_a_row(monkeypatch)
        for name, most in (("mcts", 1), ("flat", 0)):
            bot = load_bot(name, MatchInfo(game, 2, 0, 1))
            state = game.new(2, 1)
            assert bot.choose(state.view(0), Clock(seconds=0.0)) in state.legal_moves
            assert bot.nodes <= most  # type: ignore[attr-defined]  # bots that search have it

    def test_one_that_needs_a_heuristic_is_refused_before_the_match(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = add_three_in_a_row(monkeypatch)
        said = r"^'expert' can't play three-in-a-row, which has no heuristic to play by; random, .* and mcts can$"
        with PlayerPool(Level.NONE) as pool, pytest.raises(BotError, match=said):
            rehearse([resolve("random"), resolve("expert")], game, pool)
