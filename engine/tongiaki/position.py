"""All that there is to a position of Tongiaki. It holds facts; what may be done in it and how that changes it is told elsewhere."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from engine.core import Game, State
from engine.tongiaki.board.board import TongiakiBoard
from engine.tongiaki.board.tiles import (
    SHIPS,
)
from engine.tongiaki.notation.moves import (
    TongiakiMove,
)  # fmt: skip


class Ending(StrEnum):
    """Why a game of Tongiaki was over (RULES 6)."""

    ISLANDS = "islands"
    WATERS = "waters"
    IDLE = "idle"


class Phase(StrEnum):
    """What the active player has to decide."""

    SETUP = "place"
    TURN = "turn"
    TAKEN = "taken"
    LAY = "lay"
    SETTLE = "settle"
    SAIL = "sail"
    LAND = "land"
    OVER = "over"


# The same phases for code that runs often: a name of the module is found faster than an enum's member.
SETUP: Final = Phase.SETUP
TURN: Final = Phase.TURN
TAKEN: Final = Phase.TAKEN
LAYING: Final = Phase.LAY
SETTLING: Final = Phase.SETTLE
SAILING: Final = Phase.SAIL
LANDING: Final = Phase.LAND
OVER: Final = Phase.OVER


class Position(State):
    """The facts of a position.

    ``board`` is what lies on the table, ``supply`` the ships each seat has in hand, ``deck`` the undrawn tiles with the next one last
    (in a view they are merely sorted), ``hand`` the tile drawn and to be laid, ``group`` the packed ships waiting to land on
    ``target``, ``taken_from`` the beach whose ship has been taken into the empty supply. ``moves`` keeps the legal moves once listed,
    ``drawn`` the legal move that was last drawn at random, which need not be checked again.
    """

    __slots__ = (
        "_game", "active", "board", "deck", "departures", "drawn", "ending", "group", "hand", "idle", "laid", "moves", "phase", "placed",
        "recolonising", "returned", "supply", "taken_from", "target",
    )  # fmt: skip

    def __init__(self, game: Game, players: int, deck: list[int], source: Position | None = None) -> None:
        """A first position, or one like the source that shares nothing with it that changes; the deck is then not looked at."""
        super().__init__(players)
        self._game = game
        self.drawn: TongiakiMove | None = None
        if source is None:
            self.moves: tuple[TongiakiMove, ...] | None = None
            self.board = TongiakiBoard()
            self.supply: list[int] = [SHIPS] * players
            self.deck = deck
            self.phase = SETUP
            self.active = 0
            self.placed = 0
            self.idle = 0
            self.laid = False
            self.departures = 0
            self.returned: dict[int, int] = {}
            self.taken_from = -1
            self.hand = -1
            self.recolonising = False
            self.group = 0
            self.target = -1
            self.ending: Ending | None = None
        else:
            self.events = source.events
            self.read_only = source.read_only
            self.moves = source.moves
            self.board = TongiakiBoard(source.board)
            self.supply = source.supply.copy()
            self.deck = source.deck.copy()
            self.phase = source.phase
            self.active = source.active
            self.placed = source.placed
            self.idle = source.idle
            self.laid = source.laid
            self.departures = source.departures
            self.returned = source.returned.copy()
            self.taken_from = source.taken_from
            self.hand = source.hand
            self.recolonising = source.recolonising
            self.group = source.group
            self.target = source.target
            self.ending = source.ending
