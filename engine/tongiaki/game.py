"""``Tongiaki``: the game, which creates states and reads moves and positions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, SupportsIndex, final

from engine.core import Game, InvalidMoveError, Move, OptionsError, OptionValue, PositionError
from engine.core.moves import whole
from engine.tongiaki.notation.fen import read_position
from engine.tongiaki.notation.moves import TongiakiMove, explain_move, parse_move
from engine.tongiaki.state import TongiakiState, new_state, shuffled_deck, sorted_deck

_parse: Final = lru_cache(maxsize=4096)(parse_move)
"""``parse_move`` with a cache, since moves are immutable and most texts recur."""


@final
class Tongiaki(Game):
    """The game of Tongiaki. It has no options, so one object, ``TONGIAKI``, is enough."""

    name = "tongiaki"
    rules_version = 1
    min_players = 2
    max_players = 6
    chance_events = frozenset[str]()

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """An empty mapping: there are no options (RULES 6)."""
        return {}

    def new(self, players: SupportsIndex, seed: SupportsIndex) -> TongiakiState:
        seats, number = whole(players), whole(seed)
        self.check_start(seats, number)
        return new_state(self, seats, shuffled_deck(number))

    def follow(self, players: int, opening: str = "") -> TongiakiState:
        """Return the first position. The deck is sorted, as its order is hidden. Raises OptionsError, and PositionError for an opening."""
        self.check_start(players, 0)
        if opening:
            raise PositionError("Tongiaki has no opening")
        return new_state(self, players, sorted_deck())

    def parse(self, text: str) -> TongiakiMove:
        return _parse(text)

    def position(self, text: str) -> TongiakiState:
        return read_position(self, text)

    def explain(self, move: Move) -> str:
        if not isinstance(move, TongiakiMove):
            raise InvalidMoveError(f"{move} is not a Tongiaki move")
        return explain_move(move)


TONGIAKI: Final = Tongiaki()


def tongiaki(options: Mapping[str, OptionValue]) -> Tongiaki:
    """Return the game. Raises OptionsError for any option, since there are none."""
    for key in options:
        raise OptionsError(f"tongiaki has no options, so there is no option {key!r:.60}")
    return TONGIAKI
