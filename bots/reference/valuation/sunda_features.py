"""The features of a position for the learned value function of Sunda to Sahul: a row of numbers for each seat, without hidden information.

``NAMES`` says in order what the numbers are. Points are shares of what all tokens of a seat bring in a usual game of the level, so that
levels differ little in what a column weighs.
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
    "left",  # of the game: the least share of tokens that a seat has left, or of tiles, whichever is less
    "expected",  # the points that the expert expects
    "lead",  # the same, less the most that a rival expects
    "safe",  # points on complete islands, doubled
    "lack one",  # points on islands with one open vertex
    "lack two",  # with two
    "lack more",  # with more
    "growth",  # what the tribes that it controls may still grow by
    "resources",  # its expected share of resources
    "takings",  # what its best tile can take now, or in the next turn once the seat before it has taken the best
    "second takings",  # the same for a second tile
    "tokens",  # tokens left, as a share of all
    "last tokens",  # 1 with no token left, less with one or two
    "tiles",  # with private pots: tiles of its own, as a share of the average pot at the beginning
    "turn",  # 1 for the seat that lays the next two tiles of its turn, a half if it lays one
    "next turn",  # whether it is the next seat's
    "may end",  # whether it leads and may end the game by agreeing
)
COLUMNS: Final = len(NAMES)
PHASE: Final = 0
"""The column with the rest of the game."""

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
"""What a token brings by level, roughly."""
LONGEST_STEP: Final = 40
"""The most decisions played out until a tile is laid again."""


def rows(given: State) -> list[list[float]]:
    """Return the numbers that ``NAMES`` lists for each seat, whichever seat decides; in the middle of a step, those of its likely end."""
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
    """Return the position in which the next tile is to be laid: the step is played out by the scores of moves, without challenges."""
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
    """Fill in the features of each seat's islands."""
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
    """Let the seat that has the turn take the best placements with its tiles, then the next seat the best of the rest."""
    taken: set[int] = set()
    following = (p.seat + 1) % p.players
    tiles = 2 - p.step
    _take(p, p.seat, tiles, taken, table[p.seat], unit)
    _take(p, following, 2, taken, table[following], unit)
    table[p.seat][_TURN] = 0.5 * tiles
    table[following][_NEXT] = 1.0


def _take(p: Position, seat: int, tiles: int, taken: set[int], row: list[float], unit: float) -> None:
    """Fill in the placements that a seat's tiles take, the best first, away from those already taken."""
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
    """Fill in each seat's remaining tokens and tiles, and how much of the game is left."""
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
    """Fill in by how much each seat leads."""
    for row in table:
        most = 0.0
        for other in table:
            if other is not row:
                most = max(most, other[_EXPECTED])
        row[_LEAD] = row[_EXPECTED] - most
