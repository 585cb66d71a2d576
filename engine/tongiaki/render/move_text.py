"""Describes Tongiaki moves and events in plain words; beaches and piers are named after their direction instead of their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.core import Move, State
from engine.render.scene import EventText
from engine.text import counted, listed
from engine.tongiaki.board.board import DELTA, cell_of
from engine.tongiaki.board.tiles import N_ISLANDS, TILE_OF_NAME, TONGA
from engine.tongiaki.notation.moves import Kind, TongiakiMove, explain_move
from engine.tongiaki.render.last_move import tongiaki_state
from engine.tongiaki.render.pictures import BEACH_ARCS, COMPASS, tile_name
from engine.tongiaki.state import TongiakiState

_WINDS: Final = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


def describe_move(position: State, move: Move, *, is_done: bool) -> str:
    """See ``engine.render.drawing.describe_move``. Raises TypeError for a state or a move of a different game."""
    if not isinstance(move, TongiakiMove):
        raise TypeError(f"expected a Tongiaki move, not {type(move).__name__}")
    state = tongiaki_state(position)
    if move.kind is Kind.LAND:
        return _landing(state, move, is_done=is_done)
    if move.kind is Kind.SETTLE:
        return "settles on the new island" if is_done else f"settles on {_beaches(state, state.target, move.numbers)}"
    if move.kind is Kind.SAIL:
        wind = COMPASS[(state.board.turned[move.island] + move.numbers[0]) % 6]
        return f"sails from {tile_name(move.island)} to the {wind}"
    if move.kind is Kind.LAY:
        q, r, orientation = move.numbers
        where = "" if cell_of(q, r) in state.board.cells else f" {cell_name(state, q, r)}"
        return f"lays the tile{where}, its crest facing {COMPASS[orientation]}"
    words = {
        Kind.PLACE: "places a ship on {} of {}",
        Kind.EXPAND: "expands on {} of {}",
        Kind.TAKE: "takes a ship off {} of {}",
        Kind.ENTER: "enters {} of {}",
    }
    if move.kind is Kind.CROWN:
        return f"makes {tile_name(move.island)} a royal island"
    if move.kind in words:
        island = TONGA if move.kind is Kind.PLACE else move.island
        return words[move.kind].format(_beaches(state, island, move.numbers), tile_name(island))
    if move.kind is Kind.RECOLONISE:
        return "recolonises on a new island, taking all ships back"
    return explain_move(move)


def beach_name(state: TongiakiState, island: int, beach: int) -> str:
    """Return the words for a beach: its direction, and its number if the island has another beach in that direction."""
    winds = [_wind(state, island, other) for other in range(len(BEACH_ARCS[island]))]
    alike = f" {beach}" if winds.count(winds[beach]) > 1 else ""
    return f"the {winds[beach]} beach{alike}"


def _wind(state: TongiakiState, island: int, beach: int) -> str:
    arc = BEACH_ARCS[island][beach]
    return _WINDS[round((60 * state.board.turned[island] + (arc.start + arc.end) / 2) / 45) % 8]


def cell_name(state: TongiakiState, q: int, r: int) -> str:
    """Return the words for an empty cell: its direction from each tile next to it."""
    cell = cell_of(q, r)
    beside = [(COMPASS[(side + 3) % 6], state.board.cells.get(cell + DELTA[side], -1)) for side in range(6)]
    return ", ".join(f"{wind} of {tile_name(tile)}" for wind, tile in beside if tile >= 0) or f"at {q},{r}"


def _beaches(state: TongiakiState, island: int, numbers: Sequence[int]) -> str:
    *others, last = [beach_name(state, island, beach).removeprefix("the ").replace(" beach", "", 1) for beach in numbers]
    return f"the {', '.join(others)} and {last} beaches" if others else beach_name(state, island, numbers[0])


def _landing(state: TongiakiState, move: TongiakiMove, *, is_done: bool) -> str:
    if not move.ships:
        return "lands no ship: there is no free berth"
    if not is_done:
        landings = _by_beach(state, move)
        if len(landings) == 1:
            return f"lands {landings[0]} of {tile_name(state.target)}"
        return f"lands on {tile_name(state.target)}: {'; '.join(landings)}"
    return "lands " + _crew(tuple(sorted(seat for _, seats in move.ships for seat in seats)))


def _by_beach(state: TongiakiState, move: TongiakiMove) -> list[str]:
    beaches: dict[str, list[int]] = {}
    is_alone = all(tuple(seats) == (state.actor,) for _, seats in move.ships)
    for beach, seats in move.ships:
        crew = "a ship" if is_alone else _crew(tuple(seats))
        beaches.setdefault(crew, []).append(beach)
    each = {crew: "each of " if len(numbers) > 1 else "" for crew, numbers in beaches.items()}
    return [f"{crew} on {each[crew]}{_beaches(state, state.target, numbers)}" for crew, numbers in beaches.items()]


def _crew(seats: tuple[int, ...]) -> str:
    counts = {seat: seats.count(seat) for seat in seats}
    return listed([f"{'a ship' if count == 1 else counted(count, 'ship')} of seat {seat}" for seat, count in counts.items()])


_WORDS: Final = {
    "draw": "{} is drawn",
    "fails": "the voyage fails on {}: too few colours",
    "stays": "the group stays on {}",
    "turns back": "{} is royal: the group turns back",
    "collapses": "{} collapses",
}


def describe_event(event: str) -> EventText:
    """Return an event of ``state.events`` in words, or unchanged if it isn't an event of this game."""
    kind, _, name = event.rpartition(" ")
    if kind not in _WORDS or name not in TILE_OF_NAME:
        return EventText(event)
    tile = TILE_OF_NAME[name]
    return EventText(_WORDS[kind].format(tile_name(tile) if tile < N_ISLANDS else f"the water {tile_name(tile)}"))
