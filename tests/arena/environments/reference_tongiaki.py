"""Tongiaki's arrays made from a view with numpy, simply and slowly: what the engine's bytes are compared with."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from arena.environments.encoding import Array, Encoder
from arena.environments.tongiaki import ENDINGS, PHASES, SHIPS_AT, TongiakiEncoder
from engine.core import Move, State, View
from engine.tongiaki.board.tiles import ISLANDS, N_ISLANDS, N_TILES, TONGA
from engine.tongiaki.notation.moves import LAND, LAY, PASS, PLACE, RECOLONISE, SAIL, SETTLE, TAKE, TongiakiMove
from engine.tongiaki.observation import MOST
from engine.tongiaki.state import TongiakiState


class ReferenceEncoder(Encoder):
    """Tongiaki for so many players: the arrays that ``TongiakiEncoder`` declares."""

    row_type = TongiakiEncoder.row_type

    def __init__(self, players: int) -> None:
        declared = TongiakiEncoder(players)
        self._players = players
        self._known: dict[Move, bytes] = {}
        self.actions, self.columns, self.fields = declared.actions, declared.columns, declared.fields

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
            PHASES.index(state.phase),
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
