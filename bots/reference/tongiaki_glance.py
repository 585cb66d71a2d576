"""How good moves of Tongiaki look at a glance: what they win and lose at once, by the chances of ``tongiaki_outlook``. It plays nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from bots.reference.tongiaki_outlook import NEW_ISLAND, held, horizon, losses, seats_of
from engine.core import Move
from engine.tongiaki import TongiakiMove, TongiakiState
from engine.tongiaki.board import EMPTY, FAILS
from engine.tongiaki.landing import packed_colors
from engine.tongiaki.moves import CROWN, ENTER, EXPAND, LAND, RECOLONISE, SAIL, SETTLE, TAKE
from engine.tongiaki.tiles import BEACH_OF_PIER, BERTHS, FIRST_BEACH, N_ISLANDS, PIERS, POINTS, ROUTE_COLORS

ARRIVAL: Final = 0.75
"""The chance to keep, to the end, an island that a group lands on."""


def glance(state: TongiakiState, moves: Sequence[Move]) -> list[float]:
    """How good each of some legal moves looks for the seat that has to decide; only differences mean something."""
    eye = _Eye(state)
    return [eye.value(move) for move in moves if isinstance(move, TongiakiMove)]


@final
class _Eye:
    """Values moves in one position."""

    def __init__(self, state: TongiakiState) -> None:
        self.state = state
        self.board = state.board
        self.seat = state.active
        self.left = horizon(state.deck)
        self.lost = losses(self.left)
        rivals = state.players - 1
        self.weight = [1.0 if seat == self.seat else -1.0 / rivals for seat in range(state.players)]
        self.departures: dict[tuple[int, int], float] = {}
        self.discoveries: dict[int, float] = {}

    def value(self, move: TongiakiMove) -> float:
        code = move.code
        if code == EXPAND:
            return self.expand(move.island, move.numbers)
        if code == LAND:
            return self.land(move)
        if code == SAIL:
            beach = BEACH_OF_PIER[6 * move.island + move.numbers[0]]
            packed = self.board.packed[beach]
            return self.arrive(move.island, move.numbers[0], packed) - self.leave(move.island, beach, packed)
        if code == CROWN:
            return POINTS[move.island] * (1.0 - held(self.board, move.island, self.lost, self.state.players)[self.seat])
        if code == RECOLONISE:
            return -self.afloat()
        if code == TAKE:
            return -self.anchors(move.island, FIRST_BEACH[move.island] + move.numbers[0])
        if code == ENTER:
            return float(POINTS[move.island])
        if code == SETTLE:
            return float(BERTHS[FIRST_BEACH[self.state.target] + move.numbers[0]])
        return 0.0  # where a tile is laid, and where ships begin, tells little

    def expand(self, island: int, numbers: tuple[int, ...]) -> float:
        """New ships on beaches of an island where the seat has ships already."""
        board = self.board
        ship = 1 << 4 * self.seat
        value = 0.0
        for number in numbers:
            beach = FIRST_BEACH[island] + number
            if BERTHS[beach] - board.count[beach] == 1:
                value += self.depart(island, beach, board.packed[beach] + ship)
            elif not board.packed[beach] >> 4 * self.seat & 15:
                value += 0.3
        return value

    def land(self, move: TongiakiMove) -> float:
        """Ships put ashore: who has a ship on the island then, and how safe it is."""
        board = self.board
        island = self.state.target
        first = FIRST_BEACH[island]
        risk = [1.0 - chance for chance in held(board, island, self.lost, self.state.players)]
        before = risk.copy()
        for beach, seats in move.ships:
            free = BERTHS[first + beach] - board.count[first + beach] - len(seats)
            for seat in set(seats):
                risk[seat] *= self.lost[free]
        value = 0.0
        for seat, weight in enumerate(self.weight):
            value += weight * (before[seat] - risk[seat]) * POINTS[island]
        return value

    def depart(self, island: int, beach: int, packed: int) -> float:
        """A group of packed ships leaves a beach by its best pier."""
        best = max([self.arrive(island, side, packed) for side in PIERS[beach]])
        return best - self.leave(island, beach, packed)

    def arrive(self, island: int, side: int, packed: int) -> float:
        """What a group wins where it lands."""
        board = self.board
        colors = packed_colors(packed)
        target = board.voyage(island, side, colors)
        if target == FAILS:
            return 0.0
        value = 0.0
        if target == EMPTY:
            share = ARRIVAL * NEW_ISLAND * self.discovery(colors)
            for seat in set(seats_of(packed)):
                value += self.weight[seat] * share
            return value
        ashore = board.ashore[target]
        for seat in set(seats_of(packed)):
            if not ashore >> 4 * seat & 15:
                value += self.weight[seat] * ARRIVAL * POINTS[target]
        return value

    def leave(self, island: int, beach: int, packed: int) -> float:
        """What the seats of a group lose where they leave."""
        rest = self.board.ashore[island] - self.board.packed[beach]
        value = 0.0
        for seat in set(seats_of(packed)):
            if not rest >> 4 * seat & 15:
                value += self.weight[seat] * POINTS[island] * 0.8
        return value

    def discovery(self, colors: int) -> float:
        """The chance that a group of that many colours finds a new island where no tile lies."""
        known = self.discoveries.get(colors)
        if known is None:
            islands = 0
            passed = 0
            for tile in self.state.deck:
                if tile < N_ISLANDS:
                    islands += 1
                elif ROUTE_COLORS[6 * tile] <= colors:
                    passed += 1
            total = max(1, len(self.state.deck))
            known = self.discoveries[colors] = islands / total * (1.0 + passed / total)
        return known

    def anchors(self, island: int, beach: int) -> float:
        """What the seat loses when a ship of its own leaves a beach."""
        ship = self.board.packed[beach] >> 4 * self.seat & 15
        if ship > 1:
            return 0.1
        return 0.3 if self.board.ashore[island] >> 4 * self.seat & 15 > 1 else float(POINTS[island])

    def afloat(self) -> float:
        """The seat's points on islands that are not royal."""
        total = -NEW_ISLAND
        for island in self.board.islands:
            if self.board.ashore[island] >> 4 * self.seat & 15:
                total += POINTS[island]
        return total
