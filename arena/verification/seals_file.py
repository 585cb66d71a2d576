"""The file of seals beside a database: a line for each link of its chains. Lines are only appended, and contain no secret.

``read_seals_file`` returns its digests for a verification to compare with.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from bots.loader.files import UnreadableFileError, read_file
from engine.core.errors import InputError
from engine.decoding import decode
from engine.text import plain
from leaderboard.records.evidence import SealRecord
from leaderboard.seals.encoding import text_digest
from leaderboard.seals.links import Body, LinkError, read_body
from leaderboard.storage.store import Store, StoredTournament

_UNREADABLE: Final = (msgspec.MsgspecError, LinkError, UnicodeError, RecursionError)
SEAL: Final = "seal"
LARGEST_SEALS_FILE: Final = 64 << 20
"""Bytes; a seal takes about one KiB."""


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected digest: of a seal, or the ``results`` or ``ratings`` digest that a run printed; of any tournament unless one is named."""

    kind: str
    digest: str
    tournament: str | None = None


def read_seals_file(path: Path) -> tuple[Expected, ...]:
    """Read the seals in a file that a run or ``arena export --seals`` wrote. Raises InputError."""
    name = plain(str(path))
    try:
        lines = read_file(path, LARGEST_SEALS_FILE).splitlines()
    except UnreadableFileError as error:
        raise InputError(f"the file of seals: {error}") from None
    if not lines:
        raise InputError(f"{name} is empty, so it proves nothing; give the file of seals that 'arena run' keeps beside the database")
    seals = []
    for number, line in enumerate(lines, start=1):
        try:
            seal, body = _read_line(line)
        except _UNREADABLE as error:
            raise InputError(f"{name} is not a file of seals: line {number}: {' '.join(str(error).split())[:200]}") from None
        if text_digest(str(seal.body)) != seal.digest:
            raise InputError(f"{name} is a damaged file of seals: line {number}: its digest is not that of its text")
        seals.append(Expected(SEAL, str(seal.digest), body.tournament))
    return tuple(seals)


def seals_path(db: str) -> Path | None:
    """Return the path of a database's file of seals; None for a database on a server."""
    return None if "://" in db else Path(f"{db}.seals.jsonl")


def seal_lines(store: Store, tournament: StoredTournament) -> list[bytes]:
    """Return the lines of a tournament, oldest first. Raises StoreError if a link can't be read."""
    links = store.chain(tournament.id)
    return [msgspec.json.encode(SealRecord(digest=link.digest, body=link.body.text, signature=link.signature)) + b"\n" for link in links]


def append_seals(store: Store, tournament: StoredTournament, path: Path) -> tuple[int, ...]:
    """Append the lines that the file does not have yet; existing lines are not changed.

    Returns the numbers of the tournament's seals in the file that are missing in the database, because it is an older copy or they were
    removed. Raises OSError and StoreError.
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
    """Return the number of the tournament's seal in the line; None for another tournament's, or if it is not a seal."""
    try:
        _, body = _read_line(line)
    except _UNREADABLE:
        return None
    return body.number if body.tournament == tournament else None


def _read_line(line: bytes) -> tuple[SealRecord, Body]:
    seal = decode(line, SealRecord)
    return seal, read_body(seal.body)
