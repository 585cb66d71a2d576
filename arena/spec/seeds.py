"""Seeds and ids from labels, never from a counter.

``derive_seed`` and ``derive_id`` hash public labels with SHA-256: for single matches, tests and comparisons, whose seeds anyone may
compute. The ids, decks, bots' seeds and draws of a tournament come from ``Keys``: HMAC-SHA256 under separate keys derived from its secret
(``arena.spec.secret``), so that none of them reveals anything about another.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Self

SEED_BITS: Final = 53
"""Seeds have 53 bits, so that JSON readers that only have doubles don't round them."""

_write: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def derive_seed(*labels: str | int) -> int:
    """Return a seed of 53 bits that follows from the labels alone."""
    return int(_hash(labels), 16) >> (256 - SEED_BITS)


def derive_id(*labels: object) -> str:
    """Return sixteen hex digits derived from the labels alone, which may be any JSON values."""
    return _hash(labels)[:16]


def _hash(labels: tuple[object, ...]) -> str:
    return hashlib.sha256(_write(labels).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Keys:
    """The four keys of a tournament. None of them, nor anything made with one, reveals another."""

    ids: bytes = field(repr=False)
    decks: bytes = field(repr=False)
    bots: bytes = field(repr=False)
    draws: bytes = field(repr=False)

    @classmethod
    def of(cls, root: bytes, *labels: object) -> Self:
        """Return the keys that follow from a root (a secret of 32 bytes, or a hash of an open seed) and labels that name the tournament."""
        own = _mac(root, "tile-arena/2", *labels)
        return cls(*(_mac(own, use) for use in ("ids", "decks", "bots", "draws")))

    def of_block(self, *labels: object) -> BlockKeys:
        """Return the keys of a block, so that its labels are encoded once for all its matches."""
        return BlockKeys(self, _write(labels)[1:-1])

    def bot_key(self, match_id: str) -> str:
        """Return the root of the seeds of a match's bots and substitutes: 64 hex digits."""
        return hmac.digest(self.bots, f'["{match_id}"]'.encode(), "sha256").hex()

    def draw(self, *labels: object) -> int:
        """Return a seed of 53 bits for a draw of the schedule."""
        return _short(_mac(self.draws, *labels))


@dataclass(frozen=True, slots=True)
class BlockKeys:
    """Derives ids and seeds for the matches of one block, with the block's labels and, for a match, its bots by seat."""

    keys: Keys
    labels: str

    @property
    def key(self) -> int:
        """The number of 53 bits that the matches share."""
        return _short(hmac.digest(self.keys.ids, f'["block",{self.labels}]'.encode(), "sha256"))

    @property
    def shared_deck(self) -> int:
        """The game's seed, of 53 bits, for all matches of the block."""
        return _short(hmac.digest(self.keys.decks, f"[{self.labels}]".encode(), "sha256"))

    def match_id(self, seats: Sequence[int]) -> str:
        """Return the id of the match with these bots, by seat: sixteen hex digits."""
        text = f'["match",{self.labels},[{",".join(map(str, seats))}]]'
        return hmac.digest(self.keys.ids, text.encode(), "sha256").hex()[:16]

    def deck(self, seats: Sequence[int]) -> int:
        """Return the game's seed of that match alone, of 53 bits."""
        text = f"[{self.labels},[{','.join(map(str, seats))}]]"
        return _short(hmac.digest(self.keys.decks, text.encode(), "sha256"))


def _mac(key: bytes, *labels: object) -> bytes:
    return hmac.digest(key, _write(labels).encode(), "sha256")


def _short(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big") >> (64 - SEED_BITS)
