"""What the board remembers of a tight spot, so that ``shifts`` need not search for a shift again."""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64, mypyc_attr


@final
@mypyc_attr(acyclic=True)
class KnownShift:
    """A shift that can follow any tile on a tight spot: a tile beside the triangular space can go to ``lozenge``, away from the space.

    ``straight`` and ``turned`` are the PATTERN_BITS of the two half turns of that tile; ``loose`` are its land vertices whose islands the
    space does not keep open. ``shifts.has_known_shift`` checks whether it still holds.
    """

    __slots__ = ("loose", "lozenge", "straight", "turned")

    def __init__(self, lozenge: i64, straight: i64, turned: i64, loose: list[int]) -> None:
        self.lozenge: Final = lozenge
        self.straight: Final = straight
        self.turned: Final = turned
        self.loose: Final = loose
