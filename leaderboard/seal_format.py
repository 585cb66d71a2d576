"""The format of the seals in a tournament's chain (docs/verification.md), and the digests in them.

A seal covers the matches stored since the previous seal, and the current state of everything else. Rows are encoded as MessagePack, so
``1``, ``1.0``, true, ``"1"``, ``b"1"`` and null all give different digests.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

import msgspec
from msgspec.structs import astuple

from engine.core.errors import InputError
from leaderboard.records import (
    EntrantRecord,
    MatchRecord,
    NumberedSeal,
    StandingRecord,
    TournamentRecord,
    VoidRecord,
)

_NO_VALUE: Final = b"\xc1"
"""A byte that can't be the first of a MessagePack value."""


_encode: Final = msgspec.msgpack.Encoder().encode


def plain(value: object) -> object:
    """Return a time as the text that SQLite stores, so that digests are the same with PostgreSQL; return other values unchanged."""
    if isinstance(value, datetime):
        moment = value.astimezone(UTC) if value.tzinfo is not None else value
        return moment.strftime("%Y-%m-%d %H:%M:%S.%f")
    return value


def encode(values: Iterable[object]) -> bytes:
    """Encode the values unambiguously. If MessagePack can't encode one of them (from a damaged database), use ``ascii`` instead."""
    row = [plain(value) for value in values]
    try:
        return _encode(row)
    except (OverflowError, TypeError, UnicodeError):
        return _NO_VALUE + ascii(row).encode()


def digest_of(values: Iterable[object]) -> str:
    """Return the hex SHA-256 of these values."""
    return hashlib.sha256(encode(values)).hexdigest()


def row_digest(values: Iterable[object]) -> bytes:
    """Return the SHA-256 of a row, for ``set_digest``."""
    return hashlib.sha256(encode(values)).digest()


def set_digest(rows: Iterable[bytes]) -> str:
    """Return the digest of a set of rows, given the digests of the rows in any order."""
    return text_digest(b"".join(sorted(rows)))


def text_digest(text: str | bytes) -> str:
    """Return the digest of a text, as ``sha256:`` and 64 hex digits."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


FORMAT: Final = "arena-seal/1"
SPEC: Final = "spec"
BOTS: Final = "bots"
RESULTS: Final = "results"
RATINGS: Final = "ratings"


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Digests of the tournament, its spec, its bots and its orders. ``submitted`` has the names of the bots that were submitted."""

    tournament: str
    spec: str
    bots: str
    orders: str
    submitted: tuple[str, ...]


class Results(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The outcome of a run. It is ``final`` if every match of the schedule was stored.

    ``results`` and ``ratings`` are the digests that the run printed; ``standings`` and ``voids`` are digests of the stored rows.
    ``conclusion`` is a sentence from the tournament's format on how certain the places are, or empty.
    """

    final: bool
    total: int
    rated: int
    results: str
    ratings: str
    standings: str
    voids: str
    conclusion: str


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a seal.

    - ``previous``: the digest of the previous seal; ``key``: the public key that verifies this seal's signature
    - ``matches``: the number of stored matches; ``added``: how many are new since the previous seal; ``rows``: the digest of the new ones
    - ``run``: the outcome of a run, or None if the seal was made because the spec, a bot or an order was added
    - ``secret``: only in a final seal
    """

    format: Literal["arena-seal/1"] = FORMAT
    tournament: str
    number: int
    previous: str | None
    time: str
    matches: int
    added: int
    rows: str
    entry: Entry
    run: Results | None
    commitment: str | None
    public_value: str | None
    secret: str | None
    key: str | None

    @property
    def text(self) -> str:
        """The canonical text of the seal."""
        return msgspec.json.encode(self).decode()

    @property
    def is_final(self) -> bool:
        """Whether every match of the schedule was stored."""
        return self.run is not None and self.run.final


@dataclass(frozen=True, slots=True)
class Link:
    """A stored seal, with its content parsed."""

    digest: str
    body: Body
    signature: str | None


class LinkError(InputError):
    """The text is not a seal; the message says why."""


_decode: Final = msgspec.json.Decoder(Body).decode


def read_body(text: object) -> Body:
    """Parse the text of a seal. Raises LinkError."""
    if not isinstance(text, str):
        raise LinkError("it is not text")
    try:
        body = _decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise LinkError(" ".join(str(error).split())[:200]) from None
    if body.text != text:
        raise LinkError("it is not in the canonical form of a seal")
    return body


def match_digest(match: MatchRecord) -> bytes:
    """Return the digest of all stored data of a match. The replay is represented by its own digest."""
    return row_digest(
        [
            match.id,
            match.players,
            match.round,
            match.block,
            match.rotation,
            match.seed,
            match.block_key,
            match.end,
            match.decisions,
            match.digest,
            match.isolation,
            list(map(astuple, match.seats)),
            match.unpublished,
        ]
    )


def entry_of(tournament: TournamentRecord, submitted: Collection[str] | None = None) -> Entry:
    """Return the ``Entry`` for a seal of this tournament. If ``submitted`` is given, only bots named in it count as submissions."""
    names = {each.name for each in tournament.entrants if each.submitted is not None and (submitted is None or each.name in submitted)}
    rows = [tournament.name, tournament.game, tournament.seed, tournament.created]
    bots = [[each.name, each.digest, each.joined] for each in tournament.entrants]
    entrants = set_digest(_entrant(each, is_submitted=each.name in names) for each in tournament.entrants)
    return Entry(
        tournament=text_digest(encode([*rows, entrants])),
        spec=text_digest(str(tournament.spec)),
        bots=text_digest(json.dumps(bots, separators=(",", ":"), default=repr)),
        orders=text_digest(encode([dataclasses.astuple(order) for order in tournament.orders])),
        submitted=tuple(sorted(names, key=str)),
    )


def _entrant(entrant: EntrantRecord, *, is_submitted: bool) -> bytes:
    submission = [entrant.number, entrant.author, entrant.submitted] if is_submitted else None
    return row_digest([entrant.name, entrant.digest, entrant.joined, entrant.unpublished, submission])


def standings_digest(standings: Iterable[StandingRecord]) -> str:
    """Return the digest of stored standings."""
    return set_digest(map(row_digest, map(astuple, standings)))


def voids_digest(voids: Iterable[VoidRecord]) -> str:
    """Return the digest of stored void matches."""
    return set_digest(row_digest([each.match, each.seats, each.link, each.unpublished]) for each in voids)


def newest(links: Iterable[NumberedSeal]) -> tuple[int, str | None]:
    """Return the number and the digest of the last seal, or 0 and None if there are no seals."""
    number, digest = 0, None
    for link in links:
        if isinstance(link.number, int) and link.number > number:
            number, digest = link.number, str(link.digest)
    return number, digest
