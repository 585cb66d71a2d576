"""The file of seals: a line for each link of the chains of a database, kept beside it, only ever appended to, not secret."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from arena.verification.bundle_lines import SealLine
from leaderboard.storage.store import Store, StoredTournament


def seals_path(db: str) -> Path | None:
    """Where the file of a database is; None for a database on a server."""
    return None if "://" in db else Path(f"{db}.seals.jsonl")


def seal_lines(store: Store, tournament: StoredTournament) -> list[bytes]:
    """The lines of a tournament, oldest first. Raises StoreError for what is no link."""
    links = store.chain(tournament.id)
    return [msgspec.json.encode(SealLine(digest=link.digest, body=link.body.text, signature=link.signature)) + b"\n" for link in links]


def append_seals(store: Store, tournament: StoredTournament, path: Path) -> None:
    """Append those that the file does not have yet; what is in it stays. Raises OSError and StoreError."""
    lines = seal_lines(store, tournament)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    with os.fdopen(descriptor, "r+b") as file:
        if os.fstat(descriptor).st_size == 0:
            os.fchmod(descriptor, 0o644)  # for everybody, whatever the files of a host usually are
        content = file.read()
        known = set(content.splitlines(keepends=True))
        if content and not content.endswith(b"\n"):  # a line was cut when the machine stopped
            file.write(b"\n")
        for line in lines:
            if line not in known:
                file.write(line)
        file.flush()
        os.fsync(descriptor)
