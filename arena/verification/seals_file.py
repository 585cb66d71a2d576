"""The file of seals beside a database: a line for each link of its chains. Lines are only ever appended, and none is secret."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from arena.verification.bundle_lines import SealLine
from leaderboard.storage.store import Store, StoredTournament


def seals_path(db: str) -> Path | None:
    """Return the path of a database's file of seals; None for a database on a server."""
    return None if "://" in db else Path(f"{db}.seals.jsonl")


def seal_lines(store: Store, tournament: StoredTournament) -> list[bytes]:
    """Return the lines of a tournament, oldest first. Raises StoreError if a link can't be read."""
    links = store.chain(tournament.id)
    return [msgspec.json.encode(SealLine(digest=link.digest, body=link.body.text, signature=link.signature)) + b"\n" for link in links]


def append_seals(store: Store, tournament: StoredTournament, path: Path) -> None:
    """Append the tournament's lines that the file does not have yet. Raises OSError and StoreError."""
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
