"""Submissions that wait to be checked, for tests."""

from __future__ import annotations

from typing import Any, Final

from leaderboard.storage.store import Store
from leaderboard.storage.submissions import QueueLimits, Submission, claim, enqueue, queue
from tests.people import person

ROOM: Final = QueueLimits(100, 1000, 10**9, 1000)


def sent(store: Store, author: str, name: str = "bot", content: bytes = b"content", limits: QueueLimits = ROOM, **more: Any) -> Submission:
    """Store a submission of that author."""
    new = Submission(**{"name": name, "author": person(store, author), "digest": "0" * 64, "game": "tongiaki"} | more)
    enqueue(store, new, content, limits)
    return new


def claimed(store: Store, which: int = 0) -> Submission:
    """One of those without a verdict, which is being checked from now on."""
    found = queue(store)[which]
    claim(store, found)
    return found
