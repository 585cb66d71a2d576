"""Positions and moves of Tongiaki as arrays (docs/environments.md), which ``engine.tongiaki.observation`` writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from arena.environments.encoding import ActionIds, Array, Column, Encoder, Field
from engine.core import Game, Move, State, View
from engine.tongiaki.board.tiles import BERTHS, N_BEACHES, N_ISLANDS, N_TILES, POINTS, SHIPS
from engine.tongiaki.notation.moves import CROWNS, ENTERS, EXPANDS, PLACES, SAILS, SETTLES, TAKES, THE_PASS, THE_RECOLONISE, Kind
from engine.tongiaki.observation import MOST, ROW_HEAD, TongiakiPacker, pack, pack_moves, pack_rows
from engine.tongiaki.position import Ending, Phase

ACTIONS: Final = 1024
"""Enough for every decision: the most in half a million random games were 720 moves for a landing, and 90 otherwise."""
FARTHEST: Final = N_TILES - 1

_LISTED: Final[list[Move]] = [
    *PLACES,
    *(move for choices in EXPANDS for moves in choices[1:] for move in moves),
    *TAKES,
    THE_PASS,
    *CROWNS,
    THE_RECOLONISE,
    *(move for moves in ENTERS for move in moves),
    *SETTLES,
    *SAILS,
]
_ID_OF: Final = {move: number for number, move in enumerate(_LISTED)}
_SPAN: Final = 2 * FARTHEST + 1
_LAYS: Final = _SPAN * _SPAN * 6

MOST_BEACHES: Final = max(N_BEACHES)
PHASES: Final = tuple(Phase)
ENDINGS: Final = tuple(Ending)

_DECISION: Final = (
    Column("phase", 0, len(PHASES) - 1),
    Column("active", 0, 5),
    Column("hand", 0, N_TILES),
    Column("target", 0, N_TILES),
    Column("taken_from", 0, len(BERTHS)),
    Column("recolonising", 0, 1),
    Column("laid", 0, 1),
    Column("departures", 0, MOST),
    Column("idle", 0, MOST),
    Column("ending", 0, len(ENDINGS)),
)
SHIPS_AT: Final = ROW_HEAD
"""The first column of a move's ships: beach by beach, and on each beach seat by seat."""


class TongiakiIds(ActionIds):
    """Moves without ships by kind, island and beaches or side; then tiles by cell and orientation, and landings by place in the list."""

    name = "tongiaki"
    count = len(_LISTED) + _LAYS + ACTIONS

    def of(self, state: State) -> list[int]:
        """Return the ids of the legal moves; of a landing with more than ``ACTIONS``, those of the first."""
        moves: Sequence[Any] = state.list_moves()
        first = len(_LISTED)
        if moves and moves[0].code == Kind.LAY:
            places = [move.numbers for move in moves]
            return [first + ((q + FARTHEST) * _SPAN + r + FARTHEST) * 6 + orientation for q, r, orientation in places]
        if moves and moves[0].code == Kind.LAND:
            return list(range(first + _LAYS, first + _LAYS + min(len(moves), ACTIONS)))
        return [_ID_OF[move] for move in moves]


class TongiakiEncoder(Encoder):
    """Tongiaki for a number of players."""

    actions = ACTIONS
    row_type = np.int8

    def __init__(self, players: int) -> None:
        self.columns = (
            Column("kind", 0, len(Kind)),
            Column("island", 0, N_ISLANDS),
            Column("points", 0, max(POINTS)),
            Column("q", -FARTHEST, FARTHEST),
            Column("r", -FARTHEST, FARTHEST),
            Column("orientation", 0, 5),
            Column("side", 0, 6),
            *(Column(f"ships_{beach}_{seat}", -1, max(BERTHS)) for beach in range(MOST_BEACHES) for seat in range(players)),
        )
        columns = [(0, 1), (-FARTHEST, FARTHEST), (-FARTHEST, FARTHEST), (0, 5), (0, players)]
        low, high = [column[0] for column in columns], [column[1] for column in columns]
        self.fields = {
            "tiles": Field((N_TILES, 5), np.int8, low, high),
            "ships": Field((len(BERTHS), players), np.int8, 0, max(BERTHS)),
            "stranded": Field((N_TILES - N_ISLANDS, players), np.int8, 0, SHIPS),
            "seats": Field((players, 4), np.int8, 0, [SHIPS, sum(POINTS), N_ISLANDS, N_ISLANDS]),
            "unseen": Field((N_TILES,), np.int8, 0, 1),
            "group": Field((players,), np.int8, 0, SHIPS),
            "returned": Field((N_ISLANDS,), np.int8, 0, MOST),
            "decision": Field((len(_DECISION),), np.int8, [c.low for c in _DECISION], [c.high for c in _DECISION]),
        }

    def action_ids(self) -> TongiakiIds:
        """Return the ids of moves."""
        return TongiakiIds()

    def pack(self, state: State, seat: int) -> bytes:
        """Return the arrays of ``fields`` as bytes."""
        return pack(state, seat)

    def packer(self) -> TongiakiPacker:
        """Return a packer of many states at once."""
        return TongiakiPacker()

    def pack_rows(self, state: State, seat: int) -> bytes:
        """Return the rows of the seat's legal moves as bytes."""
        return pack_rows(state, seat, self.actions)

    def rows(self, view: View[State], moves: Sequence[Move]) -> Array:
        """Return a row for each of the moves."""
        packed = pack_moves(view.position, view.seat, moves)
        return np.ndarray((len(moves), len(self.columns)), self.row_type, bytearray(packed))


def encoder(game: Game, players: int) -> TongiakiEncoder:
    """Return the encoder that the game's plug-in offers."""
    return TongiakiEncoder(players)
