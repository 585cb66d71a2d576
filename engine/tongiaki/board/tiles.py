"""The 32 tiles of Tongiaki (RULES 1), and lookup tables derived from them."""

from __future__ import annotations

from typing import Final, NamedTuple


class Beach(NamedTuple):
    """A beach: its number of berths, and the sides of the tile at which its piers are."""

    berths: int
    piers: tuple[int, ...]


class Island(NamedTuple):
    """An island: its points, and its beaches in the order of their indices."""

    name: str
    points: int
    beaches: tuple[Beach, ...]


class Route(NamedTuple):
    """A foam route: the two sides that it joins, and the number of different ship colours that a group needs to cross it."""

    sides: tuple[int, int]
    colors: int


class Water(NamedTuple):
    """A water: three routes that join all six sides."""

    name: str
    routes: tuple[Route, ...]


def _island(name: str, points: int, *beaches: tuple[int, tuple[int, ...]]) -> Island:
    return Island(name, points, tuple(Beach(berths, piers) for berths, piers in beaches))


def _water(name: str, *routes: tuple[int, int, int]) -> Water:
    return Water(name, tuple(Route((a, b), colors) for a, b, colors in routes))


ISLANDS: Final = (
    _island("Tonga", 0, (3, (0,)), (3, (1,)), (3, (2,)), (3, (3,)), (3, (4,)), (3, (5,))),
    _island("Muroroa", 2, (2, (1,)), (2, (2,)), (3, (4, 5))),
    _island("Nauru", 2, (2, (1, 2)), (3, (3,)), (2, (4, 5))),
    _island("Tubuai", 2, (3, (1, 2)), (3, (4, 5))),
    _island("Rarotonga", 3, (3, (1, 2)), (4, (3, 4, 5))),
    _island("Rapa_Nui", 3, (5, (1, 2)), (3, (3, 4, 5))),
    _island("Tokelau", 3, (4, (1,)), (3, (2, 3)), (2, (4, 5))),
    _island("Tuamotu", 3, (4, (1, 2, 3)), (4, (4, 5))),
    _island("Hiva_Oa", 4, (2, (1, 2)), (2, (3,)), (5, (4, 5))),
    _island("Mangareva", 4, (2, (1, 2)), (3, (3, 4)), (4, (5,))),
    _island("Oahu", 4, (3, (1, 2)), (5, (3,)), (3, (4, 5))),
    _island("Tahiti", 4, (2, (1, 2)), (3, (3, 4)), (4, (5,))),
    _island("Tuvalu", 4, (2, (1, 2)), (4, (3,)), (3, (4, 5))),
    _island("Fidschi", 5, (5, (1,)), (4, (2, 3)), (4, (4, 5))),
    _island("Hawaii", 5, (3, (1, 2)), (5, (3,)), (2, (4, 5))),
    _island("Samoa", 5, (3, (1, 2)), (4, (3, 4)), (5, (5,))),
)
"""The islands, in the order in which the deck is built (RULES 2), beginning with Tonga; names are spelt as in the notation."""

WATERS: Final = (
    _water("W01", (0, 1, 1), (2, 3, 2), (4, 5, 1)),
    _water("W02", (0, 1, 2), (2, 3, 1), (4, 5, 2)),
    _water("W03", (0, 1, 3), (2, 3, 2), (4, 5, 4)),
    _water("W04", (0, 1, 3), (2, 3, 1), (4, 5, 2)),
    _water("W05", (0, 3, 4), (1, 5, 3), (2, 4, 1)),
    _water("W06", (0, 3, 3), (1, 5, 3), (2, 4, 3)),
    _water("W07", (0, 3, 4), (1, 5, 4), (2, 4, 4)),
    _water("W08", (0, 3, 3), (1, 5, 2), (2, 4, 1)),
    _water("W09", (0, 4, 1), (1, 3, 4), (2, 5, 2)),
    _water("W10", (0, 4, 2), (1, 3, 3), (2, 5, 4)),
    _water("W11", (0, 4, 4), (1, 3, 4), (2, 5, 3)),
    _water("W12", (0, 4, 3), (1, 3, 3), (2, 5, 4)),
    _water("W13", (0, 5, 1), (1, 2, 1), (3, 4, 1)),
    _water("W14", (0, 5, 2), (1, 2, 2), (3, 4, 2)),
    _water("W15", (0, 5, 1), (1, 2, 4), (3, 4, 2)),
    _water("W16", (0, 5, 1), (1, 2, 3), (3, 4, 4)),
)

# Tiles are numbered from 0 to 31, islands before waters; beaches are numbered from 0 to 46 across all islands.
TONGA: Final = 0
N_ISLANDS: Final = 16
N_TILES: Final = 32
SHIPS: Final = 15
"""The number of ships of each player (RULES 2)."""

NAMES: Final[list[str]] = [island.name for island in ISLANDS] + [water.name for water in WATERS]
TILE_OF_NAME: Final[dict[str, int]] = {name: tile for tile, name in enumerate(NAMES)}
POINTS: Final[list[int]] = [island.points for island in ISLANDS]
N_BEACHES: Final[list[int]] = [len(island.beaches) for island in ISLANDS]
FIRST_BEACH: Final[list[int]] = [sum(N_BEACHES[:island]) for island in range(N_ISLANDS)]
BEACH_MASK: Final[list[int]] = [((1 << N_BEACHES[island]) - 1) << FIRST_BEACH[island] for island in range(N_ISLANDS)]
"""For each island, a mask with a bit for each of its beaches."""
BERTHS: Final[list[int]] = [beach.berths for island in ISLANDS for beach in island.beaches]
ISLAND_OF_BEACH: Final[list[int]] = [number for number, island in enumerate(ISLANDS) for _ in island.beaches]
PIERS: Final[list[tuple[int, ...]]] = [beach.piers for island in ISLANDS for beach in island.beaches]
ALL_PIERS: Final[list[tuple[int, ...]]] = [tuple(sorted(side for beach in island.beaches for side in beach.piers)) for island in ISLANDS]
TOTAL_BERTHS: Final[list[int]] = [sum(beach.berths for beach in island.beaches) for island in ISLANDS]

BEACH_OF_PIER: Final[list[int]] = [-1] * (6 * N_ISLANDS)
"""At ``6 * island + side``: the beach (0 to 46) that has a pier at that side, or -1."""
for _beach, _sides in enumerate(PIERS):
    for _side in _sides:
        BEACH_OF_PIER[6 * ISLAND_OF_BEACH[_beach] + _side] = _beach

ROUTE_EXIT: Final[list[int]] = [-1] * (6 * N_TILES)
"""At ``6 * tile + side``: the side at which a group leaves a water that it entered at ``side``."""
ROUTE_COLORS: Final[list[int]] = [0] * (6 * N_TILES)
for _tile, _tile_of_water in enumerate(WATERS, start=N_ISLANDS):
    for (_one, _other), _colors in _tile_of_water.routes:
        ROUTE_EXIT[6 * _tile + _one] = _other
        ROUTE_EXIT[6 * _tile + _other] = _one
        ROUTE_COLORS[6 * _tile + _one] = ROUTE_COLORS[6 * _tile + _other] = _colors
