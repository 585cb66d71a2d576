"""The data of a position of Tongiaki. Which moves are legal in it is up to its phase (``state``); ``rules.apply`` plays them."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from engine.core import Game, State
from engine.tongiaki.board.board import TongiakiBoard
from engine.tongiaki.board.tiles import SHIPS
from engine.tongiaki.notation.moves import TongiakiMove


class Ending(StrEnum):
    """Why a game of Tongiaki ended (RULES 6)."""

    ISLANDS = "islands"
    WATERS = "waters"
    IDLE = "idle"


class Phase(StrEnum):
    """What the active seat has to decide."""

    SETUP = "place"
    TURN = "turn"
    TAKEN = "taken"
    LAY = "lay"
    SETTLE = "settle"
    SAIL = "sail"
    LAND = "land"
    OVER = "over"


# The same phases for code that runs often: a module's name is looked up faster than an enum's member.
SETUP: Final = Phase.SETUP
TURN: Final = Phase.TURN
TAKEN: Final = Phase.TAKEN
LAYING: Final = Phase.LAY
SETTLING: Final = Phase.SETTLE
SAILING: Final = Phase.SAIL
LANDING: Final = Phase.LAND
OVER: Final = Phase.OVER


class Position(State):
    """The data of a position.

    ``board`` is the table, ``supply`` the ships of each seat that are not on it, ``deck`` the undrawn tiles with the next one last
    (sorted in a view). ``hand`` is the tile drawn and still to be laid, ``group`` the packed ships about to land on ``target``,
    ``taken_from`` the beach whose ship was taken because the supply was empty; each is -1 or 0 when there is none. ``placed`` counts the
    ships of the set-up, ``idle`` the turns without a new tile; ``laid``, ``departures`` and ``returned`` (returning departures by island)
    are those of this turn. ``moves`` caches the legal moves, ``drawn`` the move last drawn at random, which need not be checked again.
    """

    __slots__ = (
        "_game", "active", "board", "deck", "departures", "drawn", "ending", "group", "hand", "idle", "laid", "moves", "phase", "placed",
        "recolonising", "returned", "supply", "taken_from", "target",
    )  # fmt: skip

    def __init__(self, game: Game, players: int, deck: list[int], source: Position | None = None) -> None:
        """A first position with this deck, or an independent copy of the source, which has a deck of its own."""
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
