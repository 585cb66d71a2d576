"""Records of what is stored of a tournament, raw and unchecked, for verification and for seals. ``raw_queries`` reads them.

A damaged database may hold anything anywhere, so fields are of type ``object`` until they have been compared. Columns that a bundle does
not show (times, logs, where a host keeps a file) are represented by one digest of them, ``unpublished``.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RawSeat:
    """A stored seat. ``bot`` and ``version`` are the name and the content hash of the bot's version, if it has one."""

    seat: object
    bot: object
    version: object
    score: object
    rank: object
    fault: object
    fault_index: object
    decisions: object


@dataclass(frozen=True, slots=True)
class RawMatch:
    """A stored match. ``replay`` should be the JSON text compressed by zlib; it is None if it was not asked for."""

    id: str
    players: object
    round: object
    block: object
    rotation: object
    seed: object
    block_key: object
    end: object
    decisions: object
    digest: object
    isolation: object
    replay: object
    seats: tuple[RawSeat, ...]
    link: object = 1
    unpublished: str = ""


@dataclass(frozen=True, slots=True)
class RawRating:
    """A stored rating of a version after a match."""

    bot: object
    version: object
    number: object
    match: object
    mu: object
    sigma: object


@dataclass(frozen=True, slots=True)
class RawStanding:
    """The stored standing of a version, without its thinking time, which is a measurement."""

    bot: object
    version: object
    matches: object
    mu: object
    sigma: object
    wins: object
    places: object
    points: object
    faults: object
    decisions: object
    unpublished: str = ""


@dataclass(frozen=True, slots=True)
class RawVoid:
    """A match that the database says could not be played."""

    match: str
    seats: object
    link: object = 1
    unpublished: str = ""


@dataclass(frozen=True, slots=True)
class RawSubmission:
    """A submitted version with its compressed content. ``bot`` is the version's bot, ``owner`` the one the submission names."""

    bot: object
    owner: object
    version: object
    number: object
    author: object
    content: object


@dataclass(frozen=True, slots=True)
class RawContent:
    """The compressed content of a version that was not submitted."""

    bot: object
    version: object
    content: object


@dataclass(frozen=True, slots=True)
class Submitted:
    """The submission of an entrant's version."""

    number: object
    author: object
    unpublished: str


@dataclass(frozen=True, slots=True)
class RawEntrant:
    """A bot's version in a tournament, as ``Entrant`` has it; ``submission`` is None if it was not submitted."""

    name: str
    digest: str
    joined: int
    unpublished: str = ""
    submission: Submitted | None = None


@dataclass(frozen=True, slots=True)
class RawLink:
    """A link of a chain of seals. ``number`` is its place in the chain; ``digest`` should be that of the text ``body``."""

    number: object
    digest: object
    body: object
    signature: object


@dataclass(frozen=True, slots=True)
class RawTournament:
    """A stored tournament. ``key`` is its id in the tables; ``total`` is 0 while it is not known; ``rated`` is as in the tables."""

    key: int
    name: object
    game: object
    seed: object
    spec: object
    total: object
    rated: object
    entrants: tuple[RawEntrant, ...]
    created: object = None
    links: tuple[RawLink, ...] = ()
    commitment: object = None
    secret: object = None
    public_value: object = None


def inflate(packed: object, largest: int) -> bytes:
    """Decompress what zlib compressed, up to ``largest`` bytes. Raises ValueError, which says what is damaged, unless that is all of it."""
    if not isinstance(packed, bytes):
        raise ValueError("it is not compressed content")
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(packed, largest)
    except zlib.error as error:
        raise ValueError(f"it is damaged: {error}") from None
    if stream.unconsumed_tail or not stream.eof or stream.unused_data:
        raise ValueError("it is damaged: it is cut, or too long, or something follows it")
    return content
