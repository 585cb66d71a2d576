"""What players have put on the board (tribes, water rights and resource markers), the tokens they have left (RULES 5), and the scores
(RULES 6; RULES 8 for solo play). ``rules.legal`` determines when a player may put a piece on the board.
"""

from __future__ import annotations

from typing import Final, final

from engine.core.rng import KEY_MASK
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import LAND
from engine.sunda.board.trigrid import SPAN

TOKENS: Final = (0, 0, 24, 16, 12)
"""The number of tokens of each player, indexed by the number of players (RULES 4); there are none in solo play."""

TRIBE_SIZE: Final = 5


def controller(tribe: tuple[int, ...]) -> int:
    """Return the seat that controls a tribe (listed from the bottom up): the one with the most tokens or, in a tie, the highest token."""
    best = tribe[-1]
    most = 0
    for seat in reversed(tribe):
        number = tribe.count(seat)
        if number > most:
            best = seat
            most = number
    return best


def _tribe_part(vertex: int, tribe: tuple[int, ...]) -> int:
    return hash((vertex, tribe)) & KEY_MASK if tribe else 0


@final
class Claims:
    """Tokens and markers.

    - ``tribes``: maps the vertex of each tribe to the seats of its tokens, from the bottom up
    - ``lakes``: maps the smallest vertex of each claimed lake to the seat that owns the water rights
    - ``markers``: the resource markers on the board as (value, vertex), in the order in which they were placed
    - ``held``: every vertex with a token or a marker; the tiles there can't be shifted
    - ``changes``: a counter that increases whenever ``held`` may have changed
    - ``key``: the part of a position's hash key that depends on tokens and markers
    """

    def __init__(self, players: int, resources: tuple[int, ...], origin: Claims | None = None) -> None:
        if origin is None:
            self.tokens: list[int] = [TOKENS[players]] * players
            self.tribes: dict[int, tuple[int, ...]] = {}
            self.lakes: dict[int, int] = {}
            self.markers: list[tuple[int, int]] = []
            self.supply: list[int] = sorted(resources)
            self.held: set[int] = set()
            self.changes = 0
            self.key = 0
        else:
            self.tokens = origin.tokens.copy()
            self.tribes = origin.tribes.copy()
            self.lakes = origin.lakes.copy()
            self.markers = origin.markers.copy()
            self.supply = origin.supply.copy()
            self.held = origin.held.copy()
            self.changes = origin.changes
            self.key = origin.key

    def copy(self) -> Claims:
        """Return an independent copy."""
        return Claims(0, (), self)

    def add_to_tribe(self, vertex: int, seat: int) -> None:
        """Put a token of a seat on a vertex, on top of any tokens already there."""
        self.tokens[seat] -= 1
        before = self.tribes.get(vertex, ())
        self.tribes[vertex] = (*before, seat)
        self.key ^= _tribe_part(vertex, before) ^ _tribe_part(vertex, (*before, seat))
        self.changes += 1
        self.held.add(vertex)

    def take_back(self, vertex: int, seat: int) -> None:
        """Take a seat's topmost token off a tribe and return it to the seat."""
        tribe = list(self.tribes[vertex])
        tribe.reverse()
        tribe.remove(seat)
        tribe.reverse()
        self.key ^= _tribe_part(vertex, self.tribes[vertex]) ^ _tribe_part(vertex, tuple(tribe))
        self.tokens[seat] += 1
        self.changes += 1
        if tribe:
            self.tribes[vertex] = tuple(tribe)
            return
        del self.tribes[vertex]
        if not any(where == vertex for _, where in self.markers):
            self.held.discard(vertex)

    def add_to_lake(self, board: SundaBoard, lake: int, seat: int) -> None:
        """Put a token of a seat on a lake, which is named by its smallest vertex."""
        self.tokens[seat] -= 1
        self.lakes[lake] = seat
        self.key ^= hash((lake, seat)) & KEY_MASK
        self.changes += 1
        self.held.update(board.islands.members(board.islands.name[lake]))

    def add_marker(self, value: int, vertex: int) -> None:
        """Put an unused marker on a vertex."""
        self.supply.remove(value)
        self.markers.append((value, vertex))
        self.key ^= hash((vertex, value, 0)) & KEY_MASK
        self.changes += 1
        self.held.add(vertex)

    def island_of(self, board: SundaBoard, vertex: int) -> int:
        """Return the island (its representative) to which a token or marker on a vertex belongs. A lake belongs to the island around it.

        A lake is given as its smallest vertex, one of its westernmost, so the next vertex to the west belongs to the island around it.
        """
        if vertex in self.lakes:
            vertex -= SPAN
        return board.islands.name[vertex]

    def tokens_on(self, board: SundaBoard, island: int) -> int:
        """Return the number of tokens on an island: in all of its tribes, and on its lakes."""
        name = board.islands.name
        number = sum(len(tribe) for vertex, tribe in self.tribes.items() if name[vertex] == island)
        return number + sum(name[lake - SPAN] == island for lake in self.lakes)

    def may_add_marker(self, board: SundaBoard, vertex: int) -> bool:
        """Return whether a marker may be added next to a token: with it, the island must have at most half as many markers as tokens."""
        if not self.supply:
            return False
        island = self.island_of(board, vertex)
        markers = sum(self.island_of(board, where) == island for _, where in self.markers)
        return 2 * (markers + 1) <= self.tokens_on(board, island)


def points(board: SundaBoard, claims: Claims, *, level: int) -> tuple[int, ...]:
    """Return the current points of each seat."""
    totals = [0] * len(claims.tokens)
    name = board.islands.name
    n_open = board.islands.open
    strength: dict[int, list[int]] = {}  # island: tokens of each seat there
    for vertex, tribe in claims.tribes.items():
        island = name[vertex]
        worth = (len(tribe) if level >= 2 else 1) * (1 if n_open[island] else 2)
        on_island = strength.setdefault(island, [0] * len(totals))
        for seat in tribe:
            totals[seat] += worth
            on_island[seat] += 1
    for lake, seat in claims.lakes.items():
        island = name[lake - SPAN]
        totals[seat] += 5 * board.islands.size[name[lake]] * (1 if n_open[island] else 2)
        strength.setdefault(island, [0] * len(totals))[seat] += 1
    values: dict[int, int] = {}
    for value, vertex in claims.markers:
        island = claims.island_of(board, vertex)
        values[island] = values.get(island, 0) + value
    for island, value in values.items():
        if island not in strength:
            continue
        on_island = strength[island]
        most = max(on_island)
        share = value * (2 if n_open[island] else 4) // on_island.count(most)
        for seat, tokens in enumerate(on_island):
            if tokens == most:
                totals[seat] += share
    return tuple(totals)


def nodes_score(nodes: int, *, complete: bool, level: int) -> int:
    """Return the solo score of an island (RULES 8): a point per node, from level 2 as if in tribes of five; doubled if complete."""
    worth = nodes if level < 2 else 25 * (nodes // 5) + (nodes % 5) ** 2
    return 2 * worth if complete else worth


def solo_points(board: SundaBoard, *, level: int) -> int:
    """Return the solo score of a board."""
    total = 0
    for island, still_open in board.islands.open.items():
        if board.types[island] == LAND:
            total += nodes_score(board.islands.size[island] - still_open, complete=still_open == 0, level=level)
    return total
