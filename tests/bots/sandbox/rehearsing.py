"""A rehearsal that remembers what it was called with; preloaded by the zygote."""

from __future__ import annotations

import os

_topics: list[bytes] = []


def rehearse(topic: bytes = b"") -> None:
    """Remember the topic."""
    _topics.append(topic)


def tell(payload: bytes) -> None:
    """Answer what this process has rehearsed."""
    del payload
    os.write(1, b"|".join(_topics) + b"\n")
