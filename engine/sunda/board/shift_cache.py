"""What the board remembers of tight spots, so that ``shifts`` need not find it again. When a witness speaks is decided there."""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import mypyc_attr


@final
@mypyc_attr(acyclic=True)
class KnownShift:
    """A spot where a tile beside a triangular space can go, out of the way of the space.

    ``demand`` is what the spot demanded of the tile; ``loose`` are the tile's land vertices whose islands the space does not keep open.
    """

    __slots__ = ("demand", "loose", "lozenge")

    def __init__(self, lozenge: int, demand: int, loose: list[int]) -> None:
        self.lozenge: Final = lozenge
        self.demand: Final = demand
        self.loose: Final = loose
