"""The common parts of the games' move pickers, which offer legal moves as choices to click.

A move is a list of stages; in each stage, all of its choices must be picked, in any order. For example, an expansion has two stages, an
island and then its beaches; a landing has one stage, with a choice for each ship.
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
    """Nearly equal pieces, which are shown as one piece with a count. ``note`` adds details to ``words``."""

    words: str
    note: str = ""


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """One piece: its name in notation and in words, its picture in the tray's sheet, and the index of its stack.

    ``lies`` is where a piece that can be moved lies on the board now, as (x, y, degrees clockwise).
    """

    key: str
    words: str
    picture: str
    stack: int
    lies: tuple[float, float, float] | None = None


class Turn(msgspec.Struct, frozen=True):
    """An orientation at a place: its name in notation, and where the picture goes on the board, as (x, y, degrees clockwise)."""

    key: str
    at: tuple[float, float, float]


class Effect(msgspec.Struct, frozen=True, omit_defaults=True):
    """The effect of a move, in words; ``good`` marks effects that are worth points."""

    words: str
    good: bool = False


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place where a piece can be laid: its description, its middle on the board, and the possible orientations.

    ``fits`` lists the pieces that may lie there as triples of indices (item, turn, effect); ``near`` are the places that overlap this one.
    """

    words: str
    middle: tuple[float, float]
    turns: list[Turn]
    fits: list[tuple[int, int, int]]
    near: list[int] = []


class Tray(msgspec.Struct, frozen=True, omit_defaults=True):
    """Pieces to choose from, and where each of them fits.

    - ``act``: the verb of the move ("Lay"); ``move``: the notation of the move, with the placeholders ``{item}`` and ``{turn}``
    - ``sheet``: the name of an image that contains all pictures; each is an element at the origin, with the id ``Item.picture``
    - ``box``: the rectangle that contains every picture as drawn; ``round``: the rectangle that contains every picture in every orientation
    - ``outline``: an SVG element that shows a place, in the shape of a piece
    - ``take``: in a tray without places, how many pieces a move takes; its notation names them in the order of ``items``
    - ``alike``: whether all moves of the tray have the same effect, so that any of them will do
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
        """Return the tray with ``name`` applied to its words, which puts players' names into them."""
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
    """Something to pick.

    - ``words``: its description; ``more``: its consequences, shown next to the description in lists
    - ``markup``: one SVG element to click on the board; if it is empty, the choice is only in the list
    - ``picture``: a key of ``MovePicker.pictures``; ``image``: the name of an image for ``Picker.image``, which is loaded once
    - ``ghost``: markup of the effect, shown on the board while the choice is pointed at or picked; it may use ``MovePicker.defs``
    - ``row``: a name for choices that share a place: of several picks with the same ``row``, only the last shows its ``ghost``
    - ``fills``: ghosts used instead of ``ghost``: the first pick with this ``row`` shows the first, the second pick the second, ...
    - ``next``: the prompt once the choice is picked
    - ``grave``: a sentence about what can't be undone; such choices are listed last, and the page asks before it sends them
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
    """All legal moves, those of ``trays`` included. ``moves`` has pairs: a notation and its stages, each a list of keys of ``choices``.

    ``reach`` is how far choices extend beyond the board, in board units. ``prompt`` says what to pick first. ``defs`` are SVG definitions
    for ghosts and pictures. ``told`` has, by notation, the effects of moves that the words of their choices don't describe.
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
        """Add a legal move; a stage is a list of keys of ``choices``, ``told`` the move's effect in words."""
        if told:
            self.told[str(move)] = told
        self.moves.append((str(move), [list(stage) for stage in stages]))

    def notations(self) -> list[str]:
        """Return the notation of every move, including the moves of the trays."""
        return [text for text, _ in self.moves] + [text for tray in self.trays for text in moves_of(tray)]


class Guide(msgspec.Struct, frozen=True):
    """The guide for a first match: the ``goal`` of the game, and an explanation of the current kind of decision (``now``)."""

    goal: str
    now: str = ""


class Picker(NamedTuple):
    """A game's move picker, with images for its choices or a guide for a first match; a picker without them is a plain function."""

    pick: Callable[[View[Position]], MovePicker]
    image: Callable[[str], str] | None = None
    """Returns the image with that name as a standalone SVG, which any visitor may see. Raises ValueError if there is none."""
    guide: Callable[[View[Position]], Guide] | None = None
    """Returns the guide for a view, on any seat's turn."""
    has_tray: bool = False
    """Whether the picker has trays; if so, the page reserves room for them from the start."""

    def __call__(self, view: View[Position]) -> MovePicker:
        """Return all legal moves of the seat to move, as choices to click."""
        return self.pick(view)


def plain_picker(view: View[Position]) -> MovePicker:
    """Return all legal moves as a list of sentences, for a game that has no picker."""
    picker = MovePicker({}, [], prompt="Choose a move")
    for move in view.legal_moves:
        notation = str(move)
        words = drawing.describe_move(view.position, move)
        picker.choices[notation] = Choice(words if words == notation else f"{notation}: {words}")
        picker.add(move, [notation])
    return picker


def move_picker_of(view: View[Position]) -> MovePicker:
    """Return all legal moves of the seat to move, as choices to click."""
    picker: Callable[[View[Position]], MovePicker] | None = find_part(view.game.name, "picker")
    return (picker or plain_picker)(view)


def guide_of(view: View[Position]) -> Guide:
    """Return the game's guide for a first match, or its summary if it has no guide."""
    picker = find_part(view.game.name, "picker")
    if isinstance(picker, Picker) and picker.guide is not None:
        return picker.guide(view)
    return Guide(find_plugin(view.game.name).summary)


def has_tray(game: str) -> bool:
    """Return whether moves of a game are composed in trays. Raises GameError."""
    picker = find_part(game, "picker")
    return isinstance(picker, Picker) and picker.has_tray


def image_of(game: str, name: str) -> str:
    """Return an image that a game's choices refer to, as a standalone SVG. Raises GameError, or ValueError if there is no such image."""
    picker = find_part(game, "picker")
    if not isinstance(picker, Picker) or picker.image is None:
        raise ValueError(f"there are no images for {game}")
    return picker.image(name)
