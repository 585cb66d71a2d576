"""The words of Tongiaki's move picker: prompts, the results of departures, and the guide for a first match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.web.play.move_picker.base import Guide
from engine.core import State as Position
from engine.core import View
from engine.text import counted, listed
from engine.tongiaki.board.board import DELTA, coordinates
from engine.tongiaki.board.tiles import BEACH_OF_PIER, BERTHS, FIRST_BEACH, N_ISLANDS, POINTS, ROUTE_COLORS, ROUTE_EXIT
from engine.tongiaki.notation.moves import CROWN, TongiakiMove
from engine.tongiaki.position import Phase
from engine.tongiaki.render.last_move import Leg, tongiaki_state, voyage_of
from engine.tongiaki.render.move_text import beach_name
from engine.tongiaki.render.pictures import tile_name
from engine.tongiaki.rules.landing import packed_colors, packed_seats
from engine.tongiaki.state import TongiakiState

_GOAL: Final = (
    "Spread your ships over the islands. At the end each island gives its points, the number on its coin, to everybody with a ship on it."
)
_NOW: Final = {
    Phase.SETUP: "Everybody starts with two ships on Tonga. Put yours where others are, too: a group of several colours sails farther.",
    Phase.TURN: "Choose an island where you have ships: it gets one new ship on as many of its beaches as you have ships there. A beach"
    " that becomes full must sail, and so new islands are found.",
    Phase.TAKEN: "All your ships are in use, so you have taken one from a beach. Put it on another one.",
    Phase.LAY: "You have drawn a tile. Put it next to the others. Ships sail along a water's lines; the number on a line is how many"
    " colours they need.",
    Phase.SETTLE: "You have found an island. Put your first ship on one of its beaches.",
    Phase.SAIL: "Every berth of a beach is taken, so all its ships leave by one of its piers. A water lets them pass if they have as many"
    " colours as the number on its line; where there is no tile yet, one is drawn.",
    Phase.LAND: "The group has reached an island. Every open beach gets a ship as long as there are enough; what finds no berth goes home.",
    Phase.OVER: "",
}
_NOW_ENTERING: Final = "None of your ships is on a beach. Begin again on an island that is on the table."
_NOW_WITHOUT_SHIPS: Final = "All your ships are in use. Take one from a beach to put it on another, or pass."
_NOW_ROYAL: Final = (
    " On an island where you alone have ships you may found a royal island instead: its points stay yours, one ship remains there, and"
    " the others come back."
)


class Course(NamedTuple):
    """A departure as far as it is known: its legs, its result in words, and the empty cell that it discovers, if any."""

    legs: tuple[Leg, ...]
    words: str
    unknown: tuple[int, int] | None
    fails: bool


def guide(view: View[Position]) -> Guide:
    """Return the guide for a first match, on the game and the decision to be made."""
    state = tongiaki_state(view.position)
    if state.phase is not Phase.TURN:
        return Guide(_GOAL, _NOW[state.phase])
    if not ships_ashore(state):
        return Guide(_GOAL, _NOW_ENTERING)
    royal = _NOW_ROYAL if any(isinstance(move, TongiakiMove) and move.code == CROWN for move in view.legal_moves) else ""
    return Guide(_GOAL, (_NOW[Phase.TURN] if state.supply[state.active] else _NOW_WITHOUT_SHIPS) + royal)


def ships_ashore(state: TongiakiState) -> int:
    """Return how many ships the active seat has on beaches."""
    return sum(state.board.ships_of(state.active, island) for island in state.board.islands)


def prompt(state: TongiakiState) -> str:
    """Return the prompt of the first choice."""
    if state.phase is Phase.TURN:
        if not ships_ashore(state):
            return "You have no ship on a beach: choose where to enter"
        return (
            "Choose an island: it gets as many new ships as you have there"
            if state.supply[state.active]
            else "No ship is left: take one from a beach, or pass"
        )
    words = {
        Phase.SETUP: "Place a ship: choose a beach of Tonga",
        Phase.TAKEN: "Choose the island for the ship that you took",
        Phase.LAY: f"Choose where {tile_name(state.hand)} goes" if state.hand >= 0 else "",
        Phase.SETTLE: f"Settle on {tile_name(state.target)}: choose a beach",
        Phase.SAIL: "A beach is full: choose the pier by which its ships sail",
        Phase.LAND: f"Choose where the ships land on {tile_name(state.target)}",
    }
    return words.get(state.phase, "Choose a move")


def prompt_of_beaches(move: TongiakiMove) -> str:
    """Return the prompt after the island of the move has been picked."""
    count = len(move.numbers)
    return f"Choose {'a beach' if count == 1 else f'{count} beaches'} of {tile_name(move.island)}"


def taken(state: TongiakiState, island: int, beach: int) -> str:
    """Return how many berths of a beach are taken, and the effect of one more ship."""
    number = FIRST_BEACH[island] + beach
    here, room = state.board.count[number], BERTHS[number]
    return f"{here} of {room} berths taken{'; a ship fills it, and all of them sail' if here + 1 == room else ''}"


def arrival(state: TongiakiState, island: int, ships: Sequence[tuple[int, int]], of: int = 0) -> str:
    """Return what ships do that come to an island, as (beach, number): which beaches they fill, and how many of a group find no berth."""
    total = sum(number for _, number in ships)
    first = FIRST_BEACH[island]
    full = [beach_name(state, island, beach) for beach, new in ships if state.board.count[first + beach] + new == BERTHS[first + beach]]
    words = [f"{counted(total, 'ship') if total else 'no ship'} to {tile_name(island)}"]
    if full:
        words.append(f"{listed(full)} {'fills and sails' if len(full) == 1 else 'fill and sail'}")
    if (left := len(packed_seats(of)) - total) > 0:
        words.append(f"{left} without a berth {'goes' if left == 1 else 'go'} home")
    return "; ".join(words)


def course(state: TongiakiState, move: TongiakiMove) -> Course:
    """Return the course of the ships that sail by that pier, as far as tiles lie there."""
    board, side = state.board, move.numbers[0]
    colors = packed_colors(board.packed[BEACH_OF_PIER[6 * move.island + side]])
    legs = voyage_of(board, move.island, side, colors, -1)
    tile, entry, _ = legs[-1]
    if 0 <= tile < N_ISLANDS and len(legs) > 1:
        owner = board.royal[tile]
        words = f"they land on {tile_name(tile)}" if owner < 0 else f"{tile_name(tile)} is royal, so they turn back"
        return Course(legs, words, None, fails=False)
    if len(legs) > 1 and ROUTE_COLORS[6 * tile + entry] > colors:
        words = f"they fail on the water {tile_name(tile)}, which needs {ROUTE_COLORS[6 * tile + entry]} colours, and go home"
        return Course(legs, words, None, fails=True)
    words = "they discover a new tile" if state.ending is None else "no tile is left, so they stay there"
    return Course(legs, words, _beyond(state, move, len(legs)), fails=False)


def _beyond(state: TongiakiState, move: TongiakiMove, legs: int) -> tuple[int, int]:
    """The empty cell that a voyage over that many laid tiles reaches."""
    board, side = state.board, move.numbers[0]
    cell, direction = board.where[move.island], (board.turned[move.island] + side) % 6
    for _ in range(legs - 1):
        cell += DELTA[direction]
        tile = board.cells[cell]
        entry = (direction + 9 - board.turned[tile]) % 6
        direction = (board.turned[tile] + ROUTE_EXIT[6 * tile + entry]) % 6
    return coordinates(cell + DELTA[direction])


def home_words(state: TongiakiState) -> str:
    """Return the effect of recolonising on the seat."""
    ashore = ships_ashore(state)
    if not ashore:
        return "You draw tiles until an island comes, and begin again there with one ship. This can't be undone."
    islands = [island for island in state.board.islands if state.board.ships_of(state.active, island)]
    points = sum(POINTS[each] for each in islands)
    lost = f"{counted(ashore, 'ship')} on {counted(len(islands), 'island')}" + (f", \N{MINUS SIGN}{points} points" if points else "")
    return f"You lose {lost}, and begin again with one ship on a new island. This can't be undone."
