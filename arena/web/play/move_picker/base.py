"""What offers are made of. It knows no game.

A move is a list of stages; in each stage all of its choices are picked, in any order. So an expansion is an island, and then its beaches; a
landing is one stage of as many choices as there are ships.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.core import Move, View
from engine.core import State as Position


class Choice(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something to pick: in words, where it is on the board (one SVG element; empty: only in the list), and a picture of it.

    ``picture`` names one of ``Offers.pictures``; ``image`` is the address of a picture.
    """

    words: str
    markup: str = ""
    picture: str = ""
    image: str = ""


class Picture(msgspec.Struct, frozen=True):
    """One SVG element, and what to show of it."""

    markup: str
    box: tuple[float, float, float, float]


Stages = list[list[str]]


class Offers(msgspec.Struct, frozen=True):
    """All legal moves: ``choices`` by name, ``moves`` as notation and stages of names; they reach so far beyond the board, in its units."""

    choices: dict[str, Choice]
    moves: list[tuple[str, Stages]]
    pictures: dict[str, Picture] = {}
    reach: float = 0.0


class Menu:
    """Collects offers."""

    def __init__(self) -> None:
        self._choices: dict[str, Choice] = {}
        self._moves: list[tuple[str, Stages]] = []
        self._pictures: dict[str, Picture] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._choices

    def choice(self, name: str, choice: Choice) -> None:
        """Add a choice."""
        self._choices[name] = choice

    def picture(self, name: str, picture: Picture) -> None:
        """Add a picture that choices may name."""
        self._pictures[name] = picture

    def move(self, move: Move, *stages: Sequence[str]) -> None:
        """Add a legal move."""
        self._moves.append((str(move), [list(stage) for stage in stages]))

    def offers(self, reach: float = 0.0) -> Offers:
        """All that was added."""
        return Offers(self._choices, self._moves, self._pictures, reach)


def plain_offers(view: View[Position]) -> Offers:
    """All legal moves as a list of sentences, for a game without offers of its own."""
    menu = Menu()
    for move in view.legal_moves:
        menu.choice(str(move), Choice(view.game.explain(move)))
        menu.move(move, [str(move)])
    return menu.offers()
