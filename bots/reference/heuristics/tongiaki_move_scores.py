"""Quick scores for Tongiaki moves: what they win and lose at once, using the chances in ``tongiaki_evaluation``. No moves are played.

The weights were found in 200 to 500 two-seat blocks between a bot that plays the best-scoring move without a search, and the same bot with
one weight changed. These changes mattered most; the figures are the shares of games that the changed bot won:

- Scoring crowning half a point lower: 32%, so crowning is nearly always worth a turn.
- Counting how a ship brings a beach closer to its next departure (``PROGRESS``): 53%; counting twice as much: 43%.
- Twice the value of having ships on one more beach of an island (``NEW_ANCHOR``): 44%.
- Settling on the smallest beach instead of the largest: 54%.
- Scoring recolonisation one point lower: 46%; one point higher: 43%.

All improvements together won 57% of 300 blocks against the initial weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from bots.reference.heuristics.tongiaki_evaluation import NEW_ISLAND, finds, held, horizon, losses, seats_in
from engine.core import Move
from engine.tongiaki import TongiakiMove, TongiakiState
from engine.tongiaki.board.board import EMPTY, FAILS
from engine.tongiaki.board.tiles import BEACH_OF_PIER, BERTHS, FIRST_BEACH, PIERS, POINTS
from engine.tongiaki.notation.moves import CROWN, ENTER, EXPAND, LAND, RECOLONISE, SAIL, SETTLE, TAKE
from engine.tongiaki.rules.landing import packed_colors

ARRIVAL: Final = 0.9
"""The value of landing on an island, as a share of the island's points."""
RETREAT: Final = 0.8
"""The loss if a seat's last ship leaves an island, as a share of the island's points."""
NOWHERE_NEW: Final = -0.1
"""The value of landing on an island that the seat already holds."""
NEW_ANCHOR: Final = 0.15
"""The value of ships on one more beach of an island."""
PROGRESS: Final = 0.5
"""The share of a departure's value that is credited before the departure, ship by ship, as the beach fills."""
CROWN_SAFETY: Final = 1.3
CROWN_BONUS: Final = 0.3
"""Crowning is worth ``CROWN_SAFETY`` times the island's points, times the chance of losing them otherwise, plus ``CROWN_BONUS``."""
SPARE_SHIP: Final = 0.1
SPARE_BEACH: Final = 0.3
"""The points lost with a taken ship: ``SPARE_SHIP`` if its seat has more on that beach, ``SPARE_BEACH`` if only elsewhere on the island."""


def move_scores(state: TongiakiState, moves: Sequence[Move]) -> list[float]:
    """Score the legal moves ``moves`` for the seat to move; only differences are meaningful."""
    scorer = _MoveScorer(state)
    return [scorer.value(move) for move in moves if isinstance(move, TongiakiMove)]


@final
class _MoveScorer:
    """Scores moves in one position."""

    def __init__(self, state: TongiakiState) -> None:
        self.board = state.board
        self.seat = state.active
        self.ship = 1 << 4 * state.active
        self.target = state.target
        self.players = state.players
        self.lost = losses(horizon(state.deck))
        self.found = finds(state.deck, state.players)
        rivals = state.players - 1
        self.weight = [1.0 if seat == self.seat else -1.0 / rivals for seat in range(state.players)]

    def value(self, move: TongiakiMove) -> float:
        """Return the move's gain for the seat, minus the mean gain of the other seats."""
        code = move.code
        if code == EXPAND:
            return self._expand(move.island, move.numbers)
        if code == LAND:
            return self._land(move)
        if code == SAIL:
            beach = BEACH_OF_PIER[6 * move.island + move.numbers[0]]
            packed = self.board.packed[beach]
            return self._arrive(move.island, move.numbers[0], packed) - self._leave(move.island, beach, packed)
        if code == CROWN:
            danger = 1.0 - held(self.board, move.island, self.lost, self.players)[self.seat]
            return CROWN_BONUS + CROWN_SAFETY * danger * POINTS[move.island]
        if code == RECOLONISE:
            return NEW_ISLAND - self._ashore()
        if code == TAKE:
            return -self._take(move.island, FIRST_BEACH[move.island] + move.numbers[0])
        if code == ENTER:
            return float(POINTS[move.island])
        if code == SETTLE:
            return -float(BERTHS[FIRST_BEACH[self.target] + move.numbers[0]])  # small beaches fill up sooner
        return 0.0  # it matters little where a tile is laid and where ships start

    def _expand(self, island: int, numbers: tuple[int, ...]) -> float:
        board = self.board
        value = 0.0
        for number in numbers:
            beach = FIRST_BEACH[island] + number
            packed = board.packed[beach]
            free = BERTHS[beach] - board.count[beach]
            best = max([self._arrive(island, side, packed + self.ship) for side in PIERS[beach]])
            if free == 1:
                value += best - self._leave(island, beach, packed + self.ship)
                continue
            value += PROGRESS * best * (1 / (free - 1) - 1 / free)
            if not packed >> 4 * self.seat & 15:
                value += NEW_ANCHOR
        return value

    def _land(self, move: TongiakiMove) -> float:
        """Score a landing by who is on the island afterwards, and how safely."""
        board = self.board
        first = FIRST_BEACH[self.target]
        before = [1.0 - chance for chance in held(board, self.target, self.lost, self.players)]
        risk = before.copy()
        for beach, seats in move.ships:
            lost = self.lost[BERTHS[first + beach] - board.count[first + beach] - len(seats)]
            for seat in set(seats):
                risk[seat] *= lost
        won = 0.0
        for seat, weight in enumerate(self.weight):
            won += weight * (before[seat] - risk[seat])
        return won * POINTS[self.target]

    def _arrive(self, island: int, side: int, packed: int) -> float:
        """Return the gain of a group of packed ships at its destination if it leaves from this pier."""
        colors = packed_colors(packed)
        target = self.board.voyage(island, side, colors)
        if target == FAILS:
            return 0.0
        seats = seats_in(packed)
        if target == EMPTY:
            return ARRIVAL * self.found[colors] * sum([self.weight[seat] for seat in seats])
        ashore = self.board.ashore[target]
        value = 0.0
        for seat in seats:
            if not ashore >> 4 * seat & 15:
                value += self.weight[seat] * ARRIVAL * POINTS[target]
            elif seat == self.seat:
                value += NOWHERE_NEW
        return value

    def _leave(self, island: int, beach: int, packed: int) -> float:
        rest = self.board.ashore[island] - self.board.packed[beach]
        return RETREAT * POINTS[island] * sum([self.weight[seat] for seat in seats_in(packed) if not rest >> 4 * seat & 15])

    def _take(self, island: int, beach: int) -> float:
        """Return the seat's loss if one of its ships on a beach is taken."""
        if self.board.packed[beach] >> 4 * self.seat & 15 > 1:
            return SPARE_SHIP
        return SPARE_BEACH if self.board.ships_of(self.seat, island) > 1 else float(POINTS[island])

    def _ashore(self) -> float:
        return float(sum([POINTS[island] for island in self.board.islands if self.board.ships_of(self.seat, island)]))
