"""Positions and moves of Sunda to Sahul as arrays (docs/environments.md). It plays nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.environments.encoding import Array, Column, Encoder, Field
from engine.core import Move, State, View
from engine.sunda.board import Board
from engine.sunda.claims import TOKENS, TRIBE_SIZE
from engine.sunda.moves import CHALLENGE, CLAIM, JOIN, KIND_WORDS, LAKE, PLACE, RAID, RESOURCE, SEIZE, SHIFT, START, SundaMove
from engine.sunda.options import SundaOptions
from engine.sunda.position import ANSWER, MAX_RAIDS, MEND, PHASE_WORDS, RESOURCE_RIGHT, STRIKE_BACK, Ending, Position
from engine.sunda.state import SundaState
from engine.sunda.tiles import N_TILES, PATTERN_OF_TILE, WATER
from engine.sunda.trigrid import REACH, SPAN, WEDGES

ACTIONS: Final = 2560
"""Room for every decision of thousands of random games in turns; docs/environments.md has the figures."""
TICK_ACTIONS: Final = 3328
"""The same for simultaneous play: two tiles to be seized out of a pot of at most 78 (68 dealt, ten raids suffered) are 3,003 moves."""

WINDOW: Final = 48
"""Vertices along each edge of the grid."""
LARGEST: Final = 32767
"""Where values that have no bound in the rules are cut off."""

CHANNELS: Final = (
    "wedges", "type", "up", "down", "complete", "lake", "node", "refused", "lake_right", "focus",
    *(f"token_{height}" for height in range(TRIBE_SIZE)),
)  # fmt: skip
"""What the layers of the grid hold."""
ENDINGS: Final = tuple(Ending)

_COLUMNS: Final = (
    Column("kind", 0, len(KIND_WORDS)),
    Column("tile", 0, N_TILES),
    Column("tile2", 0, N_TILES),
    Column("seat", 0, 3),
    Column("x", -REACH, REACH),
    Column("y", -REACH, REACH),
    Column("d", 0, 5),
    Column("x2", -REACH, REACH),
    Column("y2", -REACH, REACH),
    Column("d2", 0, 5),
    Column("value", 0, LARGEST),
    Column("closes_land", 0, 4),
    Column("closes_water", 0, 4),
)
_DECISION: Final = (
    Column("phase", 0, len(PHASE_WORDS) - 1),
    Column("turn", 0, 3),
    Column("step", 0, 1),
    Column("agreed", 0, 4),
    Column("rights", 0, 2),
    Column("claimed", 0, 1),
    Column("newest", 0, N_TILES),
    Column("victim", 0, 4),
    Column("stolen", 0, N_TILES),
    Column("ending", 0, len(ENDINGS)),
)
_SEATS: Final = (
    Column("tokens", 0, max(TOKENS)),
    Column("points", 0, LARGEST),
    Column("raids", 0, MAX_RAIDS),
    Column("pot", 0, N_TILES),
    Column("chosen", 0, 1),
    Column("queue", 0, 4),
)
DECISION: Final = tuple(column.name for column in _DECISION)
"""What the array ``decision`` holds."""
SEATS: Final = tuple(column.name for column in _SEATS)
"""What the columns of the array ``seats`` hold."""


def _columns(columns: Sequence[Column], *rows: int) -> Field:
    return Field((*rows, len(columns)), np.int16, [column.low for column in columns], [column.high for column in columns])


_WATER_AT: Final = np.array([[pattern >> (7 - corner) & 1 == WATER for corner in range(4)] for pattern in PATTERN_OF_TILE])
"""At ``[tile, corner]``: whether it is water there, corners counted as the tile's id does."""
_UNIT: Final = np.array([(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)])
_CORNERS: Final = np.array([[(0, 0), _UNIT[d], _UNIT[d] + _UNIT[(d + 1) % 6], _UNIT[(d + 1) % 6]] for d in range(6)])
"""At ``[d, corner]``: x and y of a placement's corner, less those of its vertex (RULES 2)."""
_WEDGES: Final = np.array(WEDGES)


def _xs_ys(vertices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The coordinates of vertices."""
    xs = (vertices + SPAN // 2) // SPAN
    return xs, vertices - xs * SPAN


class _Grid(NamedTuple):
    """The window on the table: its layers, and the coordinates of its first cell."""

    layers: NDArray[np.int8]
    left: int
    bottom: int

    def put(self, layer: int, vertices: Sequence[int], values: Sequence[int] | int) -> None:
        """Write values at vertices; what lies outside of the window is left out."""
        xs, ys = _xs_ys(np.array(vertices, np.int64))
        xs -= self.left
        ys -= self.bottom
        inside = (xs >= 0) & (xs < WINDOW) & (ys >= 0) & (ys < WINDOW)
        if inside.all():
            self.layers[layer, xs, ys] = values
        else:
            self.layers[layer, xs[inside], ys[inside]] = values if isinstance(values, int) else np.array(values)[inside]


class SundaEncoder(Encoder):
    """Sunda to Sahul with these options for so many players."""

    columns = _COLUMNS
    row_type = np.int16

    def __init__(self, players: int, options: SundaOptions) -> None:
        self._players = players
        self._is_private = options.is_private
        self.actions = TICK_ACTIONS if options.is_simultaneous else ACTIONS
        self.fields = {
            "grid": Field((len(CHANNELS), WINDOW, WINDOW), np.int8, 0, 6),
            "origin": Field((2,), np.int16, -REACH, REACH),
            "tiles": Field((N_TILES, 4), np.int16, [0, -REACH, -REACH, 0], [players, REACH, REACH, 5]),
            "seats": _columns(_SEATS, players),
            "markers": Field((6, 3), np.int16, [0, -REACH, -REACH], [LARGEST, REACH, REACH]),
            "supply": Field((6,), np.int16, 0, LARGEST),
            "choices": _columns(_COLUMNS, players),
            "decision": _columns(_DECISION),
        }

    def position(self, view: View[State]) -> dict[str, Array]:
        """The arrays of ``fields``."""
        state = view.position
        assert isinstance(state, SundaState)
        p = state.inside
        grid = _window(p.board)
        self._draw(grid, p, view.seat)
        choices = np.zeros((self._players, len(_COLUMNS)), np.int16)
        for seat, choice in enumerate(p.choices):
            if choice is not None and choice.kind >= 0:
                choices[self._relative(seat, view.seat)] = self.rows(view, [choice])[0]
        markers = np.zeros((6, 3), np.int16)
        for number, (value, vertex) in enumerate(sorted(p.claims.markers)):
            x, y = _xs_ys(np.array(vertex))
            markers[number] = (min(value, LARGEST), x, y)
        supply = np.zeros(6, np.int16)
        supply[: len(p.claims.supply)] = [min(value, LARGEST) for value in p.claims.supply]
        return {
            "grid": grid.layers,
            "origin": np.array((grid.left, grid.bottom), np.int16),
            "tiles": self._tiles(p, view.seat),
            "seats": self._seats(p, state.points, view.seat),
            "markers": markers,
            "supply": supply,
            "choices": choices,
            "decision": self._decision(p, view.seat),
        }

    def _draw(self, grid: _Grid, p: Position, viewer: int) -> None:
        """Fill the layers of the grid."""
        board, claims = p.board, p.claims
        vertices = list(board.wedges)
        grid.put(0, vertices, list(board.wedges.values()))
        grid.put(1, vertices, [board.types[vertex] + 1 for vertex in vertices])
        cover = list(board.spots.cover)
        grid.put(2, [triangle // 2 for triangle in cover if triangle % 2 == 0], 1)
        grid.put(3, [triangle // 2 for triangle in cover if triangle % 2], 1)
        still_open, name = board.islands.open, board.islands.name
        grid.put(4, [vertex for vertex in vertices if still_open[name[vertex]] == 0], 1)
        if p.alone:
            return
        grid.put(5, list(claims.lakes), [self._relative(owner, viewer) + 1 for owner in claims.lakes.values()])
        grid.put(6, p.nodes, 1)
        grid.put(7, p.refused, 1)
        grid.put(8, p.lakes, 1)
        if p.phase in {ANSWER, RESOURCE_RIGHT}:
            grid.put(9, [p.focus], 1)
        for height in range(TRIBE_SIZE):
            tribes = {vertex: tribe[height] for vertex, tribe in claims.tribes.items() if len(tribe) > height}
            if not tribes:
                break
            grid.put(10 + height, list(tribes), [self._relative(seat, viewer) + 1 for seat in tribes.values()])

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
        """A row for each of the moves."""
        state = view.position
        assert isinstance(state, SundaState)
        chosen: list[SundaMove] = moves  # type: ignore[assignment]  # all moves of this game are of this class
        kinds = np.array([move.kind for move in chosen], np.int64)
        first = np.array([move.first for move in chosen], np.int64)
        second = np.array([move.second for move in chosen], np.int64)
        rows = np.zeros((len(moves), len(_COLUMNS)), np.int16)
        rows[:, 0] = kinds + 1
        for kind in np.unique(kinds):
            self._describe(rows, np.flatnonzero(kinds == kind), int(kind), first, second, view.seat)
        places = np.flatnonzero(kinds == PLACE)
        if len(places):
            rows[places, 11:] = _closing(state.inside.board, first[places], second[places])
        return rows

    def _describe(
        self, rows: NDArray[np.int16], of: NDArray[np.int64], kind: int, first: NDArray[np.int64], second: NDArray[np.int64], viewer: int
    ) -> None:
        """Fill the columns of the moves of one kind, which are those with the indexes ``of``."""
        one, other = first[of], second[of]
        if kind in {START, PLACE, RAID, SEIZE}:
            rows[of, 1] = one + 1
        if kind == SEIZE:
            rows[of, 2] = other + 1
        elif kind == RAID:
            rows[of, 3] = (other - viewer) % self._players
        elif kind == PLACE:
            _write_place(rows, of, 4, other)
        elif kind == SHIFT:
            _write_place(rows, of, 4, other)
            _write_place(rows, of, 7, one)
        elif kind in {CLAIM, JOIN, LAKE, CHALLENGE}:
            rows[of, 4], rows[of, 5] = _xs_ys(one)
            if kind == CHALLENGE:
                rows[of, 7], rows[of, 8] = _xs_ys(other)
        elif kind == RESOURCE:
            rows[of, 10] = np.minimum(one, LARGEST)
            rows[of, 4], rows[of, 5] = _xs_ys(other)


def _write_place(rows: NDArray[np.int16], of: NDArray[np.int64], column: int, placements: NDArray[np.int64]) -> None:
    rows[of, column], rows[of, column + 1] = _xs_ys(placements // 6)
    rows[of, column + 2] = placements % 6


def _window(board: Board) -> _Grid:
    """An empty window around the middle of the table."""
    left = bottom = -(WINDOW // 2)
    if board.wedges:
        xs, ys = _xs_ys(np.array(list(board.wedges), np.int64))
        left += int(xs.min() + xs.max()) // 2
        bottom += int(ys.min() + ys.max()) // 2
    return _Grid(np.zeros((len(CHANNELS), WINDOW, WINDOW), np.int8), left, bottom)


def _closing(board: Board, tiles: NDArray[np.int64], placements: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many land and how many water vertices each placement of a tile would close, before any shift: of shape (placements, 2)."""
    vertices = np.array(list(board.wedges), np.int64)
    xs, ys = _xs_ys(vertices)
    left, bottom = int(xs.min()) - 3, int(ys.min()) - 3  # a tile that shares a side reaches at most two units beyond the table
    wedges = np.zeros((int(xs.max()) - left + 4, int(ys.max()) - bottom + 4), np.int64)
    wedges[xs - left, ys - bottom] = list(board.wedges.values())
    xs, ys = _xs_ys(placements // 6)
    corners = _CORNERS[placements % 6]
    closes = wedges[xs[:, None] - left + corners[:, :, 0], ys[:, None] - bottom + corners[:, :, 1]] + _WEDGES == 6
    is_water = _WATER_AT[tiles]
    return np.stack(((closes & ~is_water).sum(1), (closes & is_water).sum(1)), 1)
