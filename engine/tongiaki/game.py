"""Tongiaki as a ``Game``: its facts, and the way in to states, moves and positions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, final

from engine.core import Game, InvalidMoveError, Move, OptionsError, OptionValue, PositionError
from engine.tongiaki.notation.fen import read_position
from engine.tongiaki.notation.moves import TongiakiMove
from engine.tongiaki.notation.parse import explain_move, parse_move
from engine.tongiaki.state import TongiakiState, new_state, shuffled_deck, sorted_deck

_parse: Final = lru_cache(maxsize=4096)(parse_move)
"""Moves are immutable and come again and again, so most texts that a match brings have been read before."""


@final
class Tongiaki(Game):
    """Tongiaki has no options; there is one object of it, ``TONGIAKI``."""

    name = "tongiaki"
    rules_version = 1
    min_players = 2
    max_players = 6
    chance_events = frozenset[str]()

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """None (RULES 6)."""
        return {}

    def new(self, players: int, seed: int) -> TongiakiState:
        """The start of a game for 2 to 6 players; the deck follows from the seed. Raises OptionsError."""
        self.check_start(players, seed)
        return new_state(self, players, shuffled_deck(seed))

    def follow(self, players: int, opening: str = "") -> TongiakiState:
        """The start of a game with the order of the deck unknown; nothing else is hidden."""
        self.check_start(players, 0)
        if opening:
            raise PositionError("a game of tongiaki has no opening")
        return new_state(self, players, sorted_deck())

    def parse(self, text: str) -> TongiakiMove:
        """The move a notation stands for. Raises InvalidMoveError."""
        return _parse(text)

    def position(self, text: str) -> TongiakiState:
        """The state a position text describes. Raises PositionError."""
        return read_position(self, text)

    def explain(self, move: Move) -> str:
        """The move in plain words."""
        if not isinstance(move, TongiakiMove):
            raise InvalidMoveError(f"{move} is no move of tongiaki")
        return explain_move(move)


TONGIAKI: Final = Tongiaki()


def tongiaki(options: Mapping[str, OptionValue]) -> Tongiaki:
    """The game with those options: it has none, so any raises OptionsError."""
    for key in options:
        raise OptionsError(f"tongiaki has no options, so there is no option {key!r:.60}")
    return TONGIAKI
