"""What lies on the table: tiles, ships, and where a voyage over them leads. It knows no turns and no deck.

A cell ``(q, r)`` is the number ``128 * (q + 64) + r + 64``, so cells sort as their coordinates do. The ships of a beach, or of an
island, are packed: four bits for each seat, seat 0 lowest.
"""

from __future__ import annotations

from typing import Final, final

from engine.tongiaki.board.tiles import (
    BERTHS,
    FIRST_BEACH,
    ISLAND_OF_BEACH,
    N_BEACHES,
    N_ISLANDS,
    N_TILES,
    POINTS,
    ROUTE_COLORS,
    ROUTE_EXIT,
)

ORIGIN: Final = 128 * 64 + 64
DELTA: Final[list[int]] = [-1, 127, 128, 1, -127, -128]
"""The step to the neighbouring cell in each direction: N, NE, SE, S, SW, NW (RULES 1)."""
_FACING: Final[list[int]] = [6 * DELTA[direction] + (direction + 3) % 6 for direction in range(6)]
"""What to add to ``6 * cell`` for a tile that lies in that direction and faces back."""

# Where a voyage over laid tiles ends, when it is not an island's number.
FAILS: Final = -1
EMPTY: Final = -2


def cell_of(q: int, r: int) -> int:
    """The number of the cell ``(q, r)``, both from -63 to 63."""
    return 128 * (q + 64) + r + 64


def coordinates(cell: int) -> tuple[int, int]:
    """The ``(q, r)`` of a cell's number."""
    return cell // 128 - 64, cell % 128 - 64


@final
class TongiakiBoard:
    """The tiles on the table and the ships on them.

    ``cells`` maps a cell to its tile; ``where`` and ``turned`` give a tile's cell (-1 if not on the table) and orientation, ``near``
    at ``6 * tile + direction`` the tile beside it (-1 if there is none); ``islands`` lists the laid islands in the order they were laid.
    ``packed`` and ``count`` are the ships of each beach and their number, ``ashore`` the ships on an island's beaches, ``royal`` the seat
    whose royal ship is on the island (-1 if none), ``stranded`` the ships that stay on a water. ``full`` has a bit for each beach without
    a free berth.
    """

    __slots__ = ("ashore", "cells", "count", "full", "islands", "near", "packed", "royal", "stranded", "turned", "where")

    def __init__(self, source: TongiakiBoard | None = None) -> None:
        """An empty board, or an independent one that looks like the source."""
        if source is None:
            self.cells: dict[int, int] = {}
            self.where: list[int] = [-1] * N_TILES
            self.turned: list[int] = [0] * N_TILES
            self.near: list[int] = [-1] * (6 * N_TILES)
            self.islands: list[int] = []
            self.packed: list[int] = [0] * len(BERTHS)
            self.count: list[int] = [0] * len(BERTHS)
            self.ashore: list[int] = [0] * N_ISLANDS
            self.royal: list[int] = [-1] * N_ISLANDS
            self.stranded: dict[int, int] = {}
            self.full = 0
        else:
            self.cells = source.cells.copy()
            self.where = source.where.copy()
            self.turned = source.turned.copy()
            self.near = source.near.copy()
            self.islands = source.islands.copy()
            self.packed = source.packed.copy()
            self.count = source.count.copy()
            self.ashore = source.ashore.copy()
            self.royal = source.royal.copy()
            self.stranded = source.stranded.copy()
            self.full = source.full

    def copy(self) -> TongiakiBoard:
        """An independent board that looks the same."""
        return TongiakiBoard(self)

    def lay(self, tile: int, cell: int, orientation: int) -> None:
        """Put a tile on an empty cell."""
        self.cells[cell] = tile
        self.where[tile] = cell
        self.turned[tile] = orientation
        for direction in range(6):
            other = self.cells.get(cell + DELTA[direction], -1)
            if other >= 0:
                self.near[6 * tile + direction] = other
                self.near[6 * other + (direction + 3) % 6] = tile
        if tile < N_ISLANDS:
            self.islands.append(tile)

    def remove(self, island: int) -> int:
        """Take an island off the table for good; gives the packed ships that were on its beaches."""
        ships = self.ashore[island]
        for beach in range(FIRST_BEACH[island], FIRST_BEACH[island] + N_BEACHES[island]):
            self.clear(beach)
        for direction in range(6):
            other = self.near[6 * island + direction]
            if other >= 0:
                self.near[6 * other + (direction + 3) % 6] = -1
                self.near[6 * island + direction] = -1
        del self.cells[self.where[island]]
        self.where[island] = -1
        self.islands.remove(island)
        return ships

    def put(self, beach: int, seat: int) -> None:
        """Put one ship of the seat on a beach with a free berth."""
        ship = 1 << 4 * seat
        self.packed[beach] += ship
        self.ashore[ISLAND_OF_BEACH[beach]] += ship
        self.count[beach] += 1
        if self.count[beach] == BERTHS[beach]:
            self.full |= 1 << beach

    def take(self, beach: int, seat: int) -> None:
        """Take one ship of the seat off a beach that has one."""
        ship = 1 << 4 * seat
        self.packed[beach] -= ship
        self.ashore[ISLAND_OF_BEACH[beach]] -= ship
        self.count[beach] -= 1
        self.full &= ~(1 << beach)

    def clear(self, beach: int) -> int:
        """Take all ships off a beach; gives them packed."""
        ships = self.packed[beach]
        self.packed[beach] = 0
        self.ashore[ISLAND_OF_BEACH[beach]] -= ships
        self.count[beach] = 0
        self.full &= ~(1 << beach)
        return ships

    def ships_of(self, seat: int, island: int) -> int:
        """The number of the seat's ships on the island's beaches."""
        return self.ashore[island] >> 4 * seat & 15

    def free(self, island: int) -> tuple[int, ...]:
        """The free berths of each beach of the island."""
        first = FIRST_BEACH[island]
        return tuple([BERTHS[beach] - self.count[beach] for beach in range(first, first + N_BEACHES[island])])

    def voyage(self, island: int, side: int, colors: int) -> int:
        """Where a group of that many colours leaving by the pier ends on the board as it lies (RULES 4).

        The number of the island it lands on, FAILS where a crossing fails, or EMPTY where it comes to an empty cell. At a royal
        island it turns round, and what it crossed it crosses again, so it ends where it began.
        """
        tile = island
        direction = (self.turned[island] + side) % 6
        while True:
            tile = self.near[6 * tile + direction]
            if tile < 0:
                return EMPTY
            if tile < N_ISLANDS:
                return island if self.royal[tile] >= 0 else tile
            entry = 6 * tile + (direction + 9 - self.turned[tile]) % 6
            if colors < ROUTE_COLORS[entry]:
                return FAILS
            direction = (self.turned[tile] + ROUTE_EXIT[entry]) % 6

    def lays(self) -> list[int]:
        """Every way to lay a tile next to others with its crest facing one of them (RULES 3c), as keys of ``lay_at``, in order."""
        if not self.cells:
            return [6 * ORIGIN]
        found: list[int] = []
        near = self.near
        for tile in range(N_TILES):
            cell = self.where[tile]
            if cell < 0:
                continue
            for direction in range(6):
                if near[6 * tile + direction] < 0:
                    found.append(6 * cell + _FACING[direction])
        found.sort()
        return found

    def count_lays(self) -> int:
        """How many ways ``lays`` would list."""
        if not self.cells:
            return 1
        cells = self.cells
        found = 0
        for cell in cells:
            for step in DELTA:
                if cell + step not in cells:
                    found += 1
        return found

    def may_lay(self, q: int, r: int, orientation: int) -> bool:
        """Whether ``lays`` would list that."""
        if not (-63 <= q <= 63 and -63 <= r <= 63 and 0 <= orientation < 6):
            return False
        cell = cell_of(q, r)
        if not self.cells:
            return cell == ORIGIN and orientation == 0
        return cell not in self.cells and cell + DELTA[orientation] in self.cells

    def points(self, seat: int) -> int:
        """The points of all islands on which the seat has a ship (RULES 6)."""
        total = 0
        for island in self.islands:
            if self.royal[island] == seat or self.ashore[island] >> 4 * seat & 15:
                total += POINTS[island]
        return total

    def islands_held(self, seat: int) -> int:
        """The number of islands on which the seat has a ship; Tonga counts."""
        held = 0
        for island in self.islands:
            if self.royal[island] == seat or self.ashore[island] >> 4 * seat & 15:
                held += 1
        return held

    def royals(self, seat: int) -> int:
        """The number of the seat's royal islands."""
        return self.royal.count(seat)
