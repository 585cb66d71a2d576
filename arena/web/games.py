"""The games that visitors may play on a server: all games, or only those that the host lists, with exactly the listed parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from arena.entries.game_choice import GameChoice, game_choice, options_of_fields
from arena.entries.game_trial import try_game
from engine.core import Game, OptionsError, OptionValue
from engine.registry import find_game, find_registration, game_names, is_family, needs_trial
from engine.text import quote

LONGEST_NAME: Final = 200
"""The most characters that the name of a game may have."""
MOST_BYTES: Final = {"moves": 64 << 10, "drawing": 256 << 10, "text": 128 << 10}
"""The most bytes that a position's moves (in words), drawing and text may each have; all three are sent to everybody at a table."""
MOST_SECONDS: Final = 0.5
"""The most seconds of CPU that showing a position may take."""


class NotOfferedError(OptionsError):
    """Raised for a game that works here, but that visitors may not play."""


class OfferedGames:
    """The games called ``names``; if no names are given, all registered games except members of families."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        """List the games. Raises OptionsError for a game that does not work here or is too large to be played on pages."""
        self.names: Final = tuple(dict.fromkeys(names)) or tuple(name for name in game_names() if not is_family(name))
        for name in names:
            if len(name) > LONGEST_NAME:
                raise OptionsError(f"{quote(name)} is too long; the name of a game to play can have at most {LONGEST_NAME} characters")
            self.find(name)

    def find(self, name: str, options: Mapping[str, OptionValue] | None = None) -> Game:
        """Return the game with those options. Raises OptionsError; a game that is not offered is refused before anything is loaded."""
        if name not in self.names:
            find_registration(name)  # its error lists the games that there are
            raise NotOfferedError(f"this server does not play {quote(name)}; it plays {', '.join(self.names)}")
        if needs_trial(name, options or {}):
            verdict = try_game(name, options or {})
            for what, most in MOST_BYTES.items():
                if (size := getattr(verdict, what)) > most:
                    raise NotOfferedError(
                        f"{quote(name)} is too large to be played here: {size} bytes for a position's {what}; the limit is {most}"
                    )
            if verdict.seconds > MOST_SECONDS:
                raise NotOfferedError(f"{quote(name)} is too large to be played here: showing a position takes {verdict.seconds:.1f} s")
        return find_game(name, options)

    def of_fields(self, name: str, fields: Mapping[str, str]) -> Game:
        """Return the game with the options typed into the fields of a form. Raises OptionsError as ``find`` does."""
        self.find(name)
        return self.find(name, options_of_fields(name, fields))

    def choices(self) -> tuple[GameChoice, ...]:
        """Return the games to list in a form; a game that doesn't work is listed with the reason."""
        return tuple(map(game_choice, self.names))
