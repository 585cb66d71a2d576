"""Players' names in the texts of games, which know seats by their numbers only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_SEAT: Final = re.compile(r"\b[Ss]eat ([0-9]{1,3})\b")


def named(text: str, names: Sequence[str]) -> str:
    """Return the text with the name of a player for each "seat N", where there is one."""

    def name(seat: re.Match[str]) -> str:
        return next(iter(names[int(seat[1]) :]), "") or seat[0]

    return _SEAT.sub(name, text)
