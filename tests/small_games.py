"""Games written in a few lines, known to the program for the length of a test: no package of the tests' machine need bring them."""

# ruff: noqa: RUF012  # a position gets copies of these lists

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.core import Game, PositionError
from engine.plugin import GamePlugin
from engine.registry import Registration, _registry, find_game
from engine.simple import Chance, Position, simple_game

EXAMPLES = Path(__file__).parents[1] / "examples" / "games"
CARDS = range(12)
HAND = 3


def add(patch: pytest.MonkeyPatch, name: str, plugin: GamePlugin) -> Game:
    """Make a game known, and return it."""
    patch.setitem(_registry().registrations, name, Registration(name, "tests.small_games:none", "tests", "1"))
    patch.setitem(_registry().plugins, name, plugin)
    return find_game(name)


def add_three_in_a_row(patch: pytest.MonkeyPatch) -> Game:
    patch.syspath_prepend(str(EXAMPLES / "three-in-a-row"))
    return add(patch, "three-in-a-row", importlib.import_module("three_in_a_row").PLUGIN)


class Tricks(Position):
    """Cards of even and odd numbers; a trick has to be followed in kind, and the highest card of its kind takes it. For 2 to 4 players."""

    hands: list[list[int]] = []
    table: list[int] = []
    played: list[int] = []
    taken: list[int] = []

    def setup(self, options: object, chance: Chance) -> None:
        deck = list(CARDS)
        chance.shuffle(deck)
        self.hands = [sorted(deck[HAND * seat : HAND * seat + HAND]) for seat in range(self.players)]
        self.taken = [0] * self.players

    def moves(self) -> list[str]:
        assert self.actor is not None
        hand = self.hands[self.actor]
        kind = [card for card in hand if self.table and card % 2 == self.table[0] % 2]
        return [str(card) for card in kind or hand]

    def play(self, move: str, chance: Chance) -> None:
        assert self.actor is not None
        card = int(move)
        self.hands[self.actor].remove(card)
        self.table.append(card)
        self.played.append(card)
        self.next()
        if len(self.table) == self.players:
            first = self.actor
            follows = [each if each % 2 == self.table[0] % 2 else -1 for each in self.table]
            self.actor = (first + follows.index(max(follows))) % self.players
            self.taken[self.actor] += 1
            self.table = []
            if not self.hands[0]:
                self.end(self.taken, "played")

    def hide(self, seat: int) -> None:
        self.hands = [hand if each == seat else [-1] * len(hand) for each, hand in enumerate(self.hands)]

    def fill(self, chance: Chance) -> None:
        seen = {*self.played, *(card for hand in self.hands for card in hand)}
        unseen = [card for card in CARDS if card not in seen]
        chance.shuffle(unseen)
        self.hands = [hand if -1 not in hand else sorted(unseen.pop() for _ in hand) for hand in self.hands]

    def tally(self) -> dict[str, Sequence[float]]:
        return {"tricks": self.taken}


class Sealed(Tricks):
    """The same, but what is hidden can't be filled in."""

    def fill(self, chance: Chance) -> None:
        raise PositionError("nobody can tell what the others hold")


class Race(Position):
    """Roll a die of 6 or of 3 sides and go on by that number; whoever comes to 10 wins. For 2 to 3 players."""

    steps: list[int] = []

    def setup(self, options: object, chance: Chance) -> None:
        self.steps = [0] * self.players

    def moves(self) -> list[str]:
        return ["slow", "fast"]

    def play(self, move: str, chance: Chance) -> None:
        assert self.actor is not None
        self.steps[self.actor] += chance.roll(6 if move == "fast" else 3)
        if self.steps[self.actor] >= 10:
            self.end(self.steps, "home")
        else:
            self.next()

    def observation(self, seat: int) -> list[float]:
        return [self.steps[(seat + each) % self.players] / 10 for each in range(self.players)]


TRICKS = simple_game(Tricks, "tricks", title="Tricks", players=(2, 4))
SEALED = simple_game(Sealed, "sealed", title="Sealed tricks", players=(2, 4))
RACE = simple_game(Race, "race", title="Race", players=(2, 3), public_luck=True)
