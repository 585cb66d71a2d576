"""The file of seals beside a database: a line for each link of its chains. Lines are only ever appended, and none is secret."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from leaderboard.records.evidence import SealRecord
from leaderboard.seals.links import LinkError, read_body
from leaderboard.storage.store import Store, StoredTournament


def seals_path(db: str) -> Path | None:
    """Return the path of a database's file of seals; None for a database on a server."""
    return None if "://" in db else Path(f"{db}.seals.jsonl")


def seal_lines(store: Store, tournament: StoredTournament) -> list[bytes]:
    """Return the lines of a tournament, oldest first. Raises StoreError if a link can't be read."""
    links = store.chain(tournament.id)
    return [msgspec.json.encode(SealRecord(digest=link.digest, body=link.body.text, signature=link.signature)) + b"\n" for link in links]


def append_seals(store: Store, tournament: StoredTournament, path: Path) -> tuple[int, ...]:
    """Append those that the file does not have yet; what is in it stays.

    Returns the numbers of those seals of the tournament in the file that the database does not have: it is an older copy, or they were
    removed from it. Raises OSError and StoreError.
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
    """Which seal of the tournament the line holds; None for another one's, and for what is no seal."""
    try:
        body = read_body(msgspec.json.decode(line, type=SealRecord).body)
    except (msgspec.MsgspecError, LinkError, UnicodeError, RecursionError):
        return None
    return body.number if body.tournament == tournament else None
