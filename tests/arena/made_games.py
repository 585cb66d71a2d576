"""A game of nobody's package, with nothing but its rules: many moves, secrets, fractions, up to eight seats, and no drawing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from msgspec import field

from engine import registry
from engine.registry import Registration, add_game
from engine.simple import Chance, Position, simple_game

NAME: Final = "cards-of-nobody"
TITLE: Final = "Cards of nobody"
FACTS: Final = Registration(NAME, f"{__name__}:PLUGIN", "nobody", "1.0")
BROKEN: Final = Registration("broken", "tests.arena.no_such_module:PLUGIN", "nobody", "1.0")
ROUNDS: Final = 2


class Cards(Position):
    """Everybody holds a secret card, and names a number in turn; whoever named the highest gets a third of its card for it."""

    cards: list[int] = field(default_factory=list)
    named: list[int] = field(default_factory=list)
    many: int = 0

    def setup(self, options: Any, chance: Chance) -> None:
        """Deal the cards."""
        deck = list(range(100, 100 + self.players))
        chance.shuffle(deck)
        self.cards, self.many = deck, options["numbers"]

    def moves(self) -> Sequence[str]:
        """Every number."""
        return [f"name {number}" for number in range(self.many)]

    def play(self, move: str, chance: Chance) -> None:
        """Name it."""
        self.named.append(int(move.split()[1]))
        if len(self.named) < ROUNDS * self.players:
            self.next()
        else:
            self.end([int(points > 0) for points in self.tally()["points"]], "named")

    def tally(self) -> dict[str, Sequence[float]]:
        """A third of the card for whoever named the highest, and less than nothing for the others."""
        best = self.named.index(max(self.named)) % self.players if self.named else -1
        return {"points": [self.cards[seat] / 3 if seat == best else -0.5 for seat in range(self.players)]}

    def hide(self, seat: int) -> None:
        """Nobody sees the others' cards."""
        self.cards = [card if owner == seat else 0 for owner, card in enumerate(self.cards)]

    def fill(self, chance: Chance) -> None:
        """Deal the others' cards anew."""
        left = [card for card in range(100, 100 + self.players) if card not in self.cards]
        chance.shuffle(left)
        self.cards = [card or left.pop() for card in self.cards]


PLUGIN = simple_game(
    Cards,
    NAME,
    title=TITLE,
    players=(2, 8),
    options={"numbers": (300, range(2, 5000)), "mood": ("calm", ("calm", "wild"))},
    choices={"mood": {"calm": "quite calm", "wild": "rather wild"}},
)


@contextmanager
def installed(*registrations: Registration) -> Iterator[None]:
    """These games are installed in this process until the block ends."""
    found = registry._registry()
    before = dict(found.registrations)
    for each in registrations or (FACTS,):
        add_game(each)
    try:
        yield
    finally:
        found.registrations.clear()
        found.registrations.update(before)
