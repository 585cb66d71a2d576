"""The records in the lines of a bundle and of a file of seals (docs/bundle-format.md)."""

from __future__ import annotations

import msgspec


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a line."""


class Manifest(Record, frozen=True, kw_only=True):
    """What the bundle is of and which program wrote it.

    ``total`` is None while the number of the
    tournament's matches is unknown; the standings cover ``rated`` of the matches in the bundle.
    """

    format: str
    program: str
    rules_version: int
    tournament: str
    game: str
    seed: int
    total: int | None
    matches: int
    rated: int
    commitment: str | None = None
    secret: str | None = None
    public_value: str | None = None
    created: str | None = None


class BotLine(Record, frozen=True, omit_defaults=True):
    """A bot of the tournament. ``joined`` is the round before which it joined; submitted versions have a ``number`` and an ``author``.

    ``unpublished`` and ``submitted`` are digests of the remaining columns of the version and of its submission.
    """

    name: str
    version: str
    joined: int = 0
    number: int | None = None
    author: str | None = None
    unpublished: str = ""
    submitted: str | None = None


class SeatLine(Record, frozen=True):
    """The result of a seat."""

    bot: str
    version: str
    score: int | float
    rank: int
    fault: str | None
    fault_index: int | None
    decisions: int


class MatchLine(Record, frozen=True):
    """The result of a match; its replay is the line with the same number in ``replays.jsonl``."""

    id: str
    round: int
    block: int
    rotation: int
    seed: int
    end: str
    decisions: int
    isolation: str
    digest: str
    seats: tuple[SeatLine, ...]
    block_key: int
    link: int
    unpublished: str = ""


class RatingLine(Record, frozen=True):
    """A bot's rating after a match."""

    bot: str
    version: str
    number: int
    match: str
    mu: float
    sigma: float


class StandingLine(Record, frozen=True):
    """A bot's newest rating, and the totals over its rated matches."""

    bot: str
    version: str
    matches: int
    mu: float
    sigma: float
    wins: float
    places: int
    points: int | float
    faults: int
    decisions: int
    unpublished: str = ""


class VoidLine(Record, frozen=True):
    """A match that could not be played."""

    match: str
    seats: str
    link: int = 1
    unpublished: str = ""


class SealLine(Record, frozen=True, kw_only=True):
    """A link of the chain of seals: its text, with the digest and the signature of it. Files of seals have the same lines."""

    digest: str
    body: str
    signature: str | None = None
