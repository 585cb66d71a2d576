"""A whole competition as static files: every page that can be reached, with links from file to file.

Each page is requested from the application as a visitor would, so the files equal the pages of 'arena serve'.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from html import escape, unescape
from pathlib import Path
from posixpath import relpath
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from starlette.types import ASGIApp

from arena.web.app import make_app
from arena.web.errors import NOT_HERE
from arena.web.local_request import local_request
from arena.web.settings import WebSettings
from engine.core.errors import InputError

SNAPSHOT_SECONDS: Final = 1e9
"""Longer than writing a site takes, so that all pages show the same moment."""
MARK: Final = ".arena-site"
"""The file that marks a folder as written by this program, so that it may be replaced."""
_NOT_FOUND: Final = 404
_HEADERS: Final = ((b"host", b"site"), (b"accept", b"text/html"))
_LINK: Final = re.compile(r'(?<=\s)(href|src|action|data-continue|data-document|data-replay|data-rules)="([^"]*)"')
_PLAIN: Final = re.compile(r"[^A-Za-z0-9_.-]")
_SUFFIXES: Final = (".css", ".js", ".svg", ".json", ".png")


class SiteError(InputError):
    """The site can't be written; the text says why and what to do."""


def file_of(address: str) -> str:
    """Return the file for an address within the site: queries become part of the name, pages below another go to a folder."""
    parts = urlsplit(address)
    names = [_safe(unquote(part)) for part in parts.path.split("/") if part]
    query = "".join(f"-{key}-{_safe(value)}" for key, value in sorted(parse_qsl(parts.query)))
    if names and names[-1].endswith(_SUFFIXES) and not query:
        return "/".join(names)
    if not names:
        return f"index{query}.html"
    return "/".join([*names[:-1], f"{names[-1]}{query}.html"])


def _safe(name: str) -> str:
    """Return a name that every file system accepts, a different one for each name."""
    shown = _PLAIN.sub(lambda match: "".join(f"~{byte:02x}" for byte in match[0].encode()), name)
    return f"~{shown}" if shown.startswith(".") else shown


def write_site(
    db: str, out: Path, *, title: str = "Tile Arena", has_replays: bool = True, on_file: Callable[[int], None] = lambda _number: None
) -> int:
    """Write every page to the folder, which must be new, empty or an older site; return the number of files.

    Raises SiteError for a folder that holds something else, StoreError for a database that can't be used.
    """
    _prepare(out)
    app = make_app(
        WebSettings(
            db,
            title=title,
            host_names=("site",),
            requests_per_minute=10**9,
            fresh_seconds=SNAPSHOT_SECONDS,
            is_static=True,
            has_replays=has_replays,
        )
    )
    site = _Site(app, out)
    with ThreadPoolExecutor(1) as thread:  # the caller's thread may have an event loop already
        number = thread.submit(asyncio.run, site.write(on_file)).result()
    (out / MARK).write_text("Written by 'arena site', which may replace all of it.\n", encoding="utf-8")
    return number


def _prepare(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise SiteError(f"{out} is a file; give a folder")
    if out.is_dir() and any(out.iterdir()):
        if not (out / MARK).is_file():
            raise SiteError(f"{out} has other files in it; give a new folder, or one written by 'arena site'")
        for each in sorted(out.iterdir()):
            shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / MARK).write_text("This site is not complete.\n", encoding="utf-8")
    except OSError as error:
        raise SiteError(f"{out} can't be written: {error.strerror}") from None


class _Site:
    """The pages still to be written, and their files."""

    def __init__(self, app: ASGIApp, out: Path) -> None:
        self._app = app
        self._out = out
        self._known: dict[str, str] = {}
        self._waiting: deque[str] = deque()

    async def write(self, on_file: Callable[[int], None]) -> int:
        """Write the page of all tournaments and everything that can be reached from it; return the number of files."""
        self._file("/")
        number = 0
        while self._waiting:
            address = self._waiting.popleft()
            parts = urlsplit(address)
            response = await local_request(self._app, parts.path, _HEADERS, query=parts.query.encode())
            status, body, kind = response.status, response.body, dict(response.headers).get(b"content-type", b"")
            has_no_rules = status == _NOT_FOUND and address.startswith("/rules/")  # of a game that can't be used here; the page says so
            if status not in {200, NOT_HERE} and not has_no_rules:
                raise SiteError(f"the page {address} can't be written: the response has status {status}")
            name = self._known[address]
            if kind.startswith(b"text/html"):
                body = self._local(body.decode(), name).encode()
            path = self._out / name
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(body)
            except OSError as error:
                raise SiteError(f"{path} can't be written: {error.strerror}") from None
            number += 1
            on_file(number)
        return number

    def _file(self, address: str) -> str:
        if address not in self._known:
            self._known[address] = file_of(address)
            self._waiting.append(address)
        return self._known[address]

    def _local(self, text: str, name: str) -> str:
        """Return the page with links from file to file."""

        def change(link: re.Match[str]) -> str:
            address, hash_sign, place = unescape(link[2]).partition("#")
            if not address.startswith("/"):
                return link[0]
            target = quote(relpath(self._file(address), name.rpartition("/")[0] or "."), safe="/~")
            return f'{link[1]}="{escape(target + hash_sign + place)}"'

        return _LINK.sub(change, text)
