"""The moves of Tongiaki as choices to click: islands, beaches, sectors of piers, cells for tiles, and orientations of a tile."""

from __future__ import annotations

from typing import Final

from arena.web.play.move_picker import tongiaki_shapes as shapes
from arena.web.play.move_picker.base import Choice, MovePicker, Picker, Picture
from arena.web.play.move_picker.tongiaki_shapes import arrival, course, guide, home_words, prompt, prompt_of_beaches, taken
from engine.core import State as Position
from engine.core import View
from engine.tongiaki.board.tiles import NAMES, TONGA
from engine.tongiaki.notation.moves import CROWN, ENTER, EXPAND, LAND, LAY, PASS, PLACE, RECOLONISE, SAIL, SETTLE, TAKE, TongiakiMove
from engine.tongiaki.position import Phase
from engine.tongiaki.render.last_move import tongiaki_state
from engine.tongiaki.render.move_text import beach_name, cell_name
from engine.tongiaki.render.pictures import COMPASS, RADIUS, TILE_BOX, tile_name
from engine.tongiaki.state import TongiakiState

_SQUARE: Final = (TILE_BOX.x, TILE_BOX.x, TILE_BOX.width, TILE_BOX.width)
_ROYAL: Final = "its points stay yours alone; one of your ships there remains, the others come back"
_CLOSED: Final = "The island is closed for everybody until the end. This can't be undone."


def pick_from(view: View[Position]) -> MovePicker:
    """Return all legal moves of the seat to move, as choices to click."""
    state = tongiaki_state(view.position)
    laying = state.phase is Phase.LAY and state.hand >= 0
    defs = shapes.tile_defs(state.hand) if laying else ""
    moves = [move for move in view.legal_moves if isinstance(move, TongiakiMove)]
    finding = any(move.code == SAIL and course(state, move).unknown for move in moves)
    royal = ", or a mask to make an island royal" if any(move.code == CROWN for move in moves) else ""
    picker = MovePicker({}, [], reach=2 * RADIUS if laying or finding else 0, prompt=prompt(state) + royal, defs=defs)
    _list_berths(picker, state, moves)
    for move in moves:
        _add(picker, state, move)
    return picker


def _list_berths(picker: MovePicker, state: TongiakiState, moves: list[TongiakiMove]) -> None:
    """Add the beaches where each ship of a group can land, as choices: the player's own ships first, in the order of the beaches."""
    berths = {(seat, beach) for move in moves if move.code == LAND for beach, seats in move.ships for seat in seats}
    for seat, beach in sorted(berths, key=lambda berth: (berth[0] != state.active, *berth)):
        _berth(picker, state, beach, seat)


def _add(picker: MovePicker, state: TongiakiState, move: TongiakiMove) -> None:
    code = move.code
    if code == PLACE:
        beach = move.numbers[0]
        told = f"a ship to {beach_name(state, TONGA, beach)} of {tile_name(TONGA)}"
        picker.add(move, [_beach(picker, state, TONGA, beach)], told=told)
    elif code in {EXPAND, ENTER}:
        beaches = [_beach(picker, state, move.island, beach) for beach in move.numbers]
        ships = [(beach, 1) for beach in move.numbers]
        picker.add(move, [_island(picker, state, move)], beaches, told=arrival(state, move.island, ships))
    elif code == SETTLE:
        told = f"settle on {beach_name(state, state.target, move.numbers[0])} of {tile_name(state.target)}"
        picker.add(move, [_beach(picker, state, state.target, move.numbers[0])], told=told)
    elif code == LAY:
        q, r, orientation = move.numbers
        told = f"{tile_name(state.hand)} {cell_name(state, q, r)}, its crest to the {COMPASS[orientation]}"
        picker.add(move, [_cell(picker, state, move)], [_turn(picker, move)], told=told)
    elif code == LAND:
        berths = [_berth(picker, state, beach, seat) for beach, seats in move.ships for seat in seats]
        picker.add(move, berths, told=arrival(state, state.target, [(beach, len(seats)) for beach, seats in move.ships], of=state.group))
    else:
        name = str(move)
        picker.choices[name] = _single(state, move)
        picker.add(move, [name])


def _single(state: TongiakiState, move: TongiakiMove) -> Choice:
    island, code = move.island, move.code
    if code == TAKE:
        beach = move.numbers[0]
        words = f"take your ship from {beach_name(state, island, beach)} of {tile_name(island)}"
        return Choice(words, shapes.sand(state, island, beach), ghost=shapes.gone_ships(state, island, beach))
    if code == CROWN:
        words = f"make {tile_name(island)} your royal island"
        return Choice(words, shapes.crown(state, island), more=_ROYAL, ghost=shapes.crowned(state, island), grave=_CLOSED)
    if code == SAIL:
        sailed = course(state, move)
        wind = COMPASS[(state.board.turned[island] + move.numbers[0]) % 6]
        words = f"sail from {tile_name(island)} to the {wind}"
        return Choice(words, shapes.sector(state, move), more=sailed.words, ghost=shapes.voyage(state, sailed))
    if code == RECOLONISE:
        gone = "".join(shapes.gone_ships(state, each) for each in state.board.islands if state.board.ships_of(state.active, each))
        lost = home_words(state)
        return Choice("recolonise", more=lost.partition(", and")[0].partition(".")[0], ghost=gone, grave=lost)
    assert code == PASS
    return Choice("pass", more="do nothing this turn")


def _island(picker: MovePicker, state: TongiakiState, move: TongiakiMove) -> str:
    name = f"island {NAMES[move.island]}"
    if name not in picker.choices:
        count = len(move.numbers)
        more = f"{count} new {'ship' if count == 1 else 'ships'}"
        picker.choices[name] = Choice(tile_name(move.island), shapes.isle(state, move.island), more=more, next=prompt_of_beaches(move))
    return name


def _beach(picker: MovePicker, state: TongiakiState, island: int, beach: int) -> str:
    name = f"beach {NAMES[island]} {beach}"
    if name not in picker.choices:
        words, more = beach_name(state, island, beach), taken(state, island, beach)
        fills = shapes.new_ships(state, island, beach, state.active)
        picker.choices[name] = Choice(words, shapes.sand(state, island, beach), more=more, row=name, fills=fills)
    return name


def _cell(picker: MovePicker, state: TongiakiState, move: TongiakiMove) -> str:
    q, r, orientation = move.numbers
    name = f"cell {q},{r}"
    if name not in picker.choices:
        ghost = shapes.laid(q, r, orientation)
        picker.choices[name] = Choice(cell_name(state, q, r), shapes.cell(q, r), ghost=ghost, row="tile", next="Choose how the tile lies")
    return name


def _turn(picker: MovePicker, move: TongiakiMove) -> str:
    q, r, orientation = move.numbers
    name = f"lie {q},{r} {orientation}"
    picture = COMPASS[orientation]
    picker.pictures[picture] = Picture(f'<g font-size="13"><use href="#hand-{orientation}"/></g>', _SQUARE)
    ghost = shapes.laid(q, r, orientation)
    picker.choices[name] = Choice(f"crest to the {picture}", shapes.turn_arrow(q, r, orientation), picture, ghost=ghost, row="tile")
    return name


def _berth(picker: MovePicker, state: TongiakiState, beach: int, seat: int) -> str:
    """Add the choice to land a ship of the seat on a beach, and return its name. The player does not choose the berth."""
    name = f"berth {beach} {seat}"
    if name not in picker.choices:
        whose = "your" if seat == state.active else f"seat {seat}'s"
        words, more = f"{whose} ship on {beach_name(state, state.target, beach)}", taken(state, state.target, beach)
        fills = shapes.new_ships(state, state.target, beach, seat)
        picker.choices[name] = Choice(words, shapes.berth(state, beach, seat), more=more, row=f"beach {beach}", fills=fills)
    return name


PICKER: Final = Picker(pick_from, guide=guide)
