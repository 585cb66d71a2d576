"""Maps addresses and links to files, and writes each match's files (page, replay and board), which are most files of a site.

A new site is written inside the folder of the older site, which it replaces at the end. The files of a match
come from direct calls of the functions that answer requests, since going through the application would take twice as long.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from posixpath import relpath
from types import MappingProxyType
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from anyio.from_thread import start_blocking_portal
from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message

from arena.play.executors.base import Task
from arena.web.app import make_app
from arena.web.errors import NOT_HERE
from arena.web.pages import matches
from arena.web.settings import WebSettings
from bots.host.player_pool import PlayerPool
from engine.core.errors import ArenaError, InputError
from leaderboard.errors import StoreError

MARK: Final = ".arena-site"
"""The file that marks a folder as a site of this program, which may be replaced; the file is locked while a site is written."""
UNFINISHED: Final = ".unfinished"
"""The folder, inside the folder of the site, that holds a new site until it is complete."""
_INDEX: Final = "index.html"
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
HEADERS: Final = ((b"host", b"site"), (b"accept", b"text/html"))
_OF_MATCH: Final = re.compile(r"/m/([^/?]+)(/[^?]*)?")
_VIEWS: Final = MappingProxyType[str, Callable[[Request, str], Response]](
    {"": matches.match, "/replay.json": matches.file, "/board.svg": matches.board}
)
_NOT_FOUND: Final = 404
_LINK: Final = re.compile(r'(?<=\s)(href|src|action|data-continue|data-document|data-replay|data-rules)="(/[^"]*)"')
_PLAIN: Final = re.compile(r"[^A-Za-z0-9_.-]")
_SUFFIXES: Final = (".css", ".js", ".svg", ".json", ".png")


class SiteError(InputError):
    """The site can't be written; the message says why and what to do."""


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
    """Raise SiteError if the block can't write to the path."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise SiteError("the disk is full; make room, give another folder, or leave out the replays with --no-replays") from None
        raise SiteError(f"{path} can't be written: {error.strerror}") from None


@contextmanager
def new_site(out: Path) -> Iterator[Path]:
    """Yield a folder for the pages; at the end of the block, they become the site in ``out``.

    ``out`` must be new, empty or an older site; if the block raises an error, ``out`` does not change. Raises SiteError, for example if
    another process is writing there.
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
    """Replace the older pages. The front page is removed first and added last, so a site with a front page is complete."""
    older = out / UNFINISHED / "older"
    older.mkdir()
    there = sorted(out.iterdir(), key=lambda each: each.name != _INDEX)
    for each in there:
        if each.name not in {MARK, UNFINISHED}:
            each.rename(older / each.name)
    for each in sorted(pages.iterdir(), key=lambda each: each.name == _INDEX):
        each.rename(out / each.name)
    (out / MARK).write_text("Written by 'arena site', which may replace all of it.\n", encoding="utf-8")


async def local_request(app: ASGIApp, path: str, headers: Sequence[tuple[bytes, bytes]], *, query: bytes = b"") -> Response:
    """Return the application's response to a GET request; ``path`` is percent-encoded."""
    scope: dict[str, object] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": list(headers),
        "client": ("local", 0),
        "server": ("local", 80),
    }
    sent: list[Message] = []
    requests = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Message:
        message = next(requests, None)
        if message is None:
            await asyncio.Event().wait()  # a further read waits for a disconnect, which never comes
            raise AssertionError
        return message

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start, *pieces = sent
    response = Response(b"".join(piece.get("body", b"") for piece in pieces), start["status"])
    response.raw_headers = list(start["headers"])
    return response


def file_of(address: str) -> str:
    """Return the file for an address within the site: queries become part of the name, and pages below another page go into a folder."""
    parts = urlsplit(address)
    names = [_safe(unquote(part)) for part in parts.path.split("/") if part]
    query = "".join(f"-{key}-{_safe(value)}" for key, value in sorted(parse_qsl(parts.query)))
    if names and names[-1].endswith(_SUFFIXES) and not query:
        return "/".join(names)
    if not names:
        return f"index{query}.html"
    return "/".join([*names[:-1], f"{names[-1]}{query}.html"])


def _safe(name: str) -> str:
    """Return a file name for a name: every file system accepts it, and different names get different file names."""
    shown = _PLAIN.sub(lambda match: "".join(f"~{byte:02x}" for byte in match[0].encode()), name)
    return f"~{shown}" if shown.startswith(".") else shown


def with_files(page: str, name: str) -> tuple[str, set[str]]:
    """Return the page, which goes into the file ``name``, with addresses replaced by relative links to files; also return the addresses."""
    folder = name.rpartition("/")[0] or "."
    addresses = set[str]()

    def change(link: re.Match[str]) -> str:
        address, target = _target(link[2], folder)
        addresses.add(address)
        return f'{link[1]}="{target}"'

    return _LINK.sub(change, page), addresses


@lru_cache(maxsize=1 << 14)
def _target(link: str, folder: str) -> tuple[str, str]:
    """Return the address in an HTML link, and the link from a file in the folder to the file of that address."""
    address, hash_sign, place = unescape(link).partition("#")
    target = quote(relpath(file_of(address), folder), safe="/~")
    return address, escape(target + hash_sign + place)


@dataclass(slots=True)
class Written:
    """How many files and bytes were written, and the addresses that these files link to, except those of the same match."""

    files: int = 0
    size: int = 0
    addresses: set[str] = field(default_factory=set)

    def add(self, other: Written) -> None:
        """Add the result of another writer."""
        self.files += other.files
        self.size += other.size
        self.addresses |= other.addresses


def match_of(address: str) -> str | None:
    """Return the id of the match if the address is that of a match's page, replay or board, else None."""
    found = _OF_MATCH.fullmatch(address)
    return found[1] if found and (found[2] or "") in _VIEWS else None


def write_response(response: Response, address: str, pages: Path) -> Written:
    """Write the response for an address to its file. Raises SiteError, also if the response is an error page."""
    has_no_rules = response.status_code == _NOT_FOUND and address.startswith("/rules/")  # its game can't be used here, as the page says
    if response.status_code not in {200, NOT_HERE} and not has_no_rules:
        raise SiteError(f"the page {address} can't be written: the response has status {response.status_code}")
    name, body, addresses = file_of(address), bytes(response.body), set[str]()
    if response.headers.get("content-type", "").startswith("text/html"):
        text, addresses = with_files(body.decode(), name)
        body = text.encode()
    write_file(pages / name, body)
    return Written(1, len(body), addresses)


class WriteMatches(Task[str, Written | str]):
    """Writes the files of matches, given their ids; the result for a match is what was written or, after an error, the error's message."""

    def __init__(self, settings: WebSettings, pages: Path) -> None:
        self._settings = settings
        self._pages = pages
        self._app: FastAPI | None = None

    def close(self) -> None:
        """Close the database, if matches were written in this process."""
        if self._app is not None:
            self._app.state.queries.close()

    def do(self, items: Sequence[str], pool: PlayerPool | None) -> list[Written | str]:
        """Write the files of these matches; return, for each, what was written or an error message."""
        app = self._app = self._app or make_app(self._settings)  # one for each process, since it reads the database through one connection
        with app.state.queries.store.snapshot():
            return [self._write(app, match) for match in items]

    def lost(self, item: str, reason: str) -> str:
        """Return the message about a match whose files could not be written because a process was lost."""
        return f"the pages of match {item} can't be written: {reason}; try it with --workers 1"

    def _write(self, app: FastAPI, match: str) -> Written | str:
        written, waiting = Written(), [f"/m/{match}"]
        known = set(waiting)
        try:
            while waiting:
                address = waiting.pop()
                done = write_response(_ask(app, address, match), address, self._pages)
                own = {each for each in done.addresses if match_of(each) == match}
                waiting += own - known
                known |= own
                done.addresses -= own
                written.add(done)
        except (SiteError, StoreError) as error:
            return str(error)
        return written


def _ask(app: FastAPI, address: str, match: str) -> Response:
    request = Request(
        {"type": "http", "method": "GET", "path": address, "root_path": "", "headers": list(HEADERS), "query_string": b"", "app": app}
    )
    try:
        return _VIEWS[address.removeprefix(f"/m/{match}")](request, match)
    except (HTTPException, ArenaError):  # the application has a page that says why
        with start_blocking_portal() as portal:
            return portal.call(local_request, app, address, HEADERS)
