"""A family of games whose parameters are attacks on the process that makes them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from engine.core import Game
from engine.plugin import GamePlugin
from engine.registry import Registration
from engine.simple import simple_game
from tests.arena.made_games import Cards, installed

FACTS: Final = Registration("hostile", f"{__name__}:PLUGIN", "nobody", "1.0")


def _crash() -> None:
    ctypes.string_at(0)


def _loop() -> None:
    while True:
        pass


def _eat() -> None:
    eaten = []
    while True:
        eaten.append(bytearray(1 << 20))


class Sulky(Cards):
    """A game that can't be shown."""

    def tally(self) -> dict[str, Sequence[float]]:
        """Fail."""
        raise ZeroDivisionError("no points")


_BEFORE: Final[Mapping[str, Callable[[], None]]] = {"crash": _crash, "loop": _loop, "eat": _eat, "print": lambda: print("a" * 99_999)}


def make(member: str, options: Any) -> Game:
    """Do what the member says, and make a game."""
    if member in _BEFORE:
        _BEFORE[member]()
    cards = Sulky if member == "sulk" else Cards
    numbers = {"numbers": (int(member) if member.isdecimal() else 3, range(2, 100_000))}
    made: Any = simple_game(cards, f"hostile:{member}", title="Hostile", players=(2, 3), options=numbers).make
    game: Game = made(options)
    return game


PLUGIN: Final = GamePlugin(title="Hostile", make=make, is_family=True)


@contextmanager
def hostile() -> Iterator[None]:
    """The family is installed until the block ends."""
    with installed(FACTS):
        yield
