"""The board: which tile lies where, which ships are on it, and where a voyage across it leads.

A cell ``(q, r)`` is the integer ``128 * (q + 64) + r + 64``, so cells sort like their coordinates. The ships of a beach or an island are
packed into one integer: four bits for each seat hold the number of its ships, with seat 0 in the lowest bits.
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
"""For each direction (N, NE, SE, S, SW, NW; RULES 1): the neighbouring cell minus the cell."""
_FACING: Final[list[int]] = [6 * DELTA[direction] + (direction + 3) % 6 for direction in range(6)]
"""By direction: what to add to ``6 * cell`` to get the key (see ``lays``) of a tile that lies in that direction and faces the cell."""

# Results of a voyage over laid tiles that doesn't reach an island.
FAILS: Final = -1
EMPTY: Final = -2


def cell_of(q: int, r: int) -> int:
    """Return the integer of the cell ``(q, r)``, both from -63 to 63."""
    return 128 * (q + 64) + r + 64


def coordinates(cell: int) -> tuple[int, int]:
    """Return the ``(q, r)`` of a cell."""
    return cell // 128 - 64, cell % 128 - 64


@final
class TongiakiBoard:
    """The tiles on the board and the ships on them.

    ``cells`` maps each covered cell to its tile. ``where`` and ``turned`` hold each tile's cell (-1 if it isn't on the board) and
    orientation. ``near`` holds the neighbouring tile (-1 if none) at ``6 * tile + direction``. ``islands`` lists the islands in the order
    in which they were laid. ``packed`` and ``count`` hold the packed ships of each beach and their number. ``ashore`` holds the packed
    ships on all beaches of each island. ``royal`` holds the seat whose royal ship is on each island (-1 if none). ``stranded`` maps a water
    to the packed ships that stay on it. ``full`` has a bit for each beach without a free berth.
    """

    __slots__ = ("ashore", "cells", "count", "full", "islands", "near", "packed", "royal", "stranded", "turned", "where")

    def __init__(self, source: TongiakiBoard | None = None) -> None:
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
        """Return an independent copy."""
        return TongiakiBoard(self)

    def lay(self, tile: int, cell: int, orientation: int) -> None:
        """Lay a tile on an empty cell."""
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
        """Remove an island from the board permanently and return the packed ships that were on its beaches."""
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
        """Take all ships off a beach. Return them packed, with 4 bits for the number of each seat's ships."""
        ships = self.packed[beach]
        self.packed[beach] = 0
        self.ashore[ISLAND_OF_BEACH[beach]] -= ships
        self.count[beach] = 0
        self.full &= ~(1 << beach)
        return ships

    def ships_of(self, seat: int, island: int) -> int:
        """Return the number of the seat's ships on the island's beaches."""
        return self.ashore[island] >> 4 * seat & 15

    def free(self, island: int) -> tuple[int, ...]:
        """Return the number of free berths of each beach of the island."""
        first = FIRST_BEACH[island]
        return tuple([BERTHS[beach] - self.count[beach] for beach in range(first, first + N_BEACHES[island])])

    def voyage(self, island: int, side: int, colors: int) -> int:
        """Return where a group of this many colours ends if it leaves by the pier on this side and no tile is laid (RULES 4).

        The result is the island that it lands on, FAILS if a crossing fails, or EMPTY if it reaches an empty cell. At a royal island, the
        group turns round and crosses the same waters again, so it ends where it began.
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
        """Return every way to lay a tile next to others with its crest facing one of them (RULES 3c), in order.

        Each is a key ``6 * cell + orientation``, which ``notation.moves.lay_at`` turns into a move.
        """
        if not self.cells:
            return [6 * ORIGIN]
        keys: list[int] = []
        near = self.near
        for tile in range(N_TILES):
            cell = self.where[tile]
            if cell < 0:
                continue
            for direction in range(6):
                if near[6 * tile + direction] < 0:
                    keys.append(6 * cell + _FACING[direction])
        keys.sort()
        return keys

    def count_lays(self) -> int:
        """Return the number of ways that ``lays`` would list."""
        if not self.cells:
            return 1
        return self.near.count(-1) - 6 * (N_TILES - len(self.cells))  # all sides of a tile that isn't on the board are open

    def may_lay(self, q: int, r: int, orientation: int) -> bool:
        """Return whether ``lays`` would list the key of this cell and orientation."""
        if not (-63 <= q <= 63 and -63 <= r <= 63 and 0 <= orientation < 6):
            return False
        cell = cell_of(q, r)
        if not self.cells:
            return cell == ORIGIN and orientation == 0
        return cell not in self.cells and cell + DELTA[orientation] in self.cells

    def points(self, seat: int) -> int:
        """Return the points of all islands on which the seat has a ship (RULES 6)."""
        total = 0
        for island in self.islands:
            if self.royal[island] == seat or self.ashore[island] >> 4 * seat & 15:
                total += POINTS[island]
        return total

    def islands_held(self, seat: int) -> int:
        """Return the number of islands on which the seat has a ship, including Tonga."""
        held = 0
        for island in self.islands:
            if self.royal[island] == seat or self.ashore[island] >> 4 * seat & 15:
                held += 1
        return held

    def royals(self, seat: int) -> int:
        """Return the number of the seat's royal islands."""
        return self.royal.count(seat)
