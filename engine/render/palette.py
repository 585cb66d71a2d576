"""The colours of the seats, for all drawings of all games.

They are from the palette by Okabe and Ito (https://jfly.uni-koeln.de/color/), which people with the common kinds of colour blindness can
tell apart. Drawings also show the number of the seat, so that nothing depends on colour alone.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class SeatColor(NamedTuple):
    """The colour of a seat: its name, ``#rrggbb`` for pictures and pages, the nearest of the 256 terminal colours, and an ink for each.

    An ink is the colour of text on a seat's colour, with a contrast of at least 4.5 according to WCAG 2.
    """

    name: str
    hex: str
    xterm: int
    ink: str
    xterm_ink: int


WHITE: Final = "#ffffff"
BLACK: Final = "#111111"

SEAT_COLORS: Final = (
    SeatColor("vermilion", "#d55e00", 166, BLACK, 16),
    SeatColor("blue", "#0072b2", 25, WHITE, 231),
    SeatColor("yellow", "#f0e442", 220, BLACK, 16),
    SeatColor("green", "#009e73", 29, BLACK, 231),
    SeatColor("purple", "#cc79a7", 175, BLACK, 16),
    SeatColor("sky blue", "#56b4e9", 81, BLACK, 16),
)
"""The colour of each seat."""
