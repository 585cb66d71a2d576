"""Moves of Tongiaki from their notation (RULES 7), and in plain words. ``str(move)`` writes the notation."""

from __future__ import annotations

import re
from typing import Final

from engine.core import InvalidMoveError
from engine.text import plain
from engine.tongiaki.board.tiles import N_BEACHES, N_ISLANDS, NAMES, TILE_OF_NAME, TONGA
from engine.tongiaki.notation.moves import ENTER, EXPAND, LAND, LAY, SAIL, TAKE, Kind, TongiakiMove

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
_OTHER_GAMES: Final = frozenset(
    [
        "start",
        "shift",
        "claim",
        "join",
        "accept",
        "refuse",
        "lake",
        "resource",
        "challenge",
        "skip",
        "agree",
        "stop",
        "raid",
        "wait",
        "seize",
    ]
)  # first words of moves that only Sunda to Sahul has; both games have 'place'
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
        if word in _OTHER_GAMES:
            raise InvalidMoveError(f"'{_short(text)}' is a move of sunda, not of tongiaki")
        raise InvalidMoveError(
            f"'{_short(text)}' is not a move of tongiaki; a move begins with one of {', '.join(k.name.lower() for k in Kind)}"
        )
    try:
        move = _read(kind, rest)
    except (ValueError, LookupError) as error:
        if kind is Kind.PLACE and len(rest.split(" ")) == 2:
            raise InvalidMoveError(f"'{_short(text)}' is a move of sunda, not of tongiaki") from None
        reason = str(error) if type(error) is InvalidMoveError else f"it should look like '{_FORMS[kind]}'"
        raise InvalidMoveError(f"'{_short(text)}' is not a move of tongiaki: {reason}") from None
    if str(move) != text:
        raise InvalidMoveError(f"'{_short(text)}' is not a move of tongiaki: it should be written '{move}'")
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
            raise InvalidMoveError(f"an orientation is 0 to 5, not {orientation}")
        return TongiakiMove(LAY, -1, (_number(q), _number(r), _number(orientation)))
    name, numbers = rest.split(" ")
    island = _island(name)
    if kind is Kind.SAIL:
        if not 0 <= _number(numbers) < 6:
            raise InvalidMoveError(f"a side is 0 to 5, not {numbers}")
        return TongiakiMove(SAIL, island, (_number(numbers),))
    beaches = tuple(_beach(number, island) for number in numbers.split(","))
    if kind is Kind.ENTER:
        if len(beaches) != (2 if island == TONGA else 1) or list(beaches) != sorted(beaches):
            raise InvalidMoveError("two ships enter Tonga, one any other island; beaches ascend")
        return TongiakiMove(ENTER, island, beaches)
    if list(beaches) != sorted(set(beaches)):
        raise InvalidMoveError("beaches ascend, each at most once")
    return TongiakiMove(EXPAND, island, beaches)


def _read_landing(rest: str) -> TongiakiMove:
    ships: list[tuple[int, tuple[int, ...]]] = []
    for part in rest.split(" ") if rest else ():
        beach, seats = part.split(":")
        if not (seats.isascii() and seats.isdigit()) or list(seats) != sorted(seats) or max(seats) > "5" or len(seats) > 5:
            raise InvalidMoveError("a beach gets one to five ships, seats (0 to 5) ascending")
        ships.append((_beach(beach, TONGA), tuple(map(int, seats))))
    if [beach for beach, _ in ships] != sorted({beach for beach, _ in ships}):
        raise InvalidMoveError("beaches ascend, each at most once")
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
