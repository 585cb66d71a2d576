"""The end of an error message about a name that nobody knows: the name that was probably meant.

It needs only the standard library, since the process that reads a bot's files uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """``"; did you mean 'greedy'?"`` if a known name is close, else ``otherwise``."""
    close = get_close_matches(name[:100], list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else otherwise
