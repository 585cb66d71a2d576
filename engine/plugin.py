"""What a game offers to the rest of the program: the record that an entry point of the group ``tile_arena.games`` names.

Only ``title`` and ``make`` are required; every other field has a default that works for any game. An object may be given itself or as a
reference ``"package.module:attribute"``, which is imported only when it is used, so that a match loads no drawings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from engine.core import Game, OptionsError, OptionValue

GROUP = "tile_arena.games"
"""The group of entry points; the name of an entry point is the name of its game."""

Part: TypeAlias = object
"""An object, or a reference to one: ``"package.module:attribute"``."""


class Chapter(NamedTuple):
    """A chapter of a game's rules for people: plain text; paragraphs that begin with ``- `` are the points of a list."""

    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlugin:
    """A game and the optional parts that belong to it.

    ``make`` takes the options given and returns the game, or raises OptionsError. In a *family* its first argument is what follows the
    colon of the name, so that ``"openspiel:hex(board_size=7)"`` is made by ``make("hex(board_size=7)", options)``.
    """

    title: str
    """The game's name for people, such as "Sunda to Sahul"."""
    make: Callable[..., Game] | str
    is_family: bool = False
    summary: str = ""
    """One sentence for lists of games."""
    ties: str = ""
    """What ranks seats with equal scores, such as "more islands held, then fewer ships"; empty if they share the place."""
    drawer: Part = None
    """An ``engine.render.drawing.Drawer``: pictures and words for pages, terminals and replays. By default, text and a table."""
    rules: Part = None
    """A sequence of ``Chapter``: the rules as a person reads them before the first match. By default, the summary."""
    picker: Part = None
    """``(view) -> MovePicker`` (``arena.web.play.move_picker.base``): choices to click. Without one there is a list to search.

    To add images for choices or a guide for first matches, use a ``Picker`` of that module.
    """
    choices: Mapping[str, Mapping[OptionValue, str]] = field(default_factory=dict)
    """The choices of an option on forms: values and their labels. Options without an entry are typed."""
    encoder: Part = None
    """``(game, players) -> Encoder`` (``arena.environments.encoding``). Without one there is a generic one."""
    heuristic: Part = None
    """A ``bots.reference.heuristics.base.Heuristic``: the knowledge of bots that search. Without one they play by playouts."""
    value: Part = None
    """A ``bots.reference.valuation.base.ValueFunction``: chances of every rank. Without one, analysis plays games out."""
    worlds: Part = None
    """``arena.analysis.worlds.Worlds``: the possible chance events after a move. Without it, what ``redact`` hides is sampled."""
    public_luck: bool | str = False
    """Whether all seats see what chance decides when it happens, as with dice and open draws; in a family, ``(game) -> bool``.

    In a game with hands, a seat's moves reveal something about its hand, so results are adjusted for luck only if there are ``worlds``.
    """
    fuel: Mapping[str, int] = field(default_factory=dict)
    """What calls of WebAssembly bots cost, by the names of ``bots.wasm.fuel.Prices``; by default, as in the most expensive game."""
    vectors: str = ""
    """A folder of the package with replays and positions to test against, as ``"package/folder"``."""
    samples: tuple[tuple[Mapping[str, OptionValue], int], ...] = ()
    """Options and numbers of players of matches that together run all of the game's code; used for checks and for warming up a host."""
    package: str = ""
    """The distribution that has the rules, if not the one that registers the game; runs and replays record it with its version."""

    def game(self, member: str, options: Mapping[str, OptionValue]) -> Game:
        """Return the game with those options; ``member`` is what follows the colon of the name in a family. Raises OptionsError."""
        make: Any = load(self.make)
        if self.is_family:
            game: Game = make(member, options)
            return game
        if member:
            raise OptionsError(f"{self.title} takes no ':{member}' after its name; its options are options")
        return make(options)  # type: ignore[no-any-return]


def load(part: Part) -> Any:  # what it is depends on the field
    """Return the object that a field of a ``GamePlugin`` holds or refers to, or None. Raises ImportError and AttributeError."""
    if not isinstance(part, str):
        return part
    module, _, attribute = part.partition(":")
    return getattr(import_module(module), attribute)
