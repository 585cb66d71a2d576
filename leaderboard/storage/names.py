"""Names of bots: the one under which a version enters tournaments, and which names are equal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from leaderboard.person_names import name_key

_NUMBERED: Final = re.compile(r"(.*[^.])\.v?[0-9]+", re.IGNORECASE | re.DOTALL)


def find_equal(name: str, others: Iterable[str]) -> str | None:
    """Return the first of the others that is the same name, whatever its case, or None."""
    return next((other for other in others if name_key(other) == name_key(name)), None)


def unnumbered(name: str) -> str | None:
    """Return the name without a trailing version number as tournaments write it (``walker.2``, ``walker.v2``); None if it has none."""
    match = _NUMBERED.fullmatch(name)
    return match[1] if match else None


def version_name(name: str, number: int) -> str:
    """Return the name under which a version enters a tournament; version 1 has the bot's bare name."""
    return name if number == 1 else f"{name}.{number}"
