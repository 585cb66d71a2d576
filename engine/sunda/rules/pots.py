"""Everything that is derived from the seed of a game: which pot each tile is in, and the dice (RULES 4 and 5)."""

from __future__ import annotations

from random import Random
from typing import Final, final

from mypy_extensions import i64

from engine.core import PositionError
from engine.core.rng import KEY_MASK, random_factors
from engine.sunda.board.packed_counts import ALL_FIELDS, FIELD
from engine.sunda.board.tiles import IDS, N_PATTERNS, N_TILES, TILE_MASK, TILE_OF_ID

TABLE: Final = -1
"""The pot number that stands for the board, for tiles that are laid."""

_FACTORS: Final = random_factors(N_TILES, 57, 12)
_MASK: Final[i64] = KEY_MASK


def _part(tile: int, pot: i64) -> i64:
    factor: i64 = _FACTORS[tile]
    return (pot + 1) * factor


@final
class PotTiles:
    """The pots: one for each seat, or a single shared pot, number 0.

    - ``pot_of``: for each tile, its pot
    - ``masks``: for each pot, the mask of its tiles' patterns
    - ``fields``: for each pot, a mask of all bits that belong to its tiles in an integer of ``packed_counts``
    - ``sizes``: the number of tiles in each pot
    - ``key``: the part of a position's hash key that depends on which tile is in which pot
    """

    def __init__(self, number: int, origin: PotTiles | None = None) -> None:
        if origin is None:
            self.pot_of: list[int] = [TABLE] * N_TILES
            self.masks: list[int] = [0] * number
            self.fields: list[int] = [0] * number
            self.sizes: list[int] = [0] * number
            self.key: i64 = 0
        else:
            self.pot_of = origin.pot_of.copy()
            self.masks = origin.masks.copy()
            self.fields = origin.fields.copy()
            self.sizes = origin.sizes.copy()
            self.key = origin.key

    def copy(self) -> PotTiles:
        """Return an independent copy."""
        return PotTiles(0, self)

    def add(self, tile: int, pot: int) -> None:
        """Put a tile that is not in a pot into a pot."""
        self.pot_of[tile] = pot
        self.masks[pot] |= TILE_MASK[tile]
        self.fields[pot] |= FIELD[tile]
        self.sizes[pot] += 1
        self.key = (self.key + _part(tile, pot)) & _MASK

    def take(self, tile: int) -> None:
        """Take a tile out of the pot it is in."""
        pot = self.pot_of[tile]
        self.pot_of[tile] = TABLE
        self.masks[pot] ^= TILE_MASK[tile]
        self.fields[pot] ^= FIELD[tile]
        self.sizes[pot] -= 1
        self.key = (self.key - _part(tile, pot)) & _MASK

    def tiles(self, pot: int) -> list[int]:
        """Return the tiles of a pot, ascending."""
        return [tile for tile in range(N_TILES) if self.pot_of[tile] == pot]


def seeded(seed: int, order: list[int]) -> Random:
    """Shuffle ``order`` (all tiles, or an empty list for a shared pot) in place, and return the generator for the dice."""
    rng = Random(seed)
    if order:
        rng.shuffle(order)
    return rng


def deal(seed: int, players: int) -> PotTiles:
    """Return private pots: all tiles, shuffled from ASCII order and dealt one by one to seats 0, 1, ..."""
    order = list(range(N_TILES))
    seeded(seed, order)
    pots = PotTiles(players)
    for number, tile in enumerate(order):
        pots.add(tile, number % players)
    return pots


def write_pots(pots: PotTiles) -> str:
    """Return the notation of the pots, with a line for each seat."""
    return "".join(" ".join(["pot", str(pot), *(IDS[tile] for tile in pots.tiles(pot))]) + "\n" for pot in range(len(pots.sizes)))


def read_pots(text: str, players: int) -> PotTiles:
    """Return the pots that ``write_pots`` wrote. Raises PositionError if the notation is invalid."""
    pots = PotTiles(players)
    for pot, line in enumerate(text.splitlines()):
        word, number, *ids = line.split(" ")
        if (word, number) != ("pot", str(pot)) or pot >= players or any(name not in TILE_OF_ID for name in ids):
            raise PositionError(f"'{line:.40}' is not a valid line for the pot of seat {pot}")
        for name in ids:
            pots.add(TILE_OF_ID[name], pot)
    if TABLE in pots.pot_of or sum(pots.sizes) != N_TILES:
        raise PositionError("the pots must contain every tile exactly once")
    return pots


def shared_pot() -> PotTiles:
    """Return one pot with all tiles."""
    pots = PotTiles(1)
    pots.pot_of = [0] * N_TILES
    pots.masks = [(1 << N_PATTERNS) - 1]  # every pattern belongs to a tile
    pots.fields = [ALL_FIELDS]
    pots.sizes = [N_TILES]
    return pots


@final
class Dice:
    """The rolls of a game, generated on demand. They never change, so copies of a state share them."""

    def __init__(self, seed: int, *, after_deal: bool) -> None:
        self.seed: Final = seed
        self._after_deal: Final = after_deal
        self._rng: Random | None = None
        self._rolls: list[int] = []
        self._said: list[int] = []
        self._first_said = 0
        self._is_finite = False

    @classmethod
    def from_rolls(cls, before: int, rolls: list[int], then: Dice | None = None) -> Dice:
        """Return dice with these rolls, starting at index ``before``; the other rolls are those of ``then``, or unknown if it is None."""
        dice = cls(0, after_deal=False) if then is None else cls(then.seed, after_deal=then._after_deal)
        dice._said = rolls
        dice._first_said = before
        dice._is_finite = then is None
        return dice

    def roll(self, index: int) -> int:
        """Return the roll with this index, counted from 0. Raises PositionError if it is not known."""
        said = index - self._first_said
        if 0 <= said < len(self._said):
            return self._said[said]
        if self._is_finite:
            raise PositionError("the move needs more dice than the given events report")
        if self._rng is None:
            self._rng = seeded(self.seed, list(range(N_TILES)) if self._after_deal else [])
        while len(self._rolls) <= index:
            self._rolls.append(self._rng.randint(1, 6))
        return self._rolls[index]
