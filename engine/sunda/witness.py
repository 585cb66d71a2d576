"""What the board remembers of tight spots, so that ``shifts`` need not find it again. What makes a witness, and when it speaks, is there."""

from __future__ import annotations

from typing import Final, final


@final
class Witness:
    """A spot where a tile beside a triangular space can go, out of the way of the space.

    ``demand`` is what the spot demanded of the tile; ``loose`` are the land vertices of the tile whose islands the space does not keep open.
    """

    __slots__ = ("demand", "loose", "lozenge")

    def __init__(self, lozenge: int, demand: int, loose: list[int]) -> None:
        self.lozenge: Final = lozenge
        self.demand: Final = demand
        self.loose: Final = loose
