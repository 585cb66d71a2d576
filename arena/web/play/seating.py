"""Who sits at a table, how far it is, and what can't be done there."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bots.loader.version import BotVersion
from engine.core.errors import ArenaError


class TableError(ArenaError):
    """Something that can't be done at a table; ``status`` is the HTTP status."""

    def __init__(self, sentence: str, status: int = 409) -> None:
        super().__init__(sentence)
        self.status = status


class Stage(StrEnum):
    """The stages of a table."""

    LOBBY = "lobby"
    PLAYING = "playing"
    OVER = "over"
    CLOSED = "closed"


class LeftError(ArenaError):
    """The match can't go on at the moment: the table is closed, or none of its people is there. Its bots are given up."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who made a table: an address as it is counted, and the digest of a browser's key."""

    address: str
    browser: str


NOBODY: Final = Visitor("", "")


@dataclass(slots=True)
class Chair:
    """One seat: a bot's version, or a person, who has sat down once there is a ``key``: the digest of a secret that only their browser has.

    ``gone`` is why a person does not play any more, though the match goes on: they have resigned or left.
    """

    name: str = ""
    version: BotVersion | None = None
    key: str = ""
    gone: str = ""
    label: str = ""
    """How a bot is found again; its name may say more."""

    @property
    def is_person(self) -> bool:
        """Whether the seat is for a person."""
        return self.version is None

    @property
    def is_free(self) -> bool:
        """Whether a person may still sit down."""
        return self.version is None and not self.key and not self.gone


def key_digest(secret: str) -> str:
    """Return what is kept of a browser's secret; empty for an empty one.

    The secret is random and has 192 bits, so that a plain SHA-256 can't be guessed back.
    """
    return hashlib.sha256(secret.encode()).hexdigest() if secret else ""


def is_same(digest: str, other: str) -> bool:
    """Return whether two digests are the same one, and not empty, in a time that tells nothing."""
    return bool(digest) and hmac.compare_digest(digest, other)


def seat_of(chairs: Sequence[Chair], secret: str) -> int | None:
    """Return the seat of whoever has this secret."""
    digest = key_digest(secret)
    return next((number for number, chair in enumerate(chairs) if is_same(chair.key, digest)), None)


def take_seat(chairs: list[Chair], name: str, secret: str, seat: int | None = None) -> tuple[int | None, int]:
    """Have somebody sit down on a free seat, the first one unless it is named; who sits elsewhere changes seats.

    Returns where they sat before, if anywhere, and where they sit now. Raises TableError if that seat is not free.
    """
    free = [number for number, chair in enumerate(chairs) if chair.is_free]
    if not free:
        raise TableError("no seat is free any more")
    if seat is not None and seat not in free:
        raise TableError("that seat is not free")
    before, taken = seat_of(chairs, secret), free[0] if seat is None else seat
    if before is None:
        chairs[taken] = Chair(name, key=key_digest(secret))
    else:
        chairs[before], chairs[taken] = chairs[taken], chairs[before]
    return before, taken
