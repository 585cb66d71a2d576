"""Describes Sunda to Sahul moves and events in plain words, with names for tiles and compass directions instead of the notation."""

from __future__ import annotations

from math import atan2, degrees
from typing import Final, NamedTuple

from engine.core import Move, State
from engine.render.scene import EventText
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import KIND_OF_CORNERS, PATTERN_OF_TILE
from engine.sunda.notation.moves import (
    CHALLENGE,
    CLAIM,
    JOIN,
    LAKE,
    NOTHING,
    PLACE,
    RAID,
    RESOURCE,
    SEIZE,
    SHIFT,
    START,
    SundaMove,
    explain_move,
)
from engine.sunda.render.panel import sunda_state
from engine.sunda.render.pictures import Point, middle_of, point_of
from engine.sunda.rules.challenges import challenger_wins


class Kind(NamedTuple):
    """A kind of tile: its name, and a description of its corners."""

    words: str
    note: str


_KINDS: Final = {
    "WWWW": Kind("sea", "four corners of water"),
    "LWWW": Kind("point", "one corner of land, a sharp one"),
    "WLWW": Kind("cape", "one corner of land, a blunt one"),
    "LLWW": Kind("coast", "land along one side, water along the other"),
    "LWWL": Kind("shore", "land along one side, water along the other: a mirrored coast"),
    "LWLW": Kind("strait", "water between two sharp corners of land"),
    "WLWL": Kind("isthmus", "land between two sharp corners of water"),
    "LLLW": Kind("bay", "one corner of water, a blunt one"),
    "LLWL": Kind("cove", "one corner of water, a sharp one"),
    "LLLL": Kind("land", "four corners of land"),
}
KINDS: Final = tuple(_KINDS.values())
"""The kinds of tiles, from all water to all land."""
_NUMBER_OF_CORNERS: Final = {KIND_OF_CORNERS[int(corners.translate({76: "0", 87: "1"}), 2)]: n for n, corners in enumerate(_KINDS)}
_SECTORS: Final = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")


def kind_number(tile: int) -> int:
    """Return the index of a tile's kind in ``KINDS``."""
    return _NUMBER_OF_CORNERS[KIND_OF_CORNERS[PATTERN_OF_TILE[tile] >> 4]]


def direction(board: SundaBoard, point: Point) -> str:
    """Return where on the board a point is, as a compass direction."""
    points = [point_of(vertex) for vertex in board.types]
    x, y = (sum(values) / len(values) for values in zip(*points, strict=True))
    dx, dy = point[0] - x, y - point[1]
    if dx * dx + dy * dy < 60 * 60:
        return "in the middle"
    return f"in the {_SECTORS[round(degrees(atan2(dy, dx)) / 45) % 8]}"


def describe_move(position: State, move: Move, *, is_done: bool) -> str:  # the wording is always that of a move to be made
    """See ``engine.render.drawing.describe_move``; directions refer to the board of the position.

    Raises TypeError for a position or move of a different game.
    """
    if not isinstance(move, SundaMove):
        raise TypeError(f"expected a Sunda to Sahul move, not {type(move).__name__}")
    board = sunda_state(position).inside.board

    def where(point: Point) -> str:
        return direction(board, point)

    first, second = move.first, move.second
    if move.kind == START:
        return "begins with open sea"
    if move.kind == PLACE:
        return f"lays {_a_tile(first)} {where(middle_of(second))}"
    if move.kind == SHIFT:
        return f"moves the tile {where(middle_of(first))}, to close a gap"
    if move.kind == CLAIM:
        return f"puts a token on the new land node {where(point_of(first))}"
    if move.kind == JOIN:
        return f"wants to add a token to the tribe {where(point_of(first))}"
    if move.kind == LAKE:
        return f"claims the lake {where(point_of(first))}"
    if move.kind == RESOURCE:
        return f"adds the resource {first} {where(point_of(second))}"
    if move.kind == CHALLENGE:
        return f"challenges the tribe {where(point_of(second))} with the tribe {where(point_of(first))}"
    if move.kind == RAID:
        return f"raids seat {second} for {_a_tile(first)}"
    if move.kind == SEIZE:
        more = "" if second == NOTHING else f" and {_a_tile(second)}"
        return f"takes {_a_tile(first)}{more} from the raider's pot"
    return explain_move(move)


def _a_tile(tile: int) -> str:
    kind = KINDS[kind_number(tile)].words
    article = {"sea": "", "land": "", "isthmus": "an "}.get(kind, "a ")
    return f"{article}{kind}"


def describe_event(event: str) -> EventText:
    """Return an event of ``state.events`` in words, with its dice; an unknown event is returned unchanged."""
    try:
        return _read(event)
    except (ValueError, IndexError):
        return EventText(event)


def _read(event: str) -> EventText:
    kind, *rest = event.split(" ")
    if kind == "dice":
        mine, theirs = (_rolls(part, " ") for part in " ".join(rest).split("|"))
        winner = "the challenger wins" if challenger_wins(list(mine), list(theirs)) else "the challenger loses"
        return EventText(f"rolls {_listed(mine)} against {_listed(theirs)}: {winner}", (("challenger", mine), ("other", theirs)))
    if kind == "order":
        rolls = tuple((seat, _rolls(dice, "/")) for seat, dice in (part.split(":") for part in rest))
        order = sorted(rolls, key=lambda roll: roll[1], reverse=True)
        named = tuple((f"seat {int(seat)}", dice) for seat, dice in rolls)
        return EventText(f"the dice decide the order: {', '.join(f'seat {seat}' for seat, _ in order)}", named)
    if kind == "unable":
        return EventText(f"seat {int(rest[0])} can't lay a tile anywhere")
    if kind == "void":
        return EventText(f"the choice of seat {int(rest[0])} no longer has an effect")
    raise ValueError(event)


def _rolls(text: str, between: str) -> tuple[int, ...]:
    return tuple(int(roll) for roll in text.split(between))


def _listed(rolls: tuple[int, ...]) -> str:
    return " and ".join(map(str, rolls))
