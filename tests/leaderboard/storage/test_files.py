"""A database's files: one run at a time whatever it is called, and nobody else's to read."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from leaderboard.storage import sqlite
from leaderboard.storage.database import StoreError, is_being_written
from leaderboard.storage.store import Store
from tests.leaderboard.conftest import entered


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database that nobody writes to."""
    path = tmp_path / "league.db"
    Store.create(path).__exit__()
    return path


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run is refused at once, not after a second."""
    monkeypatch.setattr(sqlite, "_LOCK_SECONDS", 0.0)


@pytest.fixture(autouse=True)
def usual_mask() -> Iterator[None]:
    """Files are made readable by everybody, unless somebody sees to it."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that other users can reach, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="arena-shared-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def refused(place: Path | str) -> str:
    """What a second run is told."""
    with pytest.raises(StoreError) as error:
        Store.create(place)
    return str(error.value)


def modes(folder: Path) -> dict[str, str]:
    """The rights of each file."""
    return {each.name: f"{stat.S_IMODE(each.stat().st_mode):o}" for each in folder.iterdir() if each.is_file()}


class TestOneRunAtATime:
    def test_through_links_relative_names_and_open_files(self, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "folder").symlink_to(tmp_path)
        (tmp_path / "one.db").symlink_to("folder/league.db")
        (tmp_path / "two.db").symlink_to(tmp_path / "folder" / "one.db")
        monkeypatch.chdir(tmp_path)
        with path.open("rb") as file, Store.create(path):
            others = [tmp_path / name for name in ("folder/league.db", "one.db", "two.db", "folder/two.db")]
            others += [Path("league.db"), Path(f"../{tmp_path.name}/league.db")]
            if Path("/proc/self/fd").exists():  # only Linux names open files
                others.append(Path(f"/proc/self/fd/{file.fileno()}"))
            for other in others:
                assert refused(other).startswith(f"another run is writing to {other}")
                assert is_being_written(other)
        assert not is_being_written("one.db")

    def test_a_file_with_two_names_is_not_written(self, path: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.db"
        with Store.create(path):
            other.hardlink_to(path)
            assert refused(other).startswith(f"{other} has a second name (a hard link)")
        assert "remove one of the names" in refused(path)
        other.unlink()
        Store.create(path).__exit__()


class TestTheLock:
    def test_it_is_not_followed_to_where_somebody_has_it_point(self, tmp_path: Path) -> None:
        victim = tmp_path / "victim"
        victim.write_text("dear")
        (tmp_path / "league.db.lock").symlink_to(victim)
        assert "it is a link, and links are not followed" in refused(tmp_path / "league.db")
        assert victim.read_text() == "dear"
        assert not (tmp_path / "league.db").exists()


class TestRights:
    def test_a_new_database_and_all_that_belongs_to_it_is_its_owners(self, tmp_path: Path) -> None:
        with Store.create(tmp_path / "league.db") as store:
            entered(store)
            during = modes(tmp_path)
        assert during == dict.fromkeys(["league.db", "league.db-wal", "league.db-shm", "league.db.lock"], "600")
        assert modes(tmp_path) == dict.fromkeys(["league.db", "league.db.lock"], "600")

    def test_there_is_no_moment_at_which_others_can_read_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        made: dict[str, int] = {}
        real = os.open

        def watched(name: str | Path, flags: int, mode: int = 0o777, **more: int) -> int:
            found = real(name, flags, mode, **more)
            if flags & os.O_CREAT and str(name).startswith(str(tmp_path)):
                made.setdefault(Path(name).name, stat.S_IMODE(os.fstat(found).st_mode))
            return found

        monkeypatch.setattr("os.open", watched)
        Store.create(tmp_path / "league.db").__exit__()
        assert made == {"league.db": 0o600, "league.db.lock": 0o600}


class TestWhatIsWritten:
    def test_a_bundle_is_for_everybody_unless_there_are_sources_in_it(self, tmp_path: Path) -> None:
        from tests.arena.verification.evidence import make_database

        path, _ = make_database(tmp_path)
        for name, given, mode in (("all.arena", [], "644"), ("bots.arena", ["--with-bots"], "600")):
            done = CliRunner().invoke(app, ["export", "--db", str(path), "--tournament", "cup", "--bundle", str(tmp_path / name), *given])
            assert done.exit_code == 0
            assert modes(tmp_path)[name] == mode
        assert not list(tmp_path.glob(".*"))
