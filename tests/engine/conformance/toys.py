"""Small games that keep all laws, one with dice and one with secrets, and some that break one; other processes import them from here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.core import Game
from engine.plugin import GamePlugin
from engine.registry import Registration, add_game
from engine.simple import Chance, Position, SimpleGame, simple_game


class Dice(Position):
    """Seats roll or step in turn until one is home; a roll of the setup says how far away that is."""

    steps: list[int] = []
    home: int = 0

    def setup(self, options: Mapping[str, Any], chance: Chance) -> None:
        self.steps = [0] * self.players
        self.home = 8 + chance.roll(6)

    def moves(self) -> Sequence[str]:
        assert self.actor is not None
        return ["roll", "step", *(["jump"] if self.steps[self.actor] % 2 else [])]

    def play(self, move: str, chance: Chance) -> None:
        assert self.actor is not None
        self.steps[self.actor] += chance.roll(6) if move == "roll" else 1 if move == "step" else 2
        if self.steps[self.actor] >= self.home:
            self.end(self.steps, "home")
        else:
            self.next()

    def tally(self) -> dict[str, Sequence[float]]:
        return {"steps": self.steps}


class Cards(Position):
    """Seats play cards out of their hands in turn, and draw one each time until the deck is empty."""

    deck: list[int] = []
    hands: list[list[int]] = []
    played: list[list[int]] = []

    def setup(self, options: Mapping[str, Any], chance: Chance) -> None:
        deck = list(range(6 * self.players))
        chance.shuffle(deck)
        self.hands = [sorted(deck.pop() for _ in range(3)) for _ in range(self.players)]
        self.deck = deck
        self.played = [[] for _ in range(self.players)]

    def moves(self) -> Sequence[str]:
        assert self.actor is not None
        return [f"card {card}" for card in self.hands[self.actor]]

    def play(self, move: str, chance: Chance) -> None:
        assert self.actor is not None
        hand, card = self.hands[self.actor], int(move.split(" ")[1])
        hand.remove(card)
        self.played[self.actor].append(card)
        if self.deck:
            hand.append(self.deck.pop())
            hand.sort()
            chance.tell("draws")
        self.next()
        if not self.hands[self.actor]:
            self.end([sum(cards) for cards in self.played], "empty")

    def hide(self, seat: int) -> None:
        self.deck = [-1] * len(self.deck)
        self.hands = [hand if owner == seat else [-1] * len(hand) for owner, hand in enumerate(self.hands)]

    def fill(self, chance: Chance) -> None:
        known = {card for cards in (*self.hands, *self.played, self.deck) for card in cards}
        rest = [card for card in range(6 * self.players) if card not in known]
        chance.shuffle(rest)
        self.hands = [sorted(rest.pop() if card < 0 else card for card in hand) for hand in self.hands]
        self.deck = [rest.pop() if card < 0 else card for card in self.deck]


class Unordered(Dice):
    """Its moves come out of a set."""

    def moves(self) -> Sequence[str]:
        return list({f"step {name}" for name in ("one", "two", "three", "four", "five", "six")})

    def play(self, move: str, chance: Chance) -> None:
        super().play("step", chance)


DICE = simple_game(Dice, "toy-dice", title="Dice", players=(2, 3), public_luck=True)
CARDS = simple_game(Cards, "toy-cards", title="Cards", players=(2, 3))
UNORDERED = simple_game(Unordered, "toy-unordered", title="Unordered", players=(2, 2))
NO_VERSION = simple_game(Dice, "toy-no-version", title="No version", players=(2, 2), rules_version=0)


def _untold(options: Mapping[str, Any]) -> Game:
    game = simple_game(Dice, "toy-follower", title="Follower", players=(2, 2)).game("", options)
    assert isinstance(game, SimpleGame)
    game.sends_positions = False
    return game


FOLLOWER = GamePlugin(title="Follower", make=_untold)
"""Dice whose seats are to follow by themselves, but are not told how."""


def register() -> None:
    """Register these games in this process."""
    for name in ("dice", "cards", "unordered", "no_version", "follower"):
        add_game(Registration(f"toy-{name.replace('_', '-')}", f"{__name__}:{name.upper()}", "toys", "1.0"))
