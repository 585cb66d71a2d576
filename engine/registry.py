"""The games that ship with the project, by name; a new game is added here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Final

from engine.core import Game, OptionsError, OptionValue
from engine.sunda.game import sunda
from engine.tongiaki.game import tongiaki

_MAKERS: Final[dict[str, Callable[[Mapping[str, OptionValue]], Game]]] = {"tongiaki": tongiaki, "sunda": sunda}

GAME_NAMES: Final = tuple(_MAKERS)


def find_game(name: str, options: Mapping[str, OptionValue] | None = None) -> Game:
    """Return the game of that name with those options, defaults for the rest.

    Raises OptionsError for an unknown name and for options that the game refuses.
    """
    maker = _MAKERS.get(name)
    if maker is None:
        near = get_close_matches(name[:40], GAME_NAMES, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise OptionsError(f"there is no game {name!r:.60}{hint or ' (there is ' + ' and '.join(GAME_NAMES) + ')'}")
    return maker(options or {})
