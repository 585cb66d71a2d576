"""Tournaments begun before there were secrets: shown and verified by the rules they were begun under, and not continued."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from arena.tournament.begun_tournament import stored_spec
from leaderboard.storage.store import Store
from tests.arena.conftest import Run

pytestmark = pytest.mark.slow  # it plays and verifies tournaments of earlier versions

KEPT = Path(__file__).parent / "begun_before_secrets"
RESULTS = {
    "old round-robin": "d119982531ec4decd090f144ae152d4116e091b50ed2d7018358c3d39d135a34",
    "old solo": "cc6095ce3fa2155bd62066d1bef8d7a6f045adefbaf9e7a2dddf485d014cfe5f",
    "old swiss": "490684cae34bb9208a5c989ec4f7347110f6d8125ab31bd80bf6a1c99547c61f",
    "old knockout": "512631f90fbe887a84eccdeed427895843086537f91bdc6f5796e6b7b64024fc",
    "old gauntlet": "1a8e5eb33fee72d497e73c38607e5e7812c5e259890a16f07dafae1ca353ce8f",
    "old ladder": "7f34d807538dc7713d484894bcec3bd48657055e60aab287c89c218efa0751c2",
}
"""What the program that made them printed."""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The database that it made."""
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((KEPT / "database.sqlite.gz").read_bytes()))
    return path


def test_an_old_database_is_upgraded_and_every_format_of_it_verified(database: Path, run: Run) -> None:
    assert run("db", "upgrade", "--db", str(database)).returncode == 0
    verified = run("verify", str(database))
    assert verified.returncode == 0, verified.stdout + verified.stderr
    for name, digest in RESULTS.items():
        assert f"{name}: " in verified.stdout
        assert f"results sha256:{digest}" in verified.stdout
    board = run("leaderboard", "--db", str(database), "--tournament", "old ladder")
    assert "Open seed 5: anyone can compute every deck." in board.stdout
    assert run("stats", "--db", str(database), "--tournament", "old round-robin").returncode == 0


def test_an_edited_value_of_it_is_found(database: Path, run: Run) -> None:
    run("db", "upgrade", "--db", str(database))
    import sqlite3

    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE match SET block_key = block_key + 1 WHERE rowid = 1")
    verified = run("verify", str(database))
    assert verified.returncode == 1
    assert "key of the block" in verified.stdout


def test_an_old_bundle_is_verified(run: Run, tmp_path: Path) -> None:
    shutil.copy(KEPT / "ladder.zip", tmp_path / "old.zip")
    verified = run("verify", "old.zip", "--expect", f"results=sha256:{RESULTS['old ladder']}")
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_an_old_tournament_is_not_continued(database: Path, run: Run, tmp_path: Path) -> None:
    run("db", "upgrade", "--db", str(database))
    with Store.read(str(database)) as store:
        stored = store.tournament("old round-robin")
    assert stored is not None
    assert stored_spec(stored).version == 1
    (tmp_path / "again.toml").write_text(
        'name = "old round-robin"\ngame = "tongiaki"\nseed = 7\nbots = ["random", "spoiler"]\n[schedule]\ntables = [2]\n'
    )
    again = run("run", "again.toml", "--db", str(database), "--executor", "inline", "--isolation", "none")
    assert again.returncode == 2
    assert "was begun by an earlier version of this program" in again.stderr
