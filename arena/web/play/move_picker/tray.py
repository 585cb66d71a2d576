"""Moves that lay or take pieces, as a tray of those pieces: which fits where, so that piece and place can be chosen in either order.

It is compact, because there are thousands of such moves: a move is a template that the names of a piece and of a way to lie fill in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Literal

import msgspec
from msgspec.structs import replace


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
