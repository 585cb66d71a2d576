"""A second encoder of Sunda to Sahul, written with numpy and dictionaries of the engine: what the fast one is compared with."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.environments.encoding import Array, Encoder
from arena.environments.sunda import CHANNELS, ENDINGS, SundaEncoder
from engine.core import Game, Move, State, View
from engine.sunda.board.board import CLOSED, SundaBoard
from engine.sunda.board.tiles import N_TILES, PATTERN_OF_TILE, WATER
from engine.sunda.board.trigrid import SPAN, WEDGES, x_of, y_of
from engine.sunda.game import SundaGame
from engine.sunda.move_rows import LARGEST
from engine.sunda.notation.moves import CHALLENGE, CLAIM, JOIN, LAKE, PLACE, RAID, RESOURCE, SEIZE, SHIFT, START, SundaMove
from engine.sunda.observation import WINDOW
from engine.sunda.options import SundaOptions
from engine.sunda.position import ANSWER, MEND, RESOURCE_RIGHT, STRIKE_BACK, Position
from engine.sunda.state import SundaState

_WATER_AT: Final = np.array([[pattern >> (7 - corner) & 1 == WATER for corner in range(4)] for pattern in PATTERN_OF_TILE])
"""At ``[tile, corner]``: whether it is water there, corners counted as the tile's id does."""
_UNIT: Final = np.array([(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)])
_CORNERS: Final = np.array([[(0, 0), _UNIT[d], _UNIT[d] + _UNIT[(d + 1) % 6], _UNIT[(d + 1) % 6]] for d in range(6)])
"""At ``[d, corner]``: x and y of a placement's corner, less those of its vertex (RULES 2)."""
_WEDGES: Final = np.array(WEDGES, np.int8)
_MARGIN: Final = 3
"""How far beyond the table there is room on a sheet: a tile that shares a side reaches at most two units beyond it."""


_kind = attrgetter("kind")
_first = attrgetter("first")
_second = attrgetter("second")


def _xs_ys(vertices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The coordinates of vertices."""
    xs = (vertices + SPAN // 2) // SPAN
    return xs, vertices - xs * SPAN


class _Sheet:
    """The table as layers of vertices: the window, or more where the table and a margin need it. ``[layer, x - left, y - bottom]``."""

    def __init__(self, board: SundaBoard) -> None:
        xs, ys = _xs_ys(np.array(list(board.wedges), np.int64))
        if not len(xs):
            xs = ys = np.zeros(1, np.int64)
        low_x, high_x, low_y, high_y = int(xs.min()), int(xs.max()), int(ys.min()), int(ys.max())
        span = max(WINDOW, high_x - low_x + 2 * _MARGIN, high_y - low_y + 2 * _MARGIN)
        self._spare = (span - WINDOW) // 2
        self.left = (low_x + high_x) // 2 - span // 2
        self.bottom = (low_y + high_y) // 2 - span // 2
        self.layers = np.zeros((len(CHANNELS), span, span), np.int8)
        self._draw_table(board, xs - self.left, ys - self.bottom)

    def _draw_table(self, board: SundaBoard, columns: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        if not board.wedges:
            return
        still_open, name, types = board.islands.open, board.islands.name, board.types
        self.layers[0, columns, rows] = list(board.wedges.values())
        self.layers[1, columns, rows] = [types[vertex] + 1 for vertex in board.wedges]
        self.layers[4, columns, rows] = [still_open[name[vertex]] == 0 for vertex in board.wedges]
        triangles = np.array(list(board.spots.cover), np.int64)
        xs, ys = _xs_ys(triangles // 2)
        self.layers[2 + triangles % 2, xs - self.left, ys - self.bottom] = 1

    def put(self, layer: int, vertex: int, value: int) -> None:
        """Write a value at a vertex of the table."""
        self.layers[layer, x_of(vertex) - self.left, y_of(vertex) - self.bottom] = value

    def window(self) -> tuple[NDArray[np.int8], tuple[int, int]]:
        """The layers of the window in the middle, and the coordinates of its first cell."""
        spare = self._spare
        cut = self.layers[:, spare : spare + WINDOW, spare : spare + WINDOW].copy() if spare else self.layers
        return cut, (self.left + spare, self.bottom + spare)

    def closing(self, tiles: NDArray[np.int64], placements: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many land and how many water vertices each placement of a tile would close, before any shift: (placements, 2)."""
        xs, ys = _xs_ys(placements // 6)
        corners = _CORNERS[placements % 6]
        covered = self.layers[0, xs[:, None] - self.left + corners[:, :, 0], ys[:, None] - self.bottom + corners[:, :, 1]]
        closes = covered + _WEDGES == CLOSED
        is_water = _WATER_AT[tiles]
        water = (closes & is_water).sum(1)
        return np.stack((closes.sum(1) - water, water), 1)


class ReferenceEncoder(Encoder):
    """Sunda to Sahul with these options for so many players: the arrays that ``SundaEncoder`` declares."""

    row_type = SundaEncoder.row_type

    def __init__(self, players: int, options: SundaOptions) -> None:
        declared = SundaEncoder(players, options)
        self._players = players
        self._last: tuple[View[State], _Sheet] | None = None
        self._is_private = options.is_private
        self.actions, self.columns, self.fields = declared.actions, declared.columns, declared.fields

    def position(self, view: View[State]) -> dict[str, Array]:
        """Return the arrays of ``fields``."""
        state = view.position
        assert isinstance(state, SundaState)
        p = state.inside
        sheet = self._sheet_of(view, p)
        self._draw(sheet, p, view.seat)
        grid, origin = sheet.window()
        choices = np.zeros((self._players, len(self.columns)), np.int16)
        for seat, choice in enumerate(p.choices):
            if choice is not None and choice.kind >= 0:
                choices[self._relative(seat, view.seat)] = self.rows(view, [choice])[0]
        markers = np.zeros((6, 3), np.int16)
        for number, (value, vertex) in enumerate(sorted(p.claims.markers)):
            markers[number] = (min(value, LARGEST), x_of(vertex), y_of(vertex))
        supply = np.zeros(6, np.int16)
        supply[: len(p.claims.supply)] = [min(value, LARGEST) for value in p.claims.supply]
        return {
            "grid": grid,
            "origin": np.array(origin, np.int16),
            "tiles": self._tiles(p, view.seat),
            "seats": self._seats(p, state.points, view.seat),
            "markers": markers,
            "supply": supply,
            "choices": choices,
            "decision": self._decision(p, view.seat),
        }

    def _sheet_of(self, view: View[State], p: Position) -> _Sheet:
        """The sheet of the view, made once: the position and its moves both need it."""
        if self._last is None or self._last[0] is not view:
            self._last = (view, _Sheet(p.board))
        return self._last[1]

    def _draw(self, sheet: _Sheet, p: Position, viewer: int) -> None:
        """Fill the layers that show what players have done."""
        if p.alone:
            return
        for lake, owner in p.claims.lakes.items():
            sheet.put(5, lake, self._relative(owner, viewer) + 1)
        for layer, vertices in ((6, p.nodes), (7, p.refused), (8, p.lakes)):
            for vertex in vertices:
                sheet.put(layer, vertex, 1)
        if p.phase in {ANSWER, RESOURCE_RIGHT}:
            sheet.put(9, p.focus, 1)
        for vertex, tribe in p.claims.tribes.items():
            for height, seat in enumerate(tribe):
                sheet.put(10 + height, vertex, self._relative(seat, viewer) + 1)

    def _tiles(self, p: Position, viewer: int) -> Array:
        tiles = np.zeros((N_TILES, 4), np.int16)
        pots = np.array(p.pots.pot_of)
        tiles[:, 0] = np.where(pots < 0, 0, (pots - viewer) % self._players + 1 if self._is_private else 1)
        laid = list(p.board.lies)
        places = np.array(list(p.board.lies.values()), np.int64)
        xs, ys = _xs_ys(places // 6)
        tiles[laid, 1:] = np.stack((xs, ys, places % 6), 1)
        return tiles

    def _seats(self, p: Position, points: Sequence[int], viewer: int) -> Array:
        rows = []
        for step in range(self._players):
            seat = (viewer + step) % self._players
            in_queue = p.queue.index(seat) + 1 if seat in p.queue else 0
            numbers = (p.claims.tokens[seat], min(points[seat], LARGEST), p.raids[seat], p.pots.sizes[p.pot(seat)])
            rows.append((*numbers, p.choices[seat] is not None, in_queue))
        return np.array(rows, np.int16)

    def _decision(self, p: Position, viewer: int) -> Array:
        strikes = p.phase == STRIKE_BACK
        numbers = (
            p.phase,
            self._relative(p.seat, viewer),
            p.step,
            p.agreed,
            p.rights,
            p.has_claimed,
            p.newest + 1 if p.phase == MEND else 0,
            self._relative(p.victim, viewer) + 1 if strikes else 0,
            p.stolen + 1 if strikes else 0,
            0 if p.ending is None else ENDINGS.index(p.ending) + 1,
        )
        return np.array(numbers, np.int16)

    def _relative(self, seat: int, viewer: int) -> int:
        return (seat - viewer) % self._players

    def rows(self, view: View[State], moves: Sequence[Move]) -> Array:
        """Return a row for each of the moves."""
        state = view.position
        assert isinstance(state, SundaState)
        rows = np.zeros((len(moves), len(self.columns)), np.int16)
        number = bisect_right(moves, PLACE, key=_kind) - bisect_left(moves, PLACE, key=_kind)  # they come first, or there are none
        if number:
            tiles = np.fromiter(map(_first, moves), np.int64, number)
            placements = np.fromiter(map(_second, moves), np.int64, number)
            rows[:number, 0] = PLACE + 1
            rows[:number, 1] = tiles + 1
            rows[:number, 4], rows[:number, 5] = _xs_ys(placements // 6)
            rows[:number, 6] = placements % 6
            rows[:number, 11:] = self._sheet_of(view, state.inside).closing(tiles, placements)
        for index in range(number, len(moves)):
            rows[index] = self._row(moves[index], view.seat)
        return rows

    def _row(self, move: Move, viewer: int) -> list[int]:
        """The row of a move that lays no tile from a pot."""
        assert isinstance(move, SundaMove)
        kind, first, second = move.kind, move.first, move.second
        row = [0] * len(self.columns)
        row[0] = kind + 1
        if kind in {START, RAID, SEIZE}:
            row[1] = first + 1
        if kind == SEIZE:
            row[2] = second + 1
        elif kind == RAID:
            row[3] = self._relative(second, viewer)
        elif kind == SHIFT:
            row[4:7] = _place(second)
            row[7:10] = _place(first)
        elif kind in {CLAIM, JOIN, LAKE, CHALLENGE}:
            row[4:6] = x_of(first), y_of(first)
            if kind == CHALLENGE:
                row[7:9] = x_of(second), y_of(second)
        elif kind == RESOURCE:
            row[4:6] = x_of(second), y_of(second)
            row[10] = min(first, LARGEST)
        return row


def _place(placement: int) -> tuple[int, int, int]:
    """A placement as x, y and d."""
    return x_of(placement // 6), y_of(placement // 6), placement % 6


def encoder(game: Game, players: int) -> ReferenceEncoder:
    """Return the encoder that the game's plug-in offers."""
    assert isinstance(game, SundaGame)
    return ReferenceEncoder(players, game.settings)
