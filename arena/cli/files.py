"""Reads and writes files for the commands. A write either completes or leaves the file unchanged."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from arena.cli.options import DEFAULT_DB
from arena.cli.output import UserError

if TYPE_CHECKING:
    from engine.records import Replay


def read_text(path: Path, most: int = 1 << 20) -> str:
    """Return the text of a file of at most ``most`` bytes. Raises UserError."""
    from bots.loader.files import UnreadableFileError
    from bots.loader.files import read_text as read

    try:
        return read(path, most)
    except UnreadableFileError as error:
        raise UserError(str(error)) from None


def write_text(path: Path, text: str, *, may_replace: bool = True) -> None:
    """Write a file completely, or leave it unchanged. Raises UserError."""
    with write_file(path, may_replace=may_replace) as file:
        file.write(text.encode())


@contextmanager
def write_file(path: Path, *, may_replace: bool = True, is_private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file to write. It replaces an existing file only if the block ends without an error. Raises UserError.

    Only its owner can read a new private file; a replaced file keeps its permissions. A database other than a bundle is never replaced: a
    process that has the database open would go on writing to the deleted file.
    """
    if path.exists() and not may_replace:
        raise UserError(f"{path} already exists; give another name, or remove it first")
    if _is_database(path):
        raise UserError(f"{path} is a database, which is never overwritten; give another name")
    if path.is_dir():
        raise UserError(f"{path} is a folder; give the name of a file in it")
    try:
        if path.exists() and not path.is_file():  # /dev/stdout or a pipe, which a file must not replace
            with path.open("wb") as file:
                yield file
            return
        import secrets

        target = _resolved(path)  # keeps a symbolic link
        draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        try:
            with _new_file(draft, target, is_private=is_private) as file:
                yield file
            draft.replace(target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UserError(f"{path} can't be written: {error.strerror}") from None


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    from leaderboard.storage.bundles import is_bundle
    from leaderboard.storage.sqlite import is_database

    return is_database(path) and not is_bundle(path)


def check_outputs(read: str | None, outputs: dict[str, Path | None]) -> None:
    """Raise UserError if an option would write to the file ``read`` or to the file of another option; ``-`` counts as a file."""
    taken = {} if read is None else {_resolved(Path(read)): "the replay that is read"}
    for option, path in outputs.items():
        if path is None:
            continue
        is_shown = str(path) == "-"
        target = path if is_shown else _resolved(path)
        if target in taken:
            raise UserError(f"{option} {path}: that is {taken[target]}; give another name")
        if is_shown or target.is_file() or not target.exists():  # both may go to a terminal or a pipe
            taken[target] = f"the file of {option}"


def _resolved(path: Path) -> Path:
    """Return the file that a path leads to; unlike ``Path.resolve``, allow circular links."""
    return Path(os.path.realpath(path))


def _new_file(draft: Path, target: Path, *, is_private: bool) -> IO[bytes]:
    """Create the draft so that it is safe in a shared folder and never has more permissions than the final file."""
    replaced = target.stat().st_mode & 0o777 if target.exists() else None
    mode = 0o600 if is_private or replaced is not None else 0o666
    file = open(draft, "xb", opener=lambda path, flags: os.open(path, flags, mode))  # noqa: SIM115  # it is returned
    if replaced is not None:
        os.fchmod(file.fileno(), replaced)
    return file


def read_replay_file(path: Path) -> Replay:
    """Return the replay in a file. Raises UserError, which names the file."""
    from engine.replay.format import LARGEST_REPLAY, ReplayError, read_replay

    try:
        return read_replay(read_text(path, LARGEST_REPLAY))
    except UserError:
        if _is_database(path):
            raise UserError(
                f"{path} is a database, not a replay; give the id of one of its matches, as listed by 'arena matches --db {path}'"
            ) from None
        raise
    except ReplayError as error:
        raise UserError(f"{path} is not a replay: {error}") from None


def is_file(what: str) -> bool:
    """Return whether an argument is the name of a file rather than the id of a match."""
    return Path(what).exists() or Path(what).suffix == ".json" or "/" in what


def replay_command(what: str, db: str, *more: str) -> list[str]:
    """Return the command, as a list of words, that walks through a replay file or a stored match."""
    return ["arena", "replay", what, *([] if is_file(what) or db == DEFAULT_DB else ["--db", db]), *more]


def find_replay(what: str, db: str) -> Replay:
    """Return the replay in the file, or of the stored match, that ``what`` names. Raises UserError and StoreError."""
    from engine.replay.format import read_replay
    from leaderboard.storage.database import find_database
    from leaderboard.storage.play_tables import find_human_match, human_match_replay
    from leaderboard.storage.store import Store

    if is_file(what):
        return read_replay_file(Path(what))
    database = find_database(db)
    if not database.exists():
        raise UserError(f"there is no file {what}, and no database {database.name} that could have a match with this id; give --db")
    with Store.read(db) as store:
        if find_human_match(store, what) is not None:
            return read_replay(human_match_replay(store, what))
        return read_replay(store.replay(store.find_match(what).id))
