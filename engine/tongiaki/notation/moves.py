"""The moves of Tongiaki as values, with tables of those that every game shares. ``notation.parse`` reads them from text."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final, TypeAlias, final

from engine.core import Move
from engine.tongiaki.board.tiles import N_BEACHES, N_ISLANDS, NAMES, TONGA

Ships: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
"""A landing: the beaches that get ships, ascending, each with the seats of its new ships, ascending."""


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


# The same numbers for code that runs often: plain integers compare faster than members of an enum.
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
    """A decision in Tongiaki.

    ``code`` is its kind as a plain integer, ``island`` the island it names (-1 if none). ``numbers`` holds, by kind: ``(beach,)`` for
    PLACE, TAKE and SETTLE, the beaches for EXPAND and ENTER, ``(q, r, orientation)`` for LAY, ``(side,)`` for SAIL. ``ships`` is for LAND.
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
        """The kind of the move, as a member of the enum."""
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
    """Return the move as RULES 7 writes it."""
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
"""At ``[island][number of ships]``: every choice of beaches, in order."""
TAKES: Final[list[TongiakiMove]] = [
    TongiakiMove(TAKE, island, (beach,)) for island, count in enumerate(N_BEACHES) for beach in range(count)
]
"""By beach, as numbered through all islands."""
ENTERS: Final[list[list[TongiakiMove]]] = [
    [TongiakiMove(ENTER, island, beaches) for beaches in combinations_with_replacement(range(count), 2 if island == TONGA else 1)]
    for island, count in enumerate(N_BEACHES)
]
SAILS: Final[list[TongiakiMove]] = [TongiakiMove(SAIL, island, (side,)) for island in range(N_ISLANDS) for side in range(6)]
"""At ``6 * island + side``."""


def lay(q: int, r: int, orientation: int) -> TongiakiMove:
    """Return the move that lays the tile in hand on the cell ``(q, r)``; always the same object."""
    return lay_at(6 * (128 * (q + 64) + r + 64) + orientation)


@cache
def lay_at(key: int) -> TongiakiMove:
    """Return the same move by the key ``6 * cell + orientation`` (see ``board.board.cell_of``); keys sort as these moves do."""
    return TongiakiMove(LAY, -1, (key // 768 - 64, key // 6 % 128 - 64, key % 6))
