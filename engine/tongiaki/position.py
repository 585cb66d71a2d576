"""The data of a Tongiaki position, and its hash key. ``rules.legal`` lists its legal moves; ``rules.apply`` plays them."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from mypy_extensions import i64

from engine.core import Game, State
from engine.core.rng import KEY_MASK, random_factors
from engine.tongiaki.board.board import TongiakiBoard
from engine.tongiaki.board.tiles import BERTHS, N_ISLANDS, N_TILES, SHIPS
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


# The same phases for code that runs often: a module's name is looked up faster than an enum member.
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

    - ``supply``: the number of each seat's ships that are not on the ``board``
    - ``deck``: the undrawn tiles, with the next tile last (sorted in a view)
    - ``hand``: the drawn tile that has not been laid yet, or -1
    - ``group``, ``target``: the packed ships about to land (or 0), and the island that they land on or that is to be settled (or -1)
    - ``taken_from``: the beach from which the active seat took a ship because its supply was empty, or -1
    - ``placed``, ``idle``: how many ships have been placed during set-up, and how many turns have passed without a new tile
    - ``laid``, ``departures``, ``returned``: in this turn, whether a tile was laid, how many groups left, how many returned to each island
    - ``moves``, ``drawn``: the cached legal moves, and the last move drawn at random, which need not be checked again
    """

    __slots__ = (
        "_game", "active", "board", "deck", "departures", "drawn", "ending", "group", "hand", "idle", "laid", "moves", "phase", "placed",
        "recolonising", "returned", "supply", "taken_from", "target",
    )  # fmt: skip

    def __init__(self, game: Game, players: int, deck: list[int], source: Position | None = None) -> None:
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


_MASK: Final[i64] = KEY_MASK
_PHASE: Final = {phase: number for number, phase in enumerate(Phase)}
_ENDING: Final = {ending: number for number, ending in enumerate(Ending, start=1)}

# The bits of a factor and of the largest value that it is multiplied by add up to 60.
_TILE: Final = random_factors(N_TILES, 43, 1)
_BEACH: Final = random_factors(len(BERTHS), 36, 2)
_ROYAL: Final = random_factors(N_ISLANDS, 57, 3)
_STRANDED: Final = random_factors(N_TILES, 36, 4)
_RETURNED: Final = random_factors(N_ISLANDS, 40, 5)
_ORDER: Final = random_factors(N_ISLANDS * N_ISLANDS, 60, 6)
"""At ``16 * index + island``: the number for an island that was laid as number ``index``."""
_DECK: Final = random_factors(N_TILES * N_TILES, 60, 7)
"""At ``32 * index + tile``: the number for a tile at place ``index`` of the deck."""


def key_of(state: Position) -> int:
    """Return the key of a position; see ``State.key``."""
    ending = state.ending
    return hash(
        (
            _table(state.board),
            _deck(state.deck),
            state.players,
            state.active,
            _PHASE[state.phase],
            _decision(state),
            state.idle,
            state.departures,
            state.laid,
            _returned(state.returned) if state.returned else 0,
            0 if ending is None else _ENDING[ending],
            state.read_only,
        )
    )


def _table(board: TongiakiBoard) -> int:
    """Return the part of the key for the board, including the order in which its islands were laid."""
    total: i64 = 0
    where = board.where
    turned = board.turned
    royal = board.royal
    for tile in range(N_TILES):
        cell: i64 = where[tile]
        if cell >= 0:
            orientation: i64 = turned[tile]
            factor: i64 = _TILE[tile]
            total = (total + (6 * cell + orientation + 1) * factor) & _MASK
    for beach, ships in enumerate(board.packed):
        if ships:
            packed: i64 = ships
            berth: i64 = _BEACH[beach]
            total = (total + packed * berth) & _MASK
    for index, island in enumerate(board.islands):
        placed: i64 = _ORDER[N_ISLANDS * index + island]
        seat: i64 = royal[island]
        crown: i64 = _ROYAL[island]
        total = (total + placed + (seat + 1) * crown) & _MASK
    for water, group in board.stranded.items():
        left: i64 = group
        buoy: i64 = _STRANDED[water]
        total = (total + left * buoy) & _MASK
    return total


def _deck(deck: list[int]) -> int:
    total: i64 = 0
    for index, tile in enumerate(deck):
        factor: i64 = _DECK[N_TILES * index + tile]
        total = (total + factor) & _MASK
    return total


def _returned(returned: dict[int, int]) -> int:
    total: i64 = 0
    for island, times in returned.items():
        number: i64 = times
        factor: i64 = _RETURNED[island]
        total = (total + (number + 1) * factor) & _MASK
    return total


def _decision(state: Position) -> int:
    phase = state.phase
    if phase is LAYING:
        return 2 * state.hand + state.recolonising
    if phase is LANDING:
        return N_ISLANDS * state.group + state.target
    if phase is SETTLING:
        return state.target
    if phase is TAKEN:
        return state.taken_from
    return 0
