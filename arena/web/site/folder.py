"""The folder of a site: a new site is written beside the older one in it, which it replaces at the end."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from engine.core.errors import InputError

MARK: Final = ".arena-site"
"""The file that marks a folder as written by this program, so that it may be replaced; locked while a site is written."""
UNFINISHED: Final = ".unfinished"
"""The folder inside it that holds a new site until it is complete."""
_INDEX: Final = "index.html"
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class SiteError(InputError):
    """The site can't be written; the text says why and what to do."""


def write_file(path: Path, content: bytes) -> None:
    """Write a file of a site. Raises SiteError."""
    with _unwritable(path):
        try:
            path.write_bytes(content)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


@contextmanager
def _unwritable(path: Path) -> Iterator[None]:
    """Raise SiteError for what can't be written there in the block."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise SiteError("the disk is full; make room, give another folder, or leave out the replays with --no-replays") from None
        raise SiteError(f"{path} can't be written: {error.strerror}") from None


@contextmanager
def new_site(out: Path) -> Iterator[Path]:
    """Yield a folder to write the pages to, which at the end of the block become the site in ``out``.

    ``out`` must be new, empty or an older site, which stays as it is if the block raises an error. Raises SiteError, also while another
    process writes there.
    """
    is_new = not out.exists()
    _check(out)
    with _unwritable(out):
        out.mkdir(parents=True, exist_ok=True)
        lock = os.open(out / MARK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SiteError(f"another 'arena site' is writing to {out}; wait for it, or give another folder") from None
        try:
            yield from _written_beside(out)
        except BaseException:
            if is_new:
                shutil.rmtree(out, ignore_errors=True)
            raise
    finally:
        os.close(lock)


def _written_beside(out: Path) -> Iterator[Path]:
    beside = out / UNFINISHED
    shutil.rmtree(beside, ignore_errors=True)  # left by a killed process
    try:
        with _unwritable(out):
            (beside / "pages").mkdir(parents=True)
        yield beside / "pages"
        with _unwritable(out):
            _replace(out, beside / "pages")
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _check(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise SiteError(f"{out} is a file; give a folder")
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file():
        raise SiteError(f"{out} has other files in it; give a new folder, or one written by 'arena site'")


def _replace(out: Path, pages: Path) -> None:
    """Put the pages in the place of the older ones. The front page goes first and comes last: with it, a site is whole."""
    older = out / UNFINISHED / "older"
    older.mkdir()
    there = sorted(out.iterdir(), key=lambda each: each.name != _INDEX)
    for each in there:
        if each.name not in {MARK, UNFINISHED}:
            each.rename(older / each.name)
    for each in sorted(pages.iterdir(), key=lambda each: each.name == _INDEX):
        each.rename(out / each.name)
    (out / MARK).write_text("Written by 'arena site', which may replace all of it.\n", encoding="utf-8")
