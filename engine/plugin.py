"""``GamePlugin``: the record that describes a game to the rest of the program. Entry points in the group ``tile_arena.games`` refer to it.

Only ``title`` and ``make`` are required; every other field has a default that works for any game. Instead of an object, a field can hold a
reference to one, ``"package.module:attribute"``. That object is imported only when it is used, so a match doesn't load the drawing code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from engine.core import Game, OptionsError, OptionValue

GROUP = "tile_arena.games"
"""The entry point group; the name of each entry point is the name of its game."""

Part: TypeAlias = object
"""The value of a field: an object, or a reference to one, ``"package.module:attribute"``."""


class Chapter(NamedTuple):
    """A chapter of a game's rules for people, in plain text; paragraphs that begin with ``- `` are list items."""

    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlugin:
    """A game and the optional parts that belong to it.

    ``make`` takes the given options and returns the game, or raises OptionsError. For a *family* of games, it also takes the part of the
    name after the colon, as its first argument: ``"openspiel:hex(board_size=7)"`` is created by ``make("hex(board_size=7)", options)``.
    """

    title: str
    """The game's name for people, such as "Sunda to Sahul"."""
    make: Callable[..., Game] | str
    is_family: bool = False
    summary: str = ""
    """One sentence for lists of games."""
    ties: str = ""
    """How equal scores are ranked, such as "more islands held, then fewer ships"; empty if tied seats share their place."""
    drawer: Part = None
    """An ``engine.render.drawing.Drawer``, which draws and describes positions. By default, they are shown as text and a table."""
    rules: Part = None
    """A sequence of ``Chapter``: the rules for people who are new to the game. By default, the summary."""
    picker: Part = None
    """``(view) -> MovePicker`` (``arena.web.play.move_picker.base``), or a ``Picker``, which adds images and a guide. Default: a list."""
    choices: Mapping[str, Mapping[OptionValue, str]] = field(default_factory=dict)
    """The values that forms offer for an option, with labels; an option with one value is not asked for, and others are typed."""
    encoder: Part = None
    """``(game, players) -> Encoder`` (``arena.environments.encoding``). By default, a generic encoder is used."""
    heuristic: Part = None
    """A ``bots.reference.heuristics.base.Heuristic`` for search bots. Without one, ``mcts`` uses random playouts; ``expert`` can't play."""
    value: Part = None
    """A ``bots.reference.valuation.base.ValueFunction``: estimates the chance of each rank. Without one, analyses play games to the end."""
    worlds: Part = None
    """``arena.analysis.worlds.Worlds``: lists the positions a move could have led to. Without it, what ``redact`` hides is sampled."""
    public_luck: bool | str = False
    """Whether all seats see chance events as they happen, such as dice and open draws; in a family, a reference to ``(game) -> bool``.

    In a game with secret hands, a move reveals something about the hand, so results are adjusted for luck only if ``worlds`` is given.
    """
    fuel: Mapping[str, int] = field(default_factory=dict)
    """The prices of WebAssembly bots' calls, by field of ``bots.wasm.fuel.Prices``; by default, those of Sunda to Sahul."""
    vectors: str = ""
    """The folder with replays and positions for tests, as ``"package/folder"``."""
    samples: tuple[tuple[Mapping[str, OptionValue], int], ...] = ()
    """Options and numbers of players whose matches together run all of the game's code; used for checks and to warm up a host."""
    package: str = ""
    """The distribution that contains the rules, if it isn't the one that registers the game; runs and replays record its version."""

    def game(self, member: str, options: Mapping[str, OptionValue]) -> Game:
        """Return the game with these options; in a family, ``member`` is the part of the name after the colon. Raises OptionsError."""
        make: Any = load(self.make)
        if self.is_family:
            game: Game = make(member, options)
            return game
        if member:
            raise OptionsError(f"{self.title} isn't a family of games: leave out ':{member}' after its name, and give options separately")
        return make(options)  # type: ignore[no-any-return]


def load(part: Part) -> Any:  # the type depends on the field
    """Return the object that a ``GamePlugin`` field holds or refers to, or None if it isn't set. Raises ImportError and AttributeError."""
    if not isinstance(part, str):
        return part
    module, _, attribute = part.partition(":")
    return getattr(import_module(module), attribute)
