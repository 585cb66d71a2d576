"""Seeds and ids from labels, by SHA-256: never from a counter. It owns the recipe and nothing else."""

from __future__ import annotations

import hashlib
import json
from typing import Final

SEED_BITS: Final = 53
"""Seeds fit in 53 bits, so that every JSON reader, also one that knows only doubles, keeps them whole."""


def derive_seed(*labels: str | int) -> int:
    """A seed of 53 bits that follows from the labels alone: other labels, another, unrelated seed."""
    return int(_hash(labels), 16) >> (256 - SEED_BITS)


def derive_id(*labels: object) -> str:
    """Sixteen hex digits that follow from the labels (anything JSON can write) alone."""
    return _hash(labels)[:16]


_write: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def _hash(labels: tuple[object, ...]) -> str:
    return hashlib.sha256(_write(labels).encode()).hexdigest()
