"""Sunda to Sahul moves and their notation (RULES 9), which is written by ``str(move)`` and read by ``parse_move``.

A move is a kind and two integers, chosen so that sorting by (kind, first, second) gives the order of RULES 9. Kinds are plain integers
because the compiled engine compares them in its innermost loops.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import mypyc_attr

from engine.core import InvalidMoveError, Move
from engine.sunda.board.tiles import IDS, SYMMETRIC, TILE_OF_ID
from engine.sunda.board.trigrid import REACH, vertex_at, x_of, y_of

START: Final = 0
PLACE: Final = 1
SHIFT: Final = 2
CLAIM: Final = 3
JOIN: Final = 4
ACCEPT: Final = 5
REFUSE: Final = 6
LAKE: Final = 7
RESOURCE: Final = 8
CHALLENGE: Final = 9
SKIP: Final = 10
AGREE: Final = 11
STOP: Final = 12
RAID: Final = 13
WAIT: Final = 14
SEIZE: Final = 15

FORMS: Final = (
    "start TILE",
    "place TILE x,y,d",
    "shift x,y,d x,y,d",
    "claim x,y",
    "join x,y",
    "accept",
    "refuse",
    "lake x,y",
    "resource VALUE x,y",
    "challenge x,y x,y",
    "skip",
    "agree",
    "stop",
    "raid SEAT TILE",
    "wait",
    "seize TILE TILE",
)
"""The form of a move's notation, indexed by kind."""
KIND_WORDS: Final = tuple(form.split(" ")[0] for form in FORMS)

NOTHING: Final = -1
"""Used in place of the second tile of a ``seize`` that takes only one."""


def write_vertex(vertex: int) -> str:
    """Return a vertex as ``x,y``."""
    return f"{x_of(vertex)},{y_of(vertex)}"


def write_placement(placement: int) -> str:
    """Return a placement as ``x,y,d``."""
    return f"{write_vertex(placement // 6)},{placement % 6}"


@final
@mypyc_attr(acyclic=True)
class SundaMove(Move):
    """A Sunda to Sahul move.

    The meaning of ``first`` and ``second`` depends on ``kind``: start (tile), place (tile, placement), shift (placement, placement),
    claim, join and lake (vertex), resource (value, vertex), challenge (vertex, vertex), raid (tile, seat), seize (tile, tile or
    NOTHING); they are 0 otherwise. Tiles, vertices and placements are the integers of ``board.tiles`` and ``board.trigrid``.
    """

    __slots__ = ("first", "kind", "second")

    def __init__(self, kind: int, first: int = 0, second: int = 0) -> None:
        self.kind: Final = kind
        self.first: Final = first
        self.second: Final = second

    @property
    def tile(self) -> int:
        """The tile that is laid or taken; only valid for start, place, raid and seize."""
        return self.first

    @property
    def placement(self) -> int:
        """Where a tile ends up; only valid for start, place and shift."""
        return self.second

    def __str__(self) -> str:
        kind = self.kind
        word = KIND_WORDS[kind]
        if kind == PLACE:
            return f"{word} {IDS[self.first]} {write_placement(self.second)}"
        if kind == START:
            return f"{word} {IDS[self.first]}"
        if kind == SHIFT:
            return f"{word} {write_placement(self.first)} {write_placement(self.second)}"
        if kind in {CLAIM, JOIN, LAKE}:
            return f"{word} {write_vertex(self.first)}"
        if kind == RESOURCE:
            return f"{word} {self.first} {write_vertex(self.second)}"
        if kind == CHALLENGE:
            return f"{word} {write_vertex(self.first)} {write_vertex(self.second)}"
        if kind == RAID:
            return f"{word} {self.second} {IDS[self.first]}"
        if kind == SEIZE:
            return f"{word} {IDS[self.first]}" + ("" if self.second == NOTHING else f" {IDS[self.second]}")
        return word

    def __repr__(self) -> str:
        return f"find_game('sunda').parse('{self}')"

    def __reduce__(self) -> tuple[type[SundaMove], tuple[int, int, int]]:
        return SundaMove, (self.kind, self.first, self.second)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SundaMove):
            return NotImplemented
        return self.kind == other.kind and self.first == other.first and self.second == other.second

    def __hash__(self) -> int:
        return hash((self.kind, self.first, self.second))


_TONGIAKI_WORDS: Final = frozenset({"expand", "take", "pass", "crown", "recolonise", "enter", "lay", "settle", "sail", "land"})
_MAX_SEATS: Final = 4


def parse_move(text: str) -> SundaMove:
    """Return the move with this notation, which must be exactly ``str(move)``. Raises InvalidMoveError that says what is wrong."""
    words = text.split(" ")
    word = words[0]
    if word not in KIND_WORDS:
        if word in _TONGIAKI_WORDS:
            raise InvalidMoveError(f"{text!r} is a Tongiaki move, not a Sunda to Sahul move")
        raise InvalidMoveError(f"{text!r} is not a Sunda to Sahul move: the first word must be one of {', '.join(KIND_WORDS)}")
    kind = KIND_WORDS.index(word)
    if kind == PLACE and len(words) == 2 and words[1].isdigit():
        raise InvalidMoveError(f"{text!r} is a Tongiaki move; in Sunda to Sahul, the form is {FORMS[kind]!r}")
    fields = FORMS[kind].split(" ")
    if len(words) != len(fields) and not (kind == SEIZE and len(words) == 2):
        raise InvalidMoveError(f"{text!r} must be written as {FORMS[kind]!r}")
    try:
        values = [_field(form, word) for form, word in zip(fields[1:], words[1:], strict=False)]
    except ValueError as error:
        raise InvalidMoveError(f"{text!r} must be written as {FORMS[kind]!r}: {error}") from None
    return _move(text, kind, values)


def _move(text: str, kind: int, values: list[int]) -> SundaMove:
    if kind == PLACE and SYMMETRIC[values[0]] and values[1] % 6 >= 3:
        raise InvalidMoveError(f"{text!r}: {IDS[values[0]]} looks the same after a half turn, so its direction must be 0, 1 or 2")
    if kind == RAID:
        return SundaMove(kind, values[1], values[0])
    if kind == SEIZE:
        if len(values) == 1:
            return SundaMove(kind, values[0], NOTHING)
        if values[0] >= values[1]:
            raise InvalidMoveError(f"{text!r}: the two tiles of 'seize' must be different and in ascending order")
    return SundaMove(kind, *values)


def read_number(text: str) -> int:
    """Return the integer with this notation. Raises ValueError if it is invalid."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or (digits[0] == "0" and text != "0"):
        raise ValueError(f"{text!r} is not an integer; write it like 7 or -7, without leading zeros or a plus sign")
    if len(digits) > 9:
        raise ValueError(f"{text} is out of range")
    return int(text)


def read_vertex(text: str) -> int:
    """Return the vertex with this notation. Raises ValueError if it is invalid."""
    numbers = [read_number(part) for part in text.split(",")]
    if len(numbers) != 2:
        raise ValueError(f"{text!r} is not a vertex in the form x,y")
    if max(abs(number) for number in numbers) > REACH:
        raise ValueError(f"{text} is out of range: coordinates must be between -{REACH} and {REACH}")
    return vertex_at(numbers[0], numbers[1])


def read_placement(text: str) -> int:
    """Return the placement with this notation. Raises ValueError if it is invalid."""
    vertex, _, direction = text.rpartition(",")
    d = read_number(direction)
    if not 0 <= d <= 5:
        raise ValueError(f"a direction must be between 0 and 5, not {d}")
    return 6 * read_vertex(vertex) + d


def read_tile(text: str) -> int:
    """Return the tile with this id. Raises ValueError if there is no such tile."""
    if text in TILE_OF_ID:
        return TILE_OF_ID[text]
    turned = text[2:4] + text[:2] + text[6:] + text[4:6]
    if turned in TILE_OF_ID:
        raise ValueError(f"{text} is the tile {turned} after a half turn; write {turned} instead")
    raise ValueError(f"there is no tile {text!r}")


def _field(form: str, text: str) -> int:
    if form == "TILE":
        return read_tile(text)
    if form == "x,y":
        return read_vertex(text)
    if form == "x,y,d":
        return read_placement(text)
    number = read_number(text)
    if form == "SEAT" and not 0 <= number < _MAX_SEATS:
        raise ValueError(f"there is no seat {number}")
    if form == "VALUE" and number < 1:
        raise ValueError(f"no resource is worth {number}")
    return number


def explain_move(move: SundaMove) -> str:
    """Describe a move in plain words."""
    kind, first, second = move.kind, move.first, move.second
    if kind == START:
        return f"begins with the water tile {IDS[first]}"
    if kind == PLACE:
        return f"lays {IDS[first]} at {write_placement(second)}"
    if kind == SHIFT:
        return f"shifts the tile at {write_placement(first)} to {write_placement(second)}, to remove the triangular space"
    if kind == RESOURCE:
        return f"puts the resource worth {first} next to the token at {write_vertex(second)}"
    if kind == CHALLENGE:
        return f"challenges the tribe at {write_vertex(second)} with the tribe at {write_vertex(first)}"
    if kind == RAID:
        return f"raids seat {second} for {IDS[first]}"
    if kind == SEIZE:
        return f"takes {IDS[first]}{'' if second == NOTHING else f' and {IDS[second]}'} from the raider's pot"
    if kind in _AT_VERTEX:
        return f"{_AT_VERTEX[kind]} {write_vertex(first)}"
    return _WITHOUT_PLACE[kind]


_AT_VERTEX: Final = {
    CLAIM: "puts a token on the new land node",
    JOIN: "wants to add a token to the tribe at",
    LAKE: "takes the water rights of the lake at",
}
_WITHOUT_PLACE: Final = {
    ACCEPT: "lets the token join the tribe",
    REFUSE: "keeps the token out of the tribe",
    SKIP: "declines",
    AGREE: "agrees to end the game",
    STOP: "ends the game",
    WAIT: "waits",
}
