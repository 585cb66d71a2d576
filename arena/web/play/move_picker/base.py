"""The common parts of the games' move pickers: legal moves as choices to click.

A move is a list of stages; in each stage all of its choices are picked, in any order. For example, an expansion is an island, and then its
beaches; a landing is one stage with a choice for each ship.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.core import Move, View
from engine.core import State as Position
from engine.registry import find_part, find_plugin
from engine.render import drawing

Stages = list[list[str]]


class Stack(msgspec.Struct, frozen=True, omit_defaults=True):
    """Nearly equal pieces, which are shown as one, with their number. ``note`` says more about them than ``words``."""

    words: str
    note: str = ""


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """One piece: its name in the notation and in words, its picture in the tray's sheet, and the index of its stack.

    ``lies`` is where it lies on the board now, as (x, y, degrees clockwise), for a piece that is moved.
    """

    key: str
    words: str
    picture: str
    stack: int
    lies: tuple[float, float, float] | None = None


class Turn(msgspec.Struct, frozen=True):
    """A way to lie at a place: its name in the notation, and where the picture goes on the board as (x, y, degrees clockwise)."""

    key: str
    at: tuple[float, float, float]


class Effect(msgspec.Struct, frozen=True, omit_defaults=True):
    """The effect of a move, in words; ``good`` marks effects that are worth points."""

    words: str
    good: bool = False


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somewhere to lay a piece: in words, its middle on the board, and the ways to lie there.

    ``fits`` lists the pieces that may lie there as (item, turn, effect), by index; ``near`` are other places that overlap with this one.
    """

    words: str
    middle: tuple[float, float]
    turns: list[Turn]
    fits: list[tuple[int, int, int]]
    near: list[int] = []


class Tray(msgspec.Struct, frozen=True, omit_defaults=True):
    """Pieces to choose from, and where each of them fits.

    ``move`` is the notation with ``{item}`` and ``{turn}`` in it, ``act`` the same in words ("Lay"). ``sheet`` names an image of the picker
    in which each picture is an element with that id, drawn at the origin; ``box`` is the part of the plane that contains each of them
    unturned, ``round`` the part that contains it at any turn. ``outline`` is an SVG element that shows a place as a piece would lie there.
    Without places, the pieces are taken, ``take`` of them at a time, in the order of ``items``. ``alike`` says that it makes no difference
    which move of the tray is played, so that nobody needs to be asked.
    """

    title: str
    prompt: str
    act: str
    move: str
    sheet: str
    box: tuple[float, float, float, float]
    round: tuple[float, float, float, float]
    outline: str
    stacks: list[Stack]
    items: list[Item]
    places: list[Place] = []
    effects: list[Effect] = []
    take: Literal[0, 1, 2] = 0
    alike: bool = False

    def renamed(self, name: Callable[[str], str]) -> Tray:
        """Return the tray with players' names in its words, as ``name`` puts them there."""
        effects = [replace(effect, words=name(effect.words)) for effect in self.effects]
        return replace(self, title=name(self.title), prompt=name(self.prompt), act=name(self.act), effects=effects)


def moves_of(tray: Tray) -> Iterator[str]:
    """Yield the notation of every move of a tray, as the page composes it."""
    for place in tray.places:
        for item, turn, _ in place.fits:
            yield tray.move.replace("{item}", tray.items[item].key).replace("{turn}", place.turns[turn].key)
    if tray.take:
        for taken in combinations(tray.items, tray.take):
            yield tray.move.replace("{item}", " ".join(item.key for item in taken))


class Choice(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something to pick: in words, where it is on the board (one SVG element; empty: only in the list), and a picture of it.

    ``more`` stands beside the words in lists and tells the consequences.
    ``picture`` names one of ``MovePicker.pictures``, ``image`` one that ``Picker.image`` draws; those are loaded once and kept.
    ``ghost`` is markup of what picking it does, shown on the board while it is pointed at or picked; it may use ``MovePicker.defs``.
    Picks with the same ``row`` fill it one after the other: the n-th of them shows the n-th of its own ``fills`` instead of ``ghost``;
    without ``fills`` the last one's ``ghost`` takes the place of the others'.
    ``next`` is the prompt once it is picked. ``grave`` is a sentence on what can't be undone: such a choice is listed last, and the page
    asks before sending it.
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
    """One SVG element, and the part of it to show."""

    markup: str
    box: tuple[float, float, float, float]


class MovePicker(msgspec.Struct, frozen=True, omit_defaults=True):
    """All legal moves: ``choices`` by name, ``moves`` as notation and stages of names of choices, and those of ``trays``.

    ``reach`` is how far the choices stick out of the board, in its units. ``prompt`` says what to pick first. ``defs`` are SVG definitions
    that ghosts and pictures use. ``told`` has, by notation, what moves do whose choices, one after the other, would not say it.
    """

    choices: dict[str, Choice]
    moves: list[tuple[str, Stages]]
    pictures: dict[str, Picture] = {}
    reach: float = 0.0
    prompt: str = ""
    defs: str = ""
    told: dict[str, str] = {}
    trays: list[Tray] = []

    def add(self, move: Move, *stages: Sequence[str], told: str = "") -> None:
        """Add a legal move, with what it does."""
        if told:
            self.told[str(move)] = told
        self.moves.append((str(move), [list(stage) for stage in stages]))

    def notations(self) -> list[str]:
        """Return the notation of every move that it offers, including those of its trays."""
        return [text for text, _ in self.moves] + [text for tray in self.trays for text in moves_of(tray)]


class Guide(msgspec.Struct, frozen=True):
    """The guide for a first match: the ``goal`` of the game, and an explanation of the present kind of decision (``now``)."""

    goal: str
    now: str = ""


class Picker(NamedTuple):
    """The picker of a game whose choices name images, or which has a guide for a first match."""

    pick: Callable[[View[Position]], MovePicker]
    image: Callable[[str], str] | None = None
    """Returns the image of that name as a standalone SVG, to any visitor. Raises ValueError if there is none."""
    guide: Callable[[View[Position]], Guide] | None = None
    """Returns the guide for a view, on any seat's turn."""
    has_tray: bool = False
    """Whether moves are put together in trays, for which the page keeps room from the start."""

    def __call__(self, view: View[Position]) -> MovePicker:
        """Return all legal moves of the seat to decide, as choices to click."""
        return self.pick(view)


def plain_picker(view: View[Position]) -> MovePicker:
    """Return all legal moves as a list of sentences, for a game without a picker of its own."""
    picker = MovePicker({}, [], prompt="Choose a move")
    for move in view.legal_moves:
        notation = str(move)
        words = drawing.describe_move(view.position, move)
        picker.choices[notation] = Choice(words if words == notation else f"{notation}: {words}")
        picker.add(move, [notation])
    return picker


def move_picker_of(view: View[Position]) -> MovePicker:
    """Return all legal moves of the seat to decide, as choices to click."""
    picker: Callable[[View[Position]], MovePicker] | None = find_part(view.game.name, "picker")
    return (picker or plain_picker)(view)


def guide_of(view: View[Position]) -> Guide:
    """Return the guide for a first match, on the game and the decision: in the game's own words if it has any."""
    picker = find_part(view.game.name, "picker")
    if isinstance(picker, Picker) and picker.guide is not None:
        return picker.guide(view)
    return Guide(find_plugin(view.game.name).summary)


def has_tray(game: str) -> bool:
    """Return whether moves of a game are put together in trays. Raises GameError."""
    picker = find_part(game, "picker")
    return isinstance(picker, Picker) and picker.has_tray


def image_of(game: str, name: str) -> str:
    """Return an image that choices of a game name, as a standalone SVG. Raises ValueError if there is none, and GameError."""
    picker = find_part(game, "picker")
    if not isinstance(picker, Picker) or picker.image is None:
        raise ValueError(f"there are no images for {game}")
    return picker.image(name)
