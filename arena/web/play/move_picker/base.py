"""What a move picker is made of, whatever the game: legal moves as choices to click.

A move is a list of stages; in each stage all of its choices are picked, in any order. So an expansion is an island, and then its beaches; a
landing is one stage of as many choices as there are ships.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from arena.web.play.move_picker.tray import Tray
from engine.core import Move, View
from engine.core import State as Position


class Choice(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something to pick: in words, where it is on the board (one SVG element; empty: only in the list), and a picture of it.

    ``picture`` names one of ``MovePicker.pictures``, ``image`` one that ``Picker.image`` draws; those are loaded once and kept.
    ``grave`` is what ends much and can't be undone: it is listed last, and the page asks before it sends the move.
    """

    words: str
    markup: str = ""
    picture: str = ""
    image: str = ""
    grave: bool = False


class Picture(msgspec.Struct, frozen=True):
    """One SVG element, and what to show of it."""

    markup: str
    box: tuple[float, float, float, float]


Stages = list[list[str]]


class MovePicker(msgspec.Struct, frozen=True, omit_defaults=True):
    """All legal moves: ``choices`` by name, ``moves`` as notation and stages of names of choices, and those of ``trays``.

    ``reach`` is how far the choices stick out of the board, in its units.
    """

    choices: dict[str, Choice]
    moves: list[tuple[str, Stages]]
    pictures: dict[str, Picture] = {}
    reach: float = 0.0
    trays: list[Tray] = []


class Picker(NamedTuple):
    """The picker of a game whose choices name images."""

    pick: Callable[[View[Position]], MovePicker]
    image: Callable[[str], str]
    """Returns the image of that name as a standalone SVG, for whoever asks. Raises ValueError if there is none."""

    def __call__(self, view: View[Position]) -> MovePicker:
        """Return all legal moves of the seat to decide, as choices to click."""
        return self.pick(view)


class PickerBuilder:
    """Collects the choices and moves of a ``MovePicker``."""

    def __init__(self) -> None:
        self._choices: dict[str, Choice] = {}
        self._moves: list[tuple[str, Stages]] = []
        self._pictures: dict[str, Picture] = {}
        self._trays: list[Tray] = []

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

    def tray(self, tray: Tray) -> None:
        """Add a tray, whose moves are not among those of ``move``."""
        self._trays.append(tray)

    def build(self, reach: float = 0.0) -> MovePicker:
        """Return a picker of all that was added; see ``MovePicker`` for ``reach``."""
        return MovePicker(self._choices, self._moves, self._pictures, reach, self._trays)


def plain_picker(view: View[Position]) -> MovePicker:
    """Return all legal moves as a list of sentences, for a game without a picker of its own."""
    builder = PickerBuilder()
    for move in view.legal_moves:
        notation = str(move)
        words = view.game.explain(move)
        builder.choice(notation, Choice(words if words == notation else f"{notation}: {words}"))
        builder.move(move, [notation])
    return builder.build()
