"""A position of Sunda to Sahul in plain words."""

from __future__ import annotations

from typing import Final

from engine.core import State, View
from engine.description import counted, seat_name, written
from engine.sunda.board.claims import controller
from engine.sunda.board.tiles import IDS
from engine.sunda.notation.moves import write_placement, write_vertex
from engine.sunda.position import HIDDEN
from engine.sunda.render.drawing import sunda_state
from engine.sunda.state import SundaState

_TILES: Final = (
    "Tiles are lozenges cut as jigsaw pieces, and each is different. Its name spells its four corners, L for land and W for water,"
    " counter-clockwise from an acute one, and then its four sides, + for a tab and - for a blank. A tile is laid so that it shares a"
    " side with another, tabs meet blanks, and corners that meet are alike. A placement x,y,d has the tile's first corner at x,y; d counts"
    " sixths of a turn counter-clockwise."
)
_SOLO: Final = "You play alone, for land nodes: corners of land that are closed all round. They count double on complete islands."
_SEATS: Final = (
    "Whoever closes a corner of land all round may claim that node with a token, up to two in a step. A token scores one point, and double"
    " on an island that is complete, with no open corner left."
)
_LEVELS: Final = (
    "",
    "Whoever closes a lake may claim its water rights: five points for each of its corners, doubled on a complete island.",
    "Tokens join tribes of up to five; each token of a tribe scores as many points as the tribe has tokens.",
    "You may ask to join a tribe that another seat controls, who may refuse.",
    "After placing a token you may challenge a tribe on the same island; dice decide which of the two loses a token.",
    "Resources on an island count double, or fourfold if it is complete, for whoever has most tokens there.",
)
_AT_ONCE: Final = (
    "Everybody chooses at once and unseen; then the choices are carried out in an order that dice decide. A raid steals a tile from"
    " another seat, who may then seize two others."
)


def describe(view: View[State]) -> str:
    """Return rules, position and legal moves in plain words, as far as the seat knows them."""
    state = sunda_state(view.position)
    return written(view, rules=_rules(state), board=[*_tiles(state), *_claims(view, state), *_pots(view, state), *_choices(view, state)])


def _rules(state: SundaState) -> list[str]:
    p = state.inside
    if p.alone:
        return [_TILES, _SOLO]
    return [_TILES, " ".join([_SEATS, *_LEVELS[1 : p.level + 1]]), *([_AT_ONCE] if p.ticks else [])]


def _tiles(state: SundaState) -> list[str]:
    laid = [f"{IDS[tile]} at {write_placement(placement)}" for tile, placement in sorted(state.inside.board.lies.items())]
    return [f"On the table: {', '.join(laid)}." if laid else "The table is empty."]


def _claims(view: View[State], state: SundaState) -> list[str]:
    claims = state.inside.claims
    lines = []
    for vertex, tribe in sorted(claims.tribes.items()):
        tokens = ", ".join(seat_name(view, seat) for seat in tribe)
        ruled = f", controlled by {seat_name(view, controller(tribe))}" if len(set(tribe)) > 1 else ""
        lines.append(f"At {write_vertex(vertex)}: {counted(len(tribe), 'token')}, from the bottom up of {tokens}{ruled}.")
    lines += [f"The lake at {write_vertex(lake)} is claimed by {seat_name(view, seat)}." for lake, seat in sorted(claims.lakes.items())]
    lines += [f"A resource of {value} lies at {write_vertex(vertex)}." for value, vertex in claims.markers]
    return lines


def _pots(view: View[State], state: SundaState) -> list[str]:
    p = state.inside
    pots = range(p.players) if p.private else range(1)
    return [f"{_whose(view, pot) if p.private else 'The pot has'} {_listed(p.pots.tiles(pot))}." for pot in pots]


def _whose(view: View[State], seat: int) -> str:
    return "Your pot has" if seat == view.seat else f"The pot of seat {seat} has"


def _listed(tiles: list[int]) -> str:
    return f"{counted(len(tiles), 'tile')}{': ' if tiles else ''}{', '.join(IDS[tile] for tile in tiles)}"


def _choices(view: View[State], state: SundaState) -> list[str]:
    chosen = [(seat, choice) for seat, choice in enumerate(state.inside.choices) if choice is not None]
    return [
        f"{seat_name(view, seat).capitalize()} {'has chosen in secret' if choice is HIDDEN else f'chose {choice}'}."
        for seat, choice in chosen
    ]
