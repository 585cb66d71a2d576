"""What a move picker is made of, whatever the game: legal moves as choices to click.

A move is a list of stages; in each stage all of its choices are picked, in any order. So an expansion is an island, and then its beaches; a
landing is one stage of as many choices as there are ships.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from arena.web.play.move_picker.tray import Tray, moves_of
from engine.core import Move, View
from engine.core import State as Position
from engine.render import drawing


class Choice(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something to pick: in words, where it is on the board (one SVG element; empty: only in the list), and a picture of it.

    ``more`` is said beside the words in lists: what it leads to.
    ``picture`` names one of ``MovePicker.pictures``, ``image`` one that ``Picker.image`` draws; those are loaded once and kept.
    ``ghost`` is markup of what picking it does, shown on the board while it is pointed at or picked; it may use ``MovePicker.defs``.
    Picks with the same ``row`` fill it one after the other: the n-th of them shows the n-th of its own ``fills`` instead of ``ghost``;
    without ``fills`` the last one's ``ghost`` takes the place of the others'.
    ``next`` is the prompt once it is picked. ``grave`` says in a sentence what can't be undone: such a choice is listed last, and the page
    asks before it is sent.
    """

    words: str
    markup: str = ""
    picture: str = ""
    image: str = ""
    more: str = ""
    ghost: str = ""
    row: str = ""
    fills: list[str] = []
    next: str = ""
    grave: str = ""


class Picture(msgspec.Struct, frozen=True):
    """One SVG element, and what to show of it."""

    markup: str
    box: tuple[float, float, float, float]


Stages = list[list[str]]


class MovePicker(msgspec.Struct, frozen=True, omit_defaults=True):
    """All legal moves: ``choices`` by name, ``moves`` as notation and stages of names of choices, and those of ``trays``.

    ``reach`` is how far the choices stick out of the board, in its units. ``prompt`` says what to pick first. ``defs`` are SVG definitions
    that ghosts and pictures use. ``ghosts`` has by notation what a whole move does, for those that are not shown by the ghosts of their
    choices together.
    """

    choices: dict[str, Choice]
    moves: list[tuple[str, Stages]]
    pictures: dict[str, Picture] = {}
    reach: float = 0.0
    prompt: str = ""
    defs: str = ""
    ghosts: dict[str, str] = {}
    trays: list[Tray] = []

    def notations(self) -> list[str]:
        """Return the notation of every move that it offers, those of its trays, too."""
        return [text for text, _ in self.moves] + [text for tray in self.trays for text in moves_of(tray)]


class Guide(msgspec.Struct, frozen=True):
    """What a first match is told: the ``goal`` of the game, and what the present kind of decision is about (``now``)."""

    goal: str
    now: str = ""


class Picker(NamedTuple):
    """The picker of a game whose choices name images, or which has a guide for a first match."""

    pick: Callable[[View[Position]], MovePicker]
    image: Callable[[str], str] | None = None
    """Returns the image of that name as a standalone SVG, for whoever asks. Raises ValueError if there is none."""
    guide: Callable[[View[Position]], Guide] | None = None
    """Returns the guide for a view, whosever turn it is."""

    def __call__(self, view: View[Position]) -> MovePicker:
        """Return all legal moves of the seat to decide, as choices to click."""
        return self.pick(view)


class PickerBuilder:
    """Collects the choices and moves of a ``MovePicker``."""

    def __init__(self) -> None:
        self._choices: dict[str, Choice] = {}
        self._moves: list[tuple[str, Stages]] = []
        self._pictures: dict[str, Picture] = {}
        self._ghosts: dict[str, str] = {}
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

    def ghost(self, move: Move, markup: str) -> None:
        """Add what the board shows of a whole move, instead of the ghosts of its choices."""
        self._ghosts[str(move)] = markup

    def build(self, reach: float = 0.0, prompt: str = "", defs: str = "") -> MovePicker:
        """Return a picker of all that was added; see ``MovePicker`` for the arguments."""
        return MovePicker(self._choices, self._moves, self._pictures, reach, prompt, defs, self._ghosts, self._trays)

    def tray(self, tray: Tray) -> None:
        """Add a tray, whose moves are not among those of ``move``."""
        self._trays.append(tray)


def plain_picker(view: View[Position]) -> MovePicker:
    """Return all legal moves as a list of sentences, for a game without a picker of its own."""
    builder = PickerBuilder()
    for move in view.legal_moves:
        notation = str(move)
        words = drawing.describe_move(view.position, move)
        builder.choice(notation, Choice(words if words == notation else f"{notation}: {words}"))
        builder.move(move, [notation])
    return builder.build(prompt="Choose a move")
