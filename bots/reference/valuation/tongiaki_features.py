"""The features of a position for the learned value function of Tongiaki: a row of numbers for each seat, without hidden information.

``NAMES`` has the names of the numbers, in order. Points and ships are divided by ten, so that all columns have similar sizes.
"""

from __future__ import annotations

from typing import Final

from bots.reference.heuristics.tongiaki_evaluation import NEW_ISLAND, evaluate, finds, held, horizon, losses
from engine.core import State
from engine.tongiaki import TongiakiState
from engine.tongiaki.board.board import EMPTY, FAILS, TongiakiBoard
from engine.tongiaki.board.tiles import BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS, PIERS, POINTS, TONGA

NAMES: Final[tuple[str, ...]] = (
    "left",  # the expected share of the deck that is still to be drawn
    "islands left",  # the share of the 15 islands that is in the deck
    "waters left",  # the share of the 16 waters that is in the deck
    "royal points",  # points of the seat's royal islands, which can't be lost
    "kept points",  # points of other islands, times the chance that the seat still holds them at the end
    "risked points",  # points of those islands, times the chance that the seat does not hold them at the end
    "loose points",  # points of islands where the seat has ships on a single beach, which at most one more ship makes depart
    "lead",  # royal, kept and coming points minus the most that a rival has
    "mean lead",  # royal, kept and coming points minus the mean of the rivals
    "islands",  # islands held, including Tonga
    "Tonga",  # 1 if the seat has a ship on Tonga
    "alone points",  # points of islands where only this seat has ships, while it may found royal islands
    "alone best",  # points of the best of those islands
    "royals",  # royal islands
    "supply",  # ships in supply
    "supply spent",  # 1 divided by 1 plus the ships in supply
    "ships out",  # ships on beaches
    "prospect",  # the best departure to an island the seat does not hold: the points there, divided by the ships that the beach lacks
    "prospect 2",  # the second-best departure
    "ready",  # the most points that can be won by a departure from a beach that lacks one ship
    "exits",  # departures with which the seat could win points
    "locked in",  # 1 if there are no such departures
    "coming",  # expected points from ships on their way or from the drawn tile
    "to move",  # 1 for the seat whose turn it is
    "wait",  # turns until it is the seat's turn, as a share of the seats
    "rival's prospect",  # the best prospect of a rival
    "rivals alone",  # the best island that a rival may make royal
    "expected",  # the points expected by the expert (``tongiaki_evaluation``), scaled down while much of the game is left
    "ready now",  # "ready" for the seat whose turn it is, 0 for others
)
COLUMNS: Final = len(NAMES)
PHASE: Final = 0
"""The index of the column ``left``, which measures how much of the game is left."""

_LEFT: Final = 0
_ISLANDS_LEFT: Final = 1
_WATERS_LEFT: Final = 2
_ROYAL: Final = 3
_KEPT: Final = 4
_RISKED: Final = 5
_LOOSE: Final = 6
_LEAD: Final = 7
_MEAN_LEAD: Final = 8
_HELD: Final = 9
_TONGA: Final = 10
_ALONE: Final = 11
_ALONE_BEST: Final = 12
_ROYALS: Final = 13
_SUPPLY: Final = 14
_SPENT: Final = 15
_OUT: Final = 16
_PROSPECT: Final = 17
_SECOND: Final = 18
_READY: Final = 19
_EXITS: Final = 20
_LOCKED: Final = 21
_COMING: Final = 22
_TO_MOVE: Final = 23
_WAIT: Final = 24
_RIVAL_PROSPECT: Final = 25
_RIVAL_ALONE: Final = 26
_EXPECTED: Final = 27
_READY_NOW: Final = 28

STEEPNESS: Final = 0.08
"""What one expected point adds to the column ``expected`` at the start of the game; later, it adds more."""
POINT: Final = 0.1
SHIP: Final = 0.1
MOST_ROYALS: Final = 2
"""How many royal islands a seat may found (RULES 3b)."""


def rows(given: State) -> list[list[float]]:
    """Return the features in ``NAMES`` for each seat, in seat order."""
    assert isinstance(given, TongiakiState)
    state: TongiakiState = given
    board = state.board
    players = state.players
    left = horizon(state.deck)
    table = [[0.0] * COLUMNS for _ in range(players)]
    islands = 0
    for tile in state.deck:
        if tile < N_ISLANDS:
            islands += 1
    for seat in range(players):
        row = table[seat]
        row[_LEFT] = left
        row[_ISLANDS_LEFT] = islands / 15.0
        row[_WATERS_LEFT] = (len(state.deck) - islands) / 16.0
        row[_ROYALS] = float(board.royals(seat))
        supply = state.supply[seat]
        row[_SUPPLY] = SHIP * supply
        row[_SPENT] = 1.0 / (1.0 + supply)
        row[_WAIT] = ((seat - state.active) % players) / players
        if seat == state.active:
            row[_TO_MOVE] = 1.0
    _islands(board, losses(left), table, players)
    _departures(board, finds(state.deck, players), table, players)
    _on_the_way(state, table)
    _compare(table, players)
    steep = STEEPNESS / (left + 0.05) ** 0.5
    points = evaluate(state)
    for seat in range(players):
        row = table[seat]
        row[_EXPECTED] = steep * points[seat]
        row[_READY_NOW] = row[_READY] * row[_TO_MOVE]
    return table


def _islands(board: TongiakiBoard, lost: tuple[float, ...], table: list[list[float]], players: int) -> None:
    for island in board.islands:
        ashore = board.ashore[island]
        royal = board.royal[island]
        worth = POINT * POINTS[island]
        if royal >= 0:
            table[royal][_ROYAL] += worth
            table[royal][_HELD] += 0.1
            continue
        if not ashore:
            continue
        chances = held(board, island, lost, players)
        present = 0
        for seat in range(players):
            ships = ashore >> 4 * seat & 15
            if not ships:
                continue
            present += 1
            row = table[seat]
            row[_OUT] += SHIP * ships
            row[_HELD] += 0.1
            row[_KEPT] += worth * chances[seat]
            row[_RISKED] += worth * (1.0 - chances[seat])
            if island == TONGA:
                row[_TONGA] = 1.0
            elif _is_loose(board, island, seat):
                row[_LOOSE] += worth
        if present == 1 and island != TONGA:
            for seat in range(players):
                row = table[seat]
                if ashore >> 4 * seat & 15 and row[_ROYALS] < MOST_ROYALS:
                    row[_ALONE] += worth
                    row[_ALONE_BEST] = max(row[_ALONE_BEST], worth)


def _is_loose(board: TongiakiBoard, island: int, seat: int) -> bool:
    """Return whether all ships of the seat on the island are on a single beach that lacks one ship or is full."""
    first = FIRST_BEACH[island]
    beaches = 0
    for beach in range(first, first + N_BEACHES[island]):
        if board.packed[beach] >> 4 * seat & 15:
            beaches += 1
            if beaches > 1 or BERTHS[beach] - board.count[beach] > 1:
                return False
    return beaches == 1


def _departures(board: TongiakiBoard, found: list[float], table: list[list[float]], players: int) -> None:
    """Fill in the prospects of each seat's departures; see ``tongiaki_evaluation.prospects``."""
    for island in board.islands:
        ashore = board.ashore[island]
        if not ashore:
            continue
        first = FIRST_BEACH[island]
        for beach in range(first, first + N_BEACHES[island]):
            free = BERTHS[beach] - board.count[beach]
            if not free:
                continue
            packed = board.packed[beach]
            colors = 0
            for seat in range(players):
                if packed >> 4 * seat & 15:
                    colors += 1
            for side in PIERS[beach]:
                stranger = board.voyage(island, side, colors + 1)
                if stranger == FAILS:
                    continue
                own = board.voyage(island, side, colors) if colors else FAILS
                for seat in range(players):
                    if ashore >> 4 * seat & 15:
                        aboard = packed >> 4 * seat & 15
                        target = own if aboard else stranger
                        if target == EMPTY:
                            _add_departure(table[seat], POINT * found[colors if aboard else colors + 1], free)
                        elif target != FAILS and not board.ashore[target] >> 4 * seat & 15:
                            _add_departure(table[seat], POINT * POINTS[target], free)


def _add_departure(row: list[float], worth: float, free: int) -> None:
    row[_EXITS] += 0.1
    if free == 1:
        row[_READY] = max(row[_READY], worth)
    each = worth / free
    if each > row[_PROSPECT]:
        row[_SECOND] = row[_PROSPECT]
        row[_PROSPECT] = each
    elif each > row[_SECOND]:
        row[_SECOND] = each


def _on_the_way(state: TongiakiState, table: list[list[float]]) -> None:
    if state.group:
        ashore = state.board.ashore[state.target]
        for seat in range(state.players):
            if state.group >> 4 * seat & 15 and not ashore >> 4 * seat & 15:
                table[seat][_COMING] += POINT * POINTS[state.target]
    elif state.recolonising:
        tile = state.target if state.target >= 0 else state.hand
        table[state.active][_COMING] += POINT * (POINTS[tile] if 0 <= tile < N_ISLANDS else NEW_ISLAND)


def _compare(table: list[list[float]], players: int) -> None:
    total = 0.0
    for row in table:
        total += row[_ROYAL] + row[_KEPT] + row[_COMING]
        row[_LOCKED] = 0.0 if row[_EXITS] else 1.0
    for row in table:
        own = row[_ROYAL] + row[_KEPT] + row[_COMING]
        most = 0.0
        prospect = 0.0
        alone = 0.0
        for other in table:
            if other is not row:
                most = max(most, other[_ROYAL] + other[_KEPT] + other[_COMING])
                prospect = max(prospect, other[_PROSPECT])
                alone = max(alone, other[_ALONE_BEST])
        row[_LEAD] = own - most
        row[_MEAN_LEAD] = own - (total - own) / (players - 1)
        row[_RIVAL_PROSPECT] = prospect
        row[_RIVAL_ALONE] = alone
