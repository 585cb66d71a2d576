"""What the board remembers of a tight spot, so that ``shifts`` need not search for a shift again."""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import mypyc_attr


@final
@mypyc_attr(acyclic=True)
class KnownShift:
    """A shift that can follow any tile on a tight spot: a tile beside the triangular space can go to ``lozenge``, away from the space.

    ``demand`` is what ``lozenge`` demanded when the shift was found; ``loose`` are the land vertices of the shifted tile whose islands the
    space does not keep open. ``shifts.has_known_shift`` checks whether it still holds.
    """

    __slots__ = ("demand", "loose", "lozenge")

    def __init__(self, lozenge: int, demand: int, loose: list[int]) -> None:
        self.lozenge: Final = lozenge
        self.demand: Final = demand
        self.loose: Final = loose
