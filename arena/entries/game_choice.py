"""Describes registered games for forms in which a user chooses a game and its options, and reads the fields of these forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from engine.core import EngineError, OptionValue
from engine.plugin import GamePlugin
from engine.registry import find_game, find_plugin, game_names

_DECIMAL: Final = re.compile(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][+-]?[0-9]+)?")
_LONGEST: Final = 200
"""The maximum length of a typed option, in characters."""


@dataclass(frozen=True, slots=True)
class OptionChoice:
    """An option of a game: its default as a user would type it, and the values that the game lists, as pairs (typed text, description)."""

    name: str
    default: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class GameChoice:
    """A registered game. ``seats`` is the range of seats in words, ``most`` the maximum (0: unknown). ``problem``: why it can't be used."""

    name: str
    title: str
    seats: str = ""
    most: int = 0
    options: tuple[OptionChoice, ...] = ()
    is_family: bool = False
    problem: str = ""


def game_choices() -> tuple[GameChoice, ...]:
    """Return all registered games, with families of games last. Games that don't work are included, with their ``problem``."""
    return tuple(sorted(map(game_choice, game_names()), key=lambda choice: choice.is_family))


def game_choice(name: str) -> GameChoice:
    """Return the game with this name. If the game does not work, ``problem`` says why."""
    try:
        plugin, member = find_plugin(name), name.partition(":")[2]
        if plugin.is_family and not member:
            return GameChoice(name, plugin.title, is_family=True)
        game: Any = find_game(name)  # a game that is not compiled may define these attributes on its class
    except EngineError as error:
        return GameChoice(name, name, problem=str(error))
    least, most = game.min_players, game.max_players
    options = tuple(_option(plugin, key, value) for key, value in game.options.items())
    title = f"{plugin.title}: {member}" if member else plugin.title
    return GameChoice(name, title, f"{least}" if least == most else f"{least} to {most}", most, options)


def _option(plugin: GamePlugin, name: str, default: OptionValue) -> OptionChoice:
    values = plugin.choices.get(name, {})
    return OptionChoice(name, _typed(default), tuple((_typed(value), words) for value, words in values.items()))


def options_of_fields(name: str, fields: Mapping[str, str]) -> dict[str, OptionValue]:
    """Return the options typed into the ``fields`` of a form. Empty fields mean the default and are left out. Raises OptionsError."""
    typed = {key: value.strip()[:_LONGEST] for key, value in fields.items() if value.strip()}
    known = find_game(name).options if typed else {}
    return {key: _read_as(value, known.get(key)) for key, value in typed.items()}


def _read_as(text: str, default: OptionValue | None) -> OptionValue:
    """Return the value typed for an option with this default. A string stays a string; in place of a list, a number may be typed."""
    if isinstance(default, str):
        return text
    value = read_option(text)
    return (value,) if isinstance(default, tuple) and isinstance(value, int) else value


def read_option(text: str) -> OptionValue:
    """Return the value of an option given as text: a bool for ``true`` or ``false``, a number, a tuple for ``1,2,3``, or else the text."""
    value: Any = text
    if text in {"true", "false"}:
        value = text == "true"
    elif _DECIMAL.fullmatch(text):
        value = float(text)
    else:
        try:
            numbers = tuple(map(int, text.split(",")))
        except ValueError:
            return text
        value = numbers[0] if len(numbers) == 1 else numbers
    return value  # type: ignore[no-any-return]


def _typed(value: OptionValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
