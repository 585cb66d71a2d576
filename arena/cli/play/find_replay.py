"""The replay that a command is given: a file, or the id of a stored match."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.files import read_replay_file
from arena.cli.support import UserError

if TYPE_CHECKING:
    from engine.records import Replay


def is_file(what: str) -> bool:
    """Return whether it is the name of a file, and not the id of a match."""
    return Path(what).exists() or Path(what).suffix == ".json" or "/" in what


def find_replay(what: str, db: str) -> Replay:
    """Return the replay in a file, or of a stored match. Raises UserError and StoreError."""
    from engine.replay.format import read_replay
    from leaderboard.storage.database import find_database
    from leaderboard.storage.human_matches import find_human_match, human_match_replay
    from leaderboard.storage.store import Store

    if is_file(what):
        return read_replay_file(Path(what))
    database = find_database(db)
    if not database.exists():
        raise UserError(f"there is no file {what}, and no database {database.name} to look in for a match of that id; name one with --db")
    with Store.read(db) as store:
        if find_human_match(store, what) is not None:
            return read_replay(human_match_replay(store, what))
        return read_replay(store.replay(store.find_match(what).id))
