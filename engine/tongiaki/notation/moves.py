"""Tongiaki moves and their notation (RULES 7): ``str(move)`` writes it, and ``parse_move`` reads it. Frequent moves are shared objects."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final, TypeAlias, final

from engine.core import InvalidMoveError, Move
from engine.text import plain
from engine.tongiaki.board.tiles import N_BEACHES, N_ISLANDS, NAMES, TILE_OF_NAME, TONGA

Ships: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
"""A landing: the beaches that get ships, in ascending order, each with the seats of its new ships, also in ascending order."""


class Kind(IntEnum):
    """The kinds of moves, in the order in which legal moves are listed (RULES 7)."""

    PLACE = 0
    EXPAND = 1
    TAKE = 2
    PASS = 3
    CROWN = 4
    RECOLONISE = 5
    ENTER = 6
    LAY = 7
    SETTLE = 8
    SAIL = 9
    LAND = 10


# The same numbers for code that runs often: plain integers compare faster than enum members.
PLACE: Final = 0
EXPAND: Final = 1
TAKE: Final = 2
PASS: Final = 3
CROWN: Final = 4
RECOLONISE: Final = 5
ENTER: Final = 6
LAY: Final = 7
SETTLE: Final = 8
SAIL: Final = 9
LAND: Final = 10


@final
class TongiakiMove(Move):
    """A Tongiaki move.

    ``code`` is its kind as a plain integer. ``island`` is the island that it names, or -1. ``numbers`` depends on the kind: ``(beach,)``
    for PLACE, TAKE and SETTLE; the beaches for EXPAND and ENTER; ``(q, r, orientation)`` for LAY; ``(side,)`` for SAIL. Only LAND has
    ``ships``.
    """

    __slots__ = ("_text", "code", "island", "numbers", "ships")

    def __init__(self, code: int, island: int = -1, numbers: tuple[int, ...] = (), ships: Ships = ()) -> None:
        self.code: Final = code
        self.island: Final = island
        self.numbers: Final = numbers
        self.ships: Final = ships
        self._text = ""  # made on first use: most listed moves are never written

    @property
    def kind(self) -> Kind:
        """The kind of the move, as an enum member."""
        return Kind(self.code)

    @property
    def island_name(self) -> str:
        """The name of the island as the notation spells it, or an empty string."""
        return NAMES[self.island] if self.island >= 0 else ""

    def __str__(self) -> str:
        if not self._text:
            self._text = _notation(self.code, self.island, self.numbers, self.ships)
        return self._text

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, TongiakiMove):
            return False
        return self.code == other.code and self.island == other.island and self.numbers == other.numbers and self.ships == other.ships

    def __hash__(self) -> int:
        return hash((self.code, self.island, self.numbers, self.ships))

    def __repr__(self) -> str:
        return f"find_game('tongiaki').parse('{self}')"

    def __reduce__(self) -> tuple[type[TongiakiMove], tuple[int, int, tuple[int, ...], Ships]]:
        return TongiakiMove, (self.code, self.island, self.numbers, self.ships)


def _notation(code: int, island: int, numbers: tuple[int, ...], ships: Ships) -> str:
    word = Kind(code).name.lower()
    listed = ",".join(map(str, numbers))
    if code in {EXPAND, ENTER, SAIL}:
        return f"{word} {NAMES[island]} {listed}"
    if code == TAKE:
        return f"{word} {NAMES[island]}:{listed}"
    if code == CROWN:
        return f"{word} {NAMES[island]}"
    if code in {PLACE, SETTLE}:
        return f"{word} {listed}"
    if code == LAY:
        return f"{word} {numbers[0]},{numbers[1]} {numbers[2]}"
    if code == LAND:
        return " ".join([word, *(f"{beach}:{''.join(map(str, seats))}" for beach, seats in ships)])
    return word


THE_PASS: Final = TongiakiMove(PASS)
THE_RECOLONISE: Final = TongiakiMove(RECOLONISE)
PLACES: Final[list[TongiakiMove]] = [TongiakiMove(PLACE, -1, (beach,)) for beach in range(N_BEACHES[TONGA])]
SETTLES: Final[list[TongiakiMove]] = [TongiakiMove(SETTLE, -1, (beach,)) for beach in range(max(N_BEACHES))]
CROWNS: Final[list[TongiakiMove]] = [TongiakiMove(CROWN, island) for island in range(N_ISLANDS)]
EXPANDS: Final[list[list[list[TongiakiMove]]]] = [
    [[TongiakiMove(EXPAND, island, beaches) for beaches in combinations(range(count), ships)] for ships in range(count + 1)]
    for island, count in enumerate(N_BEACHES)
]
"""At ``[island][number of ships]``: the EXPAND moves for every choice of beaches, in order."""
TAKES: Final[list[TongiakiMove]] = [
    TongiakiMove(TAKE, island, (beach,)) for island, count in enumerate(N_BEACHES) for beach in range(count)
]
"""The TAKE moves, by beach; beaches are numbered across all islands."""
ENTERS: Final[list[list[TongiakiMove]]] = [
    [TongiakiMove(ENTER, island, beaches) for beaches in combinations_with_replacement(range(count), 2 if island == TONGA else 1)]
    for island, count in enumerate(N_BEACHES)
]
SAILS: Final[list[TongiakiMove]] = [TongiakiMove(SAIL, island, (side,)) for island in range(N_ISLANDS) for side in range(6)]
"""At ``6 * island + side``: the SAIL move by the pier on that side of the island."""


def lay(q: int, r: int, orientation: int) -> TongiakiMove:
    """Return the move that lays the tile in hand on the cell ``(q, r)``; the same arguments return the same object."""
    return lay_at(6 * (128 * (q + 64) + r + 64) + orientation)


@cache
def lay_at(key: int) -> TongiakiMove:
    """Return the LAY move with the key ``6 * cell + orientation`` (see ``board.board.cell_of``). LAY moves are in order of their keys."""
    return TongiakiMove(LAY, -1, (key // 768 - 64, key // 6 % 128 - 64, key % 6))


_FORMS: Final = {
    Kind.PLACE: "place 3",
    Kind.EXPAND: "expand Samoa 0,2",
    Kind.TAKE: "take Samoa:0",
    Kind.PASS: "pass",
    Kind.CROWN: "crown Samoa",
    Kind.RECOLONISE: "recolonise",
    Kind.ENTER: "enter Tonga 0,4",
    Kind.LAY: "lay 2,-1 4",
    Kind.SETTLE: "settle 1",
    Kind.SAIL: "sail Samoa 2",
    Kind.LAND: "land 0:02 1:1",
}
_SUNDA_WORDS: Final = "start shift claim join accept refuse lake resource challenge skip agree stop raid wait seize".split()  # noqa: SIM905
"""First words of moves that only Sunda to Sahul has; both games have ``place``."""
_COMPASS: Final = ("north", "north-east", "south-east", "south", "south-west", "north-west")
_NUMBER: Final = re.compile(r"-?[0-9]{1,2}")


def parse_move(text: str) -> TongiakiMove:
    """Return the move that a text stands for. Raises InvalidMoveError, which says what is wrong with the text."""
    word, _, rest = text.partition(" ")
    try:
        kind = Kind[word.upper()] if word.islower() else None
    except KeyError:
        kind = None
    if kind is None:
        if word in _SUNDA_WORDS:
            raise InvalidMoveError(f"'{_short(text)}' is a Sunda to Sahul move, not a Tongiaki move")
        raise InvalidMoveError(
            f"'{_short(text)}' is not a Tongiaki move; a move begins with one of {', '.join(k.name.lower() for k in Kind)}"
        )
    try:
        move = _read(kind, rest)
    except (ValueError, LookupError) as error:
        if kind is Kind.PLACE and len(rest.split(" ")) == 2:
            raise InvalidMoveError(f"'{_short(text)}' is a Sunda to Sahul move, not a Tongiaki move") from None
        reason = str(error) if type(error) is InvalidMoveError else f"it should look like '{_FORMS[kind]}'"
        raise InvalidMoveError(f"'{_short(text)}' is not a Tongiaki move: {reason}") from None
    if str(move) != text:
        raise InvalidMoveError(f"'{_short(text)}' is not a Tongiaki move: it should be written '{move}'")
    return move


def _short(text: str) -> str:
    return plain(text if len(text) <= 40 else text[:37] + "...")


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _island(name: str) -> int:
    island = TILE_OF_NAME.get(name, N_ISLANDS)
    if island >= N_ISLANDS:
        raise InvalidMoveError(f"there is no island '{_short(name)}'")
    return island


def _beach(text: str, island: int) -> int:
    beach = _number(text)
    if not 0 <= beach < N_BEACHES[island]:
        raise InvalidMoveError(f"{NAMES[island]} has no beach {beach}")
    return beach


def _read(kind: Kind, rest: str) -> TongiakiMove:
    code = kind.value
    if kind in {Kind.PASS, Kind.RECOLONISE}:
        if rest:
            raise ValueError(rest)
        return TongiakiMove(code)
    if kind is Kind.CROWN:
        return TongiakiMove(code, _island(rest))
    if kind in {Kind.PLACE, Kind.SETTLE}:
        return TongiakiMove(code, -1, (_beach(rest, TONGA),))
    if kind is Kind.TAKE:
        name, beach = rest.split(":")
        return TongiakiMove(TAKE, _island(name), (_beach(beach, _island(name)),))
    if kind is Kind.LAND:
        return _read_landing(rest)
    if kind is Kind.LAY:
        cell, orientation = rest.split(" ")
        q, r = cell.split(",")
        if not 0 <= _number(orientation) < 6:
            raise InvalidMoveError(f"an orientation must be 0 to 5, not {orientation}")
        return TongiakiMove(LAY, -1, (_number(q), _number(r), _number(orientation)))
    name, numbers = rest.split(" ")
    island = _island(name)
    if kind is Kind.SAIL:
        if not 0 <= _number(numbers) < 6:
            raise InvalidMoveError(f"a side must be 0 to 5, not {numbers}")
        return TongiakiMove(SAIL, island, (_number(numbers),))
    beaches = tuple(_beach(number, island) for number in numbers.split(","))
    if kind is Kind.ENTER:
        if len(beaches) != (2 if island == TONGA else 1) or list(beaches) != sorted(beaches):
            raise InvalidMoveError("to enter, give two beaches of Tonga, in ascending order, or one beach of any other island")
        return TongiakiMove(ENTER, island, beaches)
    if list(beaches) != sorted(set(beaches)):
        raise InvalidMoveError("beaches must be in ascending order, each at most once")
    return TongiakiMove(EXPAND, island, beaches)


def _read_landing(rest: str) -> TongiakiMove:
    ships: list[tuple[int, tuple[int, ...]]] = []
    for part in rest.split(" ") if rest else ():
        beach, seats = part.split(":")
        if not (seats.isascii() and seats.isdigit()) or list(seats) != sorted(seats) or max(seats) > "5" or len(seats) > 5:
            raise InvalidMoveError("a beach must get one to five ships, each written as its seat (0 to 5), in ascending order")
        ships.append((_beach(beach, TONGA), tuple(map(int, seats))))
    if [beach for beach, _ in ships] != sorted({beach for beach, _ in ships}):
        raise InvalidMoveError("beaches must be in ascending order, each at most once")
    return TongiakiMove(LAND, -1, (), tuple(ships))


def explain_move(move: TongiakiMove) -> str:
    """Return the move in plain words."""
    island = move.island_name.replace("_", " ")
    beaches = _listed("beach", "beaches", move.numbers)
    words = {
        Kind.PLACE: f"places a ship on {beaches} of Tonga",
        Kind.EXPAND: f"expands on {island}, {beaches}",
        Kind.TAKE: f"takes a ship off {beaches} of {island}",
        Kind.PASS: "passes",
        Kind.CROWN: f"founds a royal island on {island}",
        Kind.RECOLONISE: "calls all ships back to colonise anew",
        Kind.ENTER: f"enters {island}, {beaches}",
        Kind.SETTLE: f"settles on {beaches}",
    }
    if move.kind in words:
        return words[move.kind]
    if move.kind is Kind.SAIL:
        return f"sails from {island} by the pier on side {move.numbers[0]}"
    if move.kind is Kind.LAY:
        q, r, orientation = move.numbers
        return f"lays the tile at {q},{r}, its crest facing {_COMPASS[orientation]}"
    landed = "; ".join(f"{_crew(seats)} on beach {beach}" for beach, seats in move.ships)
    return f"lands {landed}" if landed else "lands no ship: there is no free berth"


def _crew(seats: tuple[int, ...]) -> str:
    """Return how many ships of which seats there are: ``2 of seat 0 and 1 of seat 3``."""
    return " and ".join(f"{seats.count(seat)} of seat {seat}" for seat in dict.fromkeys(seats))


def _listed(one: str, many: str, numbers: tuple[int, ...]) -> str:
    return f"{one if len(numbers) == 1 else many} {' and '.join(map(str, numbers))}"
