"""The order in which uploads are checked: authors take turns, according to the time that their uploads have taken lately."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Final

from leaderboard.names import name_key
from leaderboard.storage.database import Database
from leaderboard.storage.uploads import Upload, UploadState, queue, seconds_by_author

LATELY: Final = timedelta(hours=1)
"""The period for which the time of an author's uploads counts."""
_CHECK_SECONDS: Final = 5.0
"""The expected duration of a check."""


def next_upload(waiting: Sequence[Upload], checking: Collection[str], spent: Mapping[str, float]) -> Upload | None:
    """Return the upload to check next of those that wait, oldest first; None if there is none.

    ``checking`` are the authors with an upload being checked now: each has at most one. ``spent`` says how many seconds each author's
    uploads have taken lately. The author with the least time, including the next check, comes first, with their oldest upload.
    """
    oldest: dict[str, Upload] = {}
    for each in waiting:
        if each.author not in checking:
            oldest.setdefault(each.author, each)
    return min(oldest.values(), key=lambda each: (_after(each, spent), each.number), default=None)


def in_turn(queued: Sequence[Upload]) -> list[Upload]:
    """Return the uploads that wait, oldest first, without those of a bot that has an earlier one without a verdict.

    An interrupted check has no verdict. Names therefore go to the author who sent them first, and versions are numbered in order of
    arrival.
    """
    bots: set[str] = set()
    ready = []
    for each in queued:
        if name_key(each.name) not in bots and each.state is UploadState.WAITING:
            ready.append(each)
        bots.add(name_key(each.name))
    return ready


def places_in_queue(database: Database) -> dict[int, int]:
    """Return the place of each waiting upload, from 1, by its number, if every check takes the expected time and nothing else is sent."""
    waiting = [each for each in queue(database) if each.state is UploadState.WAITING]
    spent = seconds_by_author(database, LATELY) if waiting else {}
    places: dict[int, int] = {}
    while (chosen := next_upload(waiting, (), spent)) is not None:
        places[chosen.number] = len(places) + 1
        spent[chosen.author] = _after(chosen, spent)
        waiting.remove(chosen)
    return places


def _after(upload: Upload, spent: Mapping[str, float]) -> float:
    return spent.get(upload.author, 0.0) + _CHECK_SECONDS
