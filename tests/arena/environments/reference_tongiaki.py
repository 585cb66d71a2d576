"""Tongiaki's arrays made from a view with numpy, simply and slowly: what the engine's bytes are compared with."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

import numpy as np

from arena.environments.encoding import Array, Column, Encoder, Field
from engine.core import Move, State, View
from engine.tongiaki.board.tiles import BERTHS, ISLANDS, N_BEACHES, N_ISLANDS, N_TILES, POINTS, SHIPS, TONGA
from engine.tongiaki.notation.moves import LAND, LAY, PASS, PLACE, RECOLONISE, SAIL, SETTLE, TAKE, Kind, TongiakiMove
from engine.tongiaki.observation import MOST
from engine.tongiaki.position import Ending, Phase
from engine.tongiaki.state import TongiakiState

ACTIONS: Final = 1024
"""Room for every decision: the most in half a million random games were the 720 moves of a landing, else 90."""

FARTHEST: Final = N_TILES - 1
MOST_BEACHES: Final = max(N_BEACHES)
PHASES: Final = tuple(Phase)
ENDINGS: Final = tuple(Ending)

_PHASE_NUMBER: Final = {phase: number for number, phase in enumerate(PHASES)}
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
DECISION: Final = tuple(column.name for column in _DECISION)
"""What the array ``decision`` holds."""

SHIPS_AT: Final = 7
"""The first column of a move's ships: beach by beach, and on each beach seat by seat."""


class ReferenceEncoder(Encoder):
    """Tongiaki for so many players."""

    actions = ACTIONS
    row_type = np.int8

    def __init__(self, players: int) -> None:
        self._players = players
        self._known: dict[Move, bytes] = {}
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

    def position(self, view: View[State]) -> dict[str, Array]:
        """Return the arrays of ``fields``."""
        state = view.position
        assert isinstance(state, TongiakiState)
        board = state.board
        order = [(view.seat + step) % self._players for step in range(self._players)]
        where = np.array(board.where, np.int16)
        is_laid = where >= 0
        royal = [0 if king < 0 else self._relative(king, view.seat) + 1 for king in board.royal]
        tiles = np.zeros((N_TILES, 5), np.int8)
        tiles[:, 0] = is_laid
        tiles[:, 1] = where // 128 - 64  # as engine.tongiaki.board.board.coordinates has it
        tiles[:, 2] = where % 128 - 64
        tiles[:, 3] = board.turned
        tiles[:N_ISLANDS, 4] = royal
        tiles *= is_laid[:, None]
        shifts = np.array([4 * seat for seat in order], np.int64)
        stranded = np.zeros(N_TILES - N_ISLANDS, np.int64)
        for tile, packed in board.stranded.items():
            stranded[tile - N_ISLANDS] = packed
        seats = [(state.supply[seat], board.points(seat), board.islands_held(seat), board.royals(seat)) for seat in order]
        unseen = np.zeros(N_TILES, np.int8)
        unseen[state.deck] = 1
        returned = np.zeros(N_ISLANDS, np.int8)
        for island, times in state.returned.items():
            returned[island] = min(times, MOST)
        return {
            "tiles": tiles,
            "ships": (np.array(board.packed, np.int64)[:, None] >> shifts & 15).astype(np.int8),
            "stranded": (stranded[:, None] >> shifts & 15).astype(np.int8),
            "seats": np.array(seats, np.int8),
            "unseen": unseen,
            "group": np.array([state.group >> 4 * seat & 15 for seat in order], np.int8),
            "returned": returned,
            "decision": self._decision(state, view.seat),
        }

    def _decision(self, state: TongiakiState, seat: int) -> Array:
        numbers = (
            _PHASE_NUMBER[state.phase],
            self._relative(state.active, seat),
            state.hand + 1,
            state.target + 1,
            state.taken_from + 1,
            state.recolonising,
            state.laid,
            min(state.departures, MOST),
            min(state.idle, MOST),
            0 if state.ending is None else ENDINGS.index(state.ending) + 1,
        )
        return np.array(numbers, np.int8)

    def _relative(self, seat: int, viewer: int) -> int:
        return (seat - viewer) % self._players

    def rows(self, view: View[State], moves: Sequence[Move]) -> Array:
        """Return a row for each of the moves."""
        state = view.position
        assert isinstance(state, TongiakiState)
        written = [self._known.get(move) or self._written(move, state.target, view.seat) for move in moves]
        return np.frombuffer(b"".join(written), np.int8).reshape(len(moves), len(self.columns))

    def _written(self, move: Move, target: int, seat: int) -> bytes:
        """The row as bytes, kept where it is the same in every position: most moves come again and again."""
        assert isinstance(move, TongiakiMove)
        row = array("b", self._row(move, target, seat)).tobytes()
        if move.code not in {SETTLE, LAND}:
            self._known[move] = row
        return row

    def _row(self, move: TongiakiMove, target: int, seat: int) -> list[int]:
        code = move.code
        row = [0] * len(self.columns)
        row[0] = code + 1
        if code == LAY:
            row[3:6] = move.numbers
            return row
        if code in {PASS, RECOLONISE}:
            return row
        island = TONGA if code == PLACE else target if code in {SETTLE, LAND} else move.island
        row[1] = island + 1
        row[2] = ISLANDS[island].points
        if code == SAIL:
            row[6] = move.numbers[0] + 1
        elif code == LAND:
            for beach, seats in move.ships:
                for ship in seats:
                    row[SHIPS_AT + beach * self._players + self._relative(ship, seat)] += 1
        else:
            for beach in move.numbers:
                row[SHIPS_AT + beach * self._players] += -1 if code == TAKE else 1
        return row
