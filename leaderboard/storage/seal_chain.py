"""Stores the chain of seals of a tournament, and signs seals with the host's Ed25519 key.

A seal is added after each run and whenever a spec, a bot or an order is added. The seals are also in a file next to the database. For
their format, see ``leaderboard.seal_format``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

import msgspec
from sqlalchemy import Connection
from sqlmodel import Session, col, func, select

from engine.records import decode
from engine.text import plain
from leaderboard.errors import StoreError
from leaderboard.records import NumberedSeal, SealRecord, StoredTournament, TournamentRecord, chunks
from leaderboard.seal_format import (
    BOTS,
    RATINGS,
    RESULTS,
    SPEC,
    Body,
    Link,
    LinkError,
    Results,
    entry_of,
    match_digest,
    newest,
    read_body,
    set_digest,
    standings_digest,
    text_digest,
    voids_digest,
)
from leaderboard.storage.database import Database
from leaderboard.storage.raw_queries import (
    count_matches,
    count_uncovered,
    read_match_ids,
    read_matches,
    read_standings,
    read_tournaments,
    read_voids,
)
from leaderboard.storage.sqlite import is_database
from leaderboard.storage.tables import Match, SealLink, Void

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


# cryptography is imported where a key is used, since few commands need it

UNREADABLE: Final = (msgspec.MsgspecError, LinkError, UnicodeError, RecursionError)
"""The errors that ``read_line`` raises for a line that is not a seal."""
_PREFIX: Final = "ed25519:"
_PUBLIC: Final = re.compile(_PREFIX + r"([0-9a-f]{64})")
_SIGNATURE: Final = re.compile("[0-9a-f]{128}")
_LARGEST: Final = 10_000
"""The most bytes read from a key file."""


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The outcome of a run: whether all matches were played, digests of results and ratings, and the conclusion of the format."""

    is_final: bool
    results: str
    ratings: str
    conclusion: str = ""


class Seals(Database):
    """A database from which seals can be read, and to which they can be added."""

    signer: HostKey | None = None
    """The key that signs new seals, if any."""

    def add_link(self, session: Session, tournament: int, ended: RunEnd | None = None) -> str:
        """Add a seal that covers all stored data of the tournament and, if a run has ``ended``, its outcome; return the seal's digest."""
        key = None if self.signer is None else self.signer.public
        session.flush()
        body = _make_body(session.connection(), tournament, ended, key)
        signature = None if self.signer is None else self.signer.sign(body.text)
        digest = text_digest(body.text)
        session.add(SealLink(tournament_id=tournament, number=body.number, digest=digest, body=body.text, signature=signature))
        return digest

    def chain(self, tournament: int) -> tuple[Link, ...]:
        """Return the seals of a tournament, oldest first. Raises StoreError if one can't be read."""
        with self.reading() as connection:
            [evidence] = read_tournaments(connection, tournament)
        try:
            return tuple(map(_link, evidence.links))
        except LinkError as error:
            raise StoreError(f"a seal in {self.name} can't be read: {error}; 'arena verify {self.name}' lists what is wrong") from None

    def newest_body(self, tournament: int) -> Body | None:
        """Return the content of the newest seal without comparing it with stored data, or None if it is missing or unreadable."""
        query = select(SealLink.body).where(SealLink.tournament_id == tournament).order_by(col(SealLink.number).desc()).limit(1)
        with self.session() as session:
            text = session.exec(query).one_or_none()
        try:
            return None if text is None else read_body(text)
        except LinkError:
            return None

    def sealed(self, tournament: int) -> Link | None:
        """Return the newest seal if a run made it and it agrees with the stored data, else None. Matches are counted, not read."""
        with self.reading() as connection:
            [evidence] = read_tournaments(connection, tournament)
            try:
                link = _link(evidence.links[-1]) if evidence.links else None
            except LinkError:
                return None
            if link is None or link.body.run is None or link.digest != text_digest(link.body.text):
                return None
            is_whole = not count_uncovered(connection, tournament, link.body.number)
            is_whole = is_whole and count_matches(connection, tournament) == link.body.matches
            return link if is_whole and _state(connection, evidence, link) == (link.body.entry, link.body.run) else None

    def check_entry(self, tournament: int) -> None:
        """Raise StoreError if the spec, bots, orders or secret differ from the newest seal; a new seal would cover up the change."""
        with self.reading(one_moment=True) as connection:  # other processes may add bots at the same time
            [evidence] = read_tournaments(connection, tournament)
        try:
            body = _link(evidence.links[-1]).body if evidence.links else None
        except LinkError:
            body = None
        if not evidence.links:
            what = "its seals are gone"
        elif body is None:
            return
        elif entry_of(evidence, submitted=body.entry.submitted) != body.entry:
            what = "its spec, bots or orders differ from the sealed ones"
        elif _committed(evidence) != (body.commitment, body.public_value):
            what = "its secret differs from the sealed one"
        else:
            return
        raise StoreError(
            f"the tournament '{evidence.name}' in {self.name} was changed by something other than this program: {what}; "
            f"'arena verify {self.name}' lists what is wrong"
        )

    def seals(self, tournament: int) -> dict[str, str]:
        """Return the digests of the newest seal, by kind. Results and ratings are left out if ``sealed`` would return None."""
        chain = self.chain(tournament)
        if not chain:
            return {}
        entry, link = chain[-1].body.entry, self.sealed(tournament)
        run = None if link is None else link.body.run
        left = {} if run is None else {RESULTS: run.results, RATINGS: run.ratings}
        return {SPEC: entry.spec, BOTS: entry.bots} | left


def next_link(connection: Connection, tournament: int) -> int:
    """Return the number of the seal that will cover the current state."""
    return 1 + (connection.scalar(select(func.max(SealLink.number)).where(SealLink.tournament_id == tournament)) or 0)


def _make_body(connection: Connection, tournament: int, ended: RunEnd | None, key: str | None) -> Body:
    [evidence] = read_tournaments(connection, tournament)
    last, previous = newest(evidence.links)
    ids = read_match_ids(connection, tournament, above=last)
    digests: list[bytes] = []
    for chunk in chunks(ids):
        digests += map(match_digest, read_matches(connection, tournament, chunk, with_replays=False).values())
    entry = entry_of(evidence)
    commitment, public_value = _committed(evidence)
    run = None if ended is None else _results(connection, evidence, ended)
    # if seals were lost, the new one covers their matches again
    highest = (select(func.max(table.link)).where(table.tournament_id == tournament) for table in (Match, Void))
    return Body(
        tournament=str(evidence.name),
        number=max(last + 1, *(connection.scalar(query) or 0 for query in highest)),
        previous=previous,
        time=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        matches=count_matches(connection, tournament),
        added=len(ids),
        rows=set_digest(digests),
        entry=entry,
        run=run,
        commitment=None if commitment is None else str(commitment),
        public_value=None if public_value is None else str(public_value),
        secret=str(evidence.secret.secret) if evidence.secret is not None and run is not None and run.final else None,
        key=key,
    )


def _committed(evidence: TournamentRecord) -> tuple[object, object]:
    return (None, None) if evidence.secret is None else (evidence.secret.commitment, evidence.secret.public_value)


def _results(connection: Connection, evidence: TournamentRecord, ended: RunEnd) -> Results:
    assert isinstance(evidence.total, int)
    assert isinstance(evidence.rated, int)
    return Results(
        final=ended.is_final,
        total=evidence.total,
        rated=evidence.rated,
        results=ended.results,
        ratings=ended.ratings,
        standings=standings_digest(read_standings(connection, evidence.key)),
        voids=voids_digest(read_voids(connection, evidence.key)),
        conclusion=ended.conclusion,
    )


def _state(connection: Connection, evidence: TournamentRecord, link: Link) -> tuple[object, object]:
    """Return what ``entry`` and ``run`` would be in a new seal, with the digests of results and ratings taken from ``link``."""
    assert link.body.run is not None
    run = link.body.run
    entry = entry_of(evidence, submitted=link.body.entry.submitted)
    if type(evidence.total) is not int or type(evidence.rated) is not int:
        return entry, None
    return entry, _results(connection, evidence, RunEnd(run.final, run.results, run.ratings, run.conclusion))


def _link(evidence: NumberedSeal) -> Link:
    return Link(str(evidence.digest), read_body(evidence.body), None if evidence.signature is None else str(evidence.signature))


@dataclass(frozen=True, slots=True, eq=False)
class HostKey:
    """A private key, and the ``public`` key that others use to check signatures."""

    _private: Ed25519PrivateKey
    public: str

    @classmethod
    def of(cls, private: Ed25519PrivateKey) -> Self:
        """Return the private key together with its public key."""
        return cls(private, f"{_PREFIX}{private.public_key().public_bytes_raw().hex()}")

    def sign(self, text: str) -> str:
        """Return the signature of a text, as hex digits."""
        return self._private.sign(text.encode()).hex()


def make_key(path: Path) -> HostKey:
    """Create a key and write it to a new file that only its owner can read. Raises StoreError."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat  # noqa: PLC0415

    private = Ed25519PrivateKey.generate()
    text = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123  # it is a descriptor
            file.write(text)
    except FileExistsError:
        raise StoreError(f"{path} already exists; a key is never overwritten, so give a different name") from None
    except OSError as error:
        raise StoreError(f"the key file {path} can't be written: {error.strerror}") from None
    return HostKey.of(private)


def read_key(path: Path) -> HostKey:
    """Read the key in a file. Raises StoreError."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    try:
        private = load_pem_private_key(_read(path), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        private = None
    if not isinstance(private, Ed25519PrivateKey):
        raise StoreError(f"{path} is not a key file of this program; 'arena key FILE' writes one")
    return HostKey.of(private)


def read_public(given: str) -> str:
    """Return a public key; ``given`` is its text, a file that contains it, or the file of its private key. Raises StoreError."""
    if _PUBLIC.fullmatch(given):
        return given
    path = Path(given)
    if given.startswith(_PREFIX) or not _exists(path):
        raise StoreError(
            f"'{plain(given[:80])}' is neither a public key nor a file; 'arena key' prints public keys: '{_PREFIX}' and 64 hex digits"
        )
    text = _read(path).decode(errors="replace").strip()
    return text if _PUBLIC.fullmatch(text) else read_key(path).public


def verify_signature(public: str, text: str, signature: str) -> bool:
    """Return whether ``signature`` is a valid signature of the text, made with the private key that belongs to ``public``."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    match = _PUBLIC.fullmatch(public)
    if match is None or not _SIGNATURE.fullmatch(signature):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(match[1])).verify(bytes.fromhex(signature), text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or with a NUL in it
        return False


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # a pipe without a writer would block forever
            raise StoreError(f"{plain(str(path))} is not a file; give a key file")
        if is_database(path):
            raise StoreError(f"{plain(str(path))} is a database, not a key file")
        with path.open("rb") as file:
            return file.read(_LARGEST)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise StoreError(f"the key file {plain(str(path))} can't be read: {getattr(error, 'strerror', None) or error}") from None


def seals_path(db: str) -> Path | None:
    """Return the path of a database's seal file, or None for a database on a server."""
    return None if "://" in db else Path(f"{db}.seals.jsonl")


def seal_lines(store: Seals, tournament: StoredTournament) -> list[bytes]:
    """Return the lines of the seal file for a tournament, oldest first. Raises StoreError if a seal can't be read."""
    links = store.chain(tournament.id)
    return [msgspec.json.encode(SealRecord(digest=link.digest, body=link.body.text, signature=link.signature)) + b"\n" for link in links]


def append_seals(store: Seals, tournament: StoredTournament, path: Path) -> tuple[int, ...]:
    """Append a tournament's seals in the database to the seal file ``path``, except those already in it; existing lines are not changed.

    Return the numbers of the tournament's seals that are in the file but not in the database (because the database is an older copy, or
    somebody removed the seals from it). Raises OSError and StoreError.
    """
    lines = seal_lines(store, tournament)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    with os.fdopen(descriptor, "r+b") as file:
        if os.fstat(descriptor).st_size == 0:
            os.fchmod(descriptor, 0o644)  # readable by everybody, whatever the umask
        content = file.read()
        known = set(content.splitlines(keepends=True))
        if content and not content.endswith(b"\n"):  # a crash truncated the last line
            file.write(b"\n")
        for line in lines:
            if line not in known:
                file.write(line)
        file.flush()
        os.fsync(descriptor)
    return tuple(sorted({number for line in known - set(lines) if (number := _number(line, tournament.name)) is not None}))


def _number(line: bytes, tournament: str) -> int | None:
    try:
        _, body = read_line(line)
    except UNREADABLE:
        return None
    return body.number if body.tournament == tournament else None


def read_line(line: bytes) -> tuple[SealRecord, Body]:
    """Return the seal in a line of a seal file. Raises one of ``UNREADABLE``."""
    seal = decode(line, SealRecord)
    return seal, read_body(seal.body)
