"""Whose upload is checked next: authors take turns, and what is likely to be quick comes first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from leaderboard.storage.uploads import Queued

_QUICK_SECONDS: Final = 5.0
"""What a check is expected to take."""
_BUILD_SECONDS: Final = 60.0
"""The same for a bot that has to be built."""


def next_upload(waiting: Sequence[Queued], checking: Collection[str], spent: Mapping[str, float]) -> Queued | None:
    """Return which of the uploads that wait, oldest first, to check next; None if there is none.

    ``checking`` are the authors one of whose uploads is checked now: nobody has two checked at a time. ``spent`` says how many seconds
    each author's uploads have taken lately. The author who would then have had least comes first, and of each author the oldest upload.
    """
    oldest: dict[str, Queued] = {}
    for each in waiting:
        if each.author not in checking:
            oldest.setdefault(each.author, each)
    return min(oldest.values(), key=lambda each: (_after(each, spent), each.number), default=None)


def _after(upload: Queued, spent: Mapping[str, float]) -> float:
    return spent.get(upload.author, 0.0) + (_BUILD_SECONDS if upload.is_source else _QUICK_SECONDS)
