"""The features of a position for the learned value function of Sunda to Sahul: a row of numbers for each seat, without hidden information.

``NAMES`` has the names of the numbers, in order. Points are divided by the points that all tokens of a seat earn in a typical game at
the same level, so that the weights of a column differ little between levels.
"""

from __future__ import annotations

from typing import Final

from bots.reference.heuristics.sunda_evaluation import GROWTH, chance, isles_of, shares
from bots.reference.heuristics.sunda_move_scores import move_scores
from bots.reference.heuristics.sunda_placement_scores import PlacementScorer, hot_places
from engine.core import State
from engine.sunda import SundaMove, SundaState
from engine.sunda.board.claims import TOKENS, TRIBE_SIZE, controller
from engine.sunda.board.tiles import N_TILES
from engine.sunda.board.trigrid import corners_of, lozenge_of
from engine.sunda.notation.moves import SKIP
from engine.sunda.position import CHOOSE, FIGHT, LAY, Position

NAMES: Final[tuple[str, ...]] = (
    "left",  # how much of the game is left: the smallest share of tokens that any seat has left, or of tiles if that is less
    "expected",  # the points expected by the expert
    "lead",  # expected points minus the most that a rival expects
    "safe",  # points on complete islands, doubled
    "lack one",  # points on islands with one open vertex
    "lack two",  # points on islands with two open vertices
    "lack more",  # points on islands with more open vertices
    "growth",  # points that the tribes controlled by the seat may still gain by growing
    "resources",  # points from the seat's expected share of resources
    "takings",  # points that the seat's best tile can take now, or for the next seat, after the seat to move has taken the best places
    "second takings",  # points that the seat's second tile can take
    "tokens",  # tokens left, as a share of all the seat's tokens
    "last tokens",  # 1 divided by 1 plus the tokens left
    "tiles",  # with private pots: tiles left, as a share of the average pot at the start
    "turn",  # 1 for the seat to move if it still has two tiles to lay in this turn, 0.5 if it has one
    "next turn",  # 1 for the next seat
    "may end",  # 1 if the seat leads and can end the game by agreeing
)
COLUMNS: Final = len(NAMES)
PHASE: Final = 0
"""The index of the column ``left``, which measures how much of the game is left."""

_LEFT: Final = 0
_EXPECTED: Final = 1
_LEAD: Final = 2
_SAFE: Final = 3
_MORE: Final = 6
_GROWTH: Final = 7
_RESOURCES: Final = 8
_TAKINGS: Final = 9
_SECOND: Final = 10
_TOKENS: Final = 11
_LAST: Final = 12
_TILES: Final = 13
_TURN: Final = 14
_NEXT: Final = 15
_MAY_END: Final = 16
POINTS_OF_TOKEN: Final[tuple[float, ...]] = (1.2, 1.2, 4.0, 4.0, 4.0, 4.0)
"""Roughly how many points a token earns, indexed by the game's level."""
LONGEST_STEP: Final = 40
"""The most decisions that are played to reach the end of a step."""


def rows(given: State) -> list[list[float]]:
    """Return the features in ``NAMES`` for each seat, in seat order. In the middle of a step, they describe the step's likely end."""
    assert isinstance(given, SundaState)
    state = settled(given)
    p = state.inside
    table = [[0.0] * COLUMNS for _ in range(p.players)]
    unit = 1.0 / (TOKENS[p.players] * POINTS_OF_TOKEN[p.level])
    _islands(p, table, unit)
    if p.ticks:
        for seat in range(p.players):
            _take(p, seat, 2, set(), table[seat], unit)
    else:
        _turns(p, table, unit)
    if p.agreed and p.agreed == p.players - 1 and p.phase == LAY:
        points = state.points
        if points[p.seat] > max([*points[: p.seat], *points[p.seat + 1 :]]):
            table[p.seat][_MAY_END] = 1.0
    _stocks(p, table)
    _compare(table)
    return table


def settled(state: SundaState) -> SundaState:
    """Return the position at the likely end of the step, after the best-scoring moves are played and nobody challenges."""
    p = state.inside
    if p.actor is None or _is_at_tiles(p):
        return state
    after = state.copy()
    after.read_only = False
    for _ in range(LONGEST_STEP):
        p = after.inside
        if p.actor is None or _is_at_tiles(p):
            break
        if p.phase == FIGHT:
            after.play(SundaMove(SKIP))
            continue
        moves = after.list_moves()
        scores = move_scores(after, moves)
        best = 0
        for index in range(1, len(scores)):
            if scores[index] > scores[best]:
                best = index
        after.play(moves[best])
    return after


def _is_at_tiles(p: Position) -> bool:
    return p.phase in {LAY, CHOOSE}


def _islands(p: Position, table: list[list[float]], unit: float) -> None:
    n_open = p.board.islands.open
    for body, isle in isles_of(p).items():
        still_open = n_open[body]
        double = unit * (1.0 + chance(still_open))
        column = min(_SAFE + still_open, _MORE)
        factor = unit if still_open else 2.0 * unit
        parts = shares(isle) if isle.markers else []
        for seat in range(p.players):
            row = table[seat]
            points = isle.points[seat]
            row[column] += points * factor
            row[_EXPECTED] += points * double
            if parts:
                resources = parts[seat] * 2.0 * double * isle.markers
                row[_RESOURCES] += resources
                row[_EXPECTED] += resources
        if still_open and p.level >= 2:
            for _, tribe in isle.tribes:
                size = len(tribe)
                if size < TRIBE_SIZE:
                    lead = controller(tribe)
                    growth = GROWTH * (size + tribe.count(lead) + 1)
                    table[lead][_GROWTH] += unit * growth
                    table[lead][_EXPECTED] += double * growth


def _turns(p: Position, table: list[list[float]], unit: float) -> None:
    """Fill in the best placements for the tiles of the seat to move, then the best remaining placements for the next seat."""
    taken: set[int] = set()
    following = (p.seat + 1) % p.players
    tiles = 2 - p.step
    _take(p, p.seat, tiles, taken, table[p.seat], unit)
    _take(p, following, 2, taken, table[following], unit)
    table[p.seat][_TURN] = 0.5 * tiles
    table[following][_NEXT] = 1.0


def _take(p: Position, seat: int, tiles: int, taken: set[int], row: list[float], unit: float) -> None:
    """Fill in the best placements for a seat's tiles, best first, leaving out those that share corners with placements in ``taken``."""
    scorer = PlacementScorer(p, seat, has_next=not p.ticks and tiles == 2 and p.seat == seat)
    found: dict[int, float] = {}
    for tile, placement in hot_places(p, p.pot(seat)):
        score = scorer.value(tile, placement)
        if score > 0.0:
            lozenge = lozenge_of(placement)
            if score > found.get(lozenge, 0.0):
                found[lozenge] = score
    for column in range(_TAKINGS, _TAKINGS + tiles):
        best = 0.0
        place = 0
        for lozenge, score in found.items():
            if score > best and taken.isdisjoint(corners_of(lozenge)):
                best = score
                place = lozenge
        if best == 0.0:
            return
        row[column] = unit * best
        taken.update(corners_of(place))


def _stocks(p: Position, table: list[list[float]]) -> None:
    pots = p.pots.sizes
    tokens = 1.0
    for seat in range(p.players):
        row = table[seat]
        row[_TOKENS] = p.claims.tokens[seat] / TOKENS[p.players]
        row[_LAST] = 1.0 / (1.0 + p.claims.tokens[seat])
        tokens = min(tokens, row[_TOKENS])
        if p.private:
            row[_TILES] = pots[seat] * p.players / N_TILES
    tiles = min(pots) * p.players / N_TILES if p.ticks else sum(pots) / N_TILES
    for row in table:
        row[_LEFT] = min(tokens, tiles, 1.0)


def _compare(table: list[list[float]]) -> None:
    for row in table:
        most = 0.0
        for other in table:
            if other is not row:
                most = max(most, other[_EXPECTED])
        row[_LEAD] = row[_EXPECTED] - most
