"""Sunda to Sahul as a ``Game``, which describes the game and creates its states and moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, SupportsIndex, final

from engine.core import Game, InvalidMoveError, Move, OptionsError, OptionValue, PositionError, World
from engine.core.chance import MOST
from engine.core.moves import whole
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.claims import Claims
from engine.sunda.notation.fen import read_position
from engine.sunda.notation.moves import SundaMove, explain_move, parse_move
from engine.sunda.options import SundaOptions, read_options
from engine.sunda.position import Position
from engine.sunda.rules.pots import Dice, deal, read_pots, shared_pot
from engine.sunda.state import SundaState


@final
class SundaGame(Game):
    """Sunda to Sahul with a fixed set of options."""

    name = "sunda"
    rules_version = 1
    max_players = 4
    chance_events = frozenset({"dice", "order"})

    def __init__(self, settings: SundaOptions) -> None:
        self.settings: Final = settings
        self.min_players = 2 if settings.is_private else 1

    def __reduce__(self) -> tuple[type[SundaGame], tuple[SundaOptions]]:
        return SundaGame, (self.settings,)

    @property
    def options(self) -> Mapping[str, OptionValue]:
        return self.settings.written()

    def check_start(self, players: int, seed: int) -> None:
        """Raise OptionsError unless a match with the game's options may have this number of players and this seed."""
        if players == 1 and self.settings.is_simultaneous:
            raise OptionsError("option 'mode': simultaneous play is for 2 to 4 players, not 1")
        if players == 1 and self.settings.is_private:
            raise OptionsError("option 'pots': private pots are for 2 to 4 players; in solo play the pot is 'shared'")
        super().check_start(players, seed)

    def new(self, players: SupportsIndex, seed: SupportsIndex) -> SundaState:
        seats, number = whole(players), whole(seed)
        self.check_start(seats, number)
        pots = deal(number, seats) if self.settings.is_private else shared_pot()
        start = Position(self.settings, seats, SundaBoard(), Claims(seats, self.settings.resources), pots)
        start.dice = Dice(number, after_deal=start.private)
        return SundaState(self, start)

    def deals(self, players: int, most: int = MOST) -> list[World]:
        """Return the first position; a shared pot allows no other. Raises PositionError for private pots: there are too many deals."""
        if self.settings.is_private:
            raise PositionError("private pots can be dealt in too many ways to list them all; use new(players, seed)")
        return super().deals(players, most)

    def follow(self, players: int, opening: str = "") -> SundaState:
        """Return the first position, its dice unknown. ``opening`` is the notation of the pots if they are private, and otherwise empty.

        Raises OptionsError for a wrong number of players, and PositionError for a wrong opening.
        """
        self.check_start(players, 0)
        if opening and not self.settings.is_private:
            raise PositionError("a game with a shared pot has no initial chance events, so its opening must be empty")
        pots = read_pots(opening, players) if self.settings.is_private else shared_pot()
        return SundaState(self, Position(self.settings, players, SundaBoard(), Claims(players, self.settings.resources), pots))

    def parse(self, text: str) -> SundaMove:
        return parse_move(text)

    def position(self, text: str) -> SundaState:
        """Return the state with this notation; it is read-only if the dice are hidden. Raises PositionError for an invalid notation."""
        state = SundaState(self, read_position(text, self.settings))
        state.read_only = state.inside.dice is None
        return state

    def explain(self, move: Move) -> str:
        if not isinstance(move, SundaMove):
            raise InvalidMoveError(f"{move} is not a Sunda to Sahul move")
        return explain_move(move)


def sunda(options: Mapping[str, OptionValue]) -> SundaGame:
    """Return the game with these options, using the defaults for any that are missing. Raises OptionsError for invalid options."""
    return SundaGame(read_options(options))
