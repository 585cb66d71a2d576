"""The seats of a table and their players, the stages of a table, and the errors of actions at it."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bots.loader.version import BotVersion
from engine.core.errors import ArenaError

GUEST: Final = "Guest"
"""The name of a person who gave none."""


class PausedError(ArenaError):
    """The match can't continue now, because the table is closed or none of its people is there. Its bots are ended."""


class Stage(StrEnum):
    """The stages of a table."""

    LOBBY = "lobby"
    PLAYING = "playing"
    OVER = "over"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Visitor:
    """The maker of a table: the key by which the address is counted, and the digest of a browser's key."""

    address: str
    browser: str


NOBODY: Final = Visitor("", "")


@dataclass(slots=True)
class Seat:
    """One seat: a bot's version, or a person, who has sat down once there is a ``key``: the digest of a secret that only their browser has.

    ``gone`` is the reason why a person no longer plays, although the match continues: they have resigned or left.
    """

    name: str = ""
    version: BotVersion | None = None
    key: str = ""
    gone: str = ""
    label: str = ""
    """The source by which a bot is resolved again; its name may contain more."""

    @property
    def is_person(self) -> bool:
        """Whether the seat is for a person."""
        return self.version is None

    @property
    def is_free(self) -> bool:
        """Whether a person may still sit down."""
        return self.version is None and not self.key and not self.gone


def key_digest(secret: str) -> str:
    """Return the stored digest of a browser's secret; empty for an empty one. The secret is random and has 192 bits, so a plain SHA-256 of
    it can't be reversed by guessing.
    """
    return hashlib.sha256(secret.encode()).hexdigest() if secret else ""


def is_same(digest: str, other: str) -> bool:
    """Return whether two digests are equal and not empty, in constant time."""
    return bool(digest) and hmac.compare_digest(digest, other)
