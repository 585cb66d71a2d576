"""The folder of a site: whole, or as it was before."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from arena.web.static_matches import MARK, UNFINISHED, SiteError, new_site, write_file


def make_site(out: Path, words: str, *, extra: str = "") -> None:
    with new_site(out) as pages:
        write_file(pages / "index.html", words.encode())
        if extra:
            write_file(pages / "m" / extra, b"")


def files_of(out: Path) -> set[str]:
    return {str(each.relative_to(out)) for each in out.rglob("*") if each.is_file()}


def test_a_new_site_takes_the_place_of_the_older_one(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "site"
    make_site(out, "old", extra="old.html")

    make_site(out, "new", extra="new.html")

    assert files_of(out) == {MARK, "index.html", "m/new.html"}
    assert (out / "index.html").read_text() == "new"


def test_an_error_leaves_the_older_site(tmp_path: Path) -> None:
    make_site(tmp_path, "old", extra="old.html")

    def interrupted() -> None:
        with new_site(tmp_path) as pages:
            write_file(pages / "index.html", b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert files_of(tmp_path) == {MARK, "index.html", "m/old.html"}
    assert (tmp_path / "index.html").read_text() == "old"


def test_until_its_end_a_site_is_not_to_be_seen(tmp_path: Path) -> None:
    with new_site(tmp_path / "new") as pages:
        write_file(pages / "index.html", b"new")
        assert {each.name for each in (tmp_path / "new").iterdir()} == {MARK, UNFINISHED}


def test_what_a_killed_process_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / MARK).touch()
    (tmp_path / UNFINISHED / "pages").mkdir(parents=True)
    (tmp_path / UNFINISHED / "pages" / "half.html").touch()

    make_site(tmp_path, "new")

    assert files_of(tmp_path) == {MARK, "index.html"}


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("the only copy")

    with pytest.raises(SiteError, match="other files"):
        make_site(tmp_path, "new")

    assert files_of(tmp_path) == {"thesis.txt"}


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)

    with pytest.raises(SiteError, match=r"^the disk is full; make room, .* --no-replays$"):
        make_site(tmp_path / "new", "new")

    assert not list(tmp_path.iterdir())
