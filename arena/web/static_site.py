"""Writes a static site (the pages of all tournaments and every page reachable from them), or a season's site with bundles and seals.

Each page is requested from the application as a visitor would request it, so the files equal the pages of 'arena serve'. If there are many
matches, separate processes write their files.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from anyio.from_thread import start_blocking_portal
from fastapi import FastAPI

from arena.play.executors.base import InlineExecutor
from arena.play.executors.process_executor import ProcessExecutor
from arena.season.stages import Season
from arena.season.times import Now, now
from arena.verification.exporter import Exporter
from arena.web.app import make_app
from arena.web.queries import Queries
from arena.web.settings import WebSettings
from arena.web.static_matches import (
    HEADERS,
    SiteError,
    WriteMatches,
    Written,
    local_request,
    match_of,
    new_site,
    write_file,
    write_response,
)
from leaderboard.storage.bundles import ENDING
from leaderboard.storage.seal_chain import seal_lines
from leaderboard.storage.store import Store

SNAPSHOT_SECONDS: Final = 1e9
"""How long results are cached, in seconds: longer than writing a site takes, so that all pages show the same moment."""
_FEW: Final = 200
"""How many matches can be written in the time that it takes to start another process."""
WriteAll: TypeAlias = Callable[[Iterator[str]], Iterator[list[Written | str]]]


@dataclass(frozen=True, slots=True)
class SiteProgress:
    """How many files have been written, their size in bytes, and how many files there will probably be."""

    files: int
    expected: int
    size: int


def write_site(
    db: str,
    out: Path,
    *,
    title: str = "Tile Arena",
    has_replays: bool = True,
    tournament: str | None = None,
    processes: int | None = None,
    on_progress: Callable[[SiteProgress], None] = lambda _progress: None,
    now: Now = now,
    add_bundles: Callable[[Path], None] | None = None,
) -> SiteProgress:
    """Write every page to the folder, which must be new, empty or an older site; return the number and size of the files.

    With a ``tournament``, the others in the database are left out. Data that seasons hide at the time ``now`` are also left out.
    ``add_bundles`` adds bundles to the new pages, which link to them. By default, ``processes`` is one per core if there are many matches.
    The folder does not change until the site is complete, nor if an error is raised. Raises SiteError if the folder has other contents or
    can't be written, and StoreError if the database can't be used.
    """
    settings = WebSettings(
        db,
        title=title,
        host_names=("site",),
        requests_per_minute=10**9,
        fresh_seconds=SNAPSHOT_SECONDS,
        is_static=True,
        has_replays=has_replays,
        tournament=tournament,
        has_bundles=add_bundles is not None,
        now=now,
    )
    app = make_app(settings)
    try:
        number = _count_matches(app, tournament)
        if processes is None:
            processes = min(_cores(), 1 + number // _FEW)
        executor = ProcessExecutor(processes) if processes > 1 else InlineExecutor()
        with new_site(out) as pages, closing(executor), closing(WriteMatches(settings, pages)) as task:
            done = _Site(app, pages, number, on_progress).write(partial(executor.work, task))
            if add_bundles is not None:
                add_bundles(pages)
            return done
    finally:
        app.state.queries.close()


def publish_season(
    db: str,
    out: Path,
    season: Season,
    now: Now,
    *,
    has_replays: bool = True,
    processes: int | None = None,
) -> tuple[str, ...]:
    """Write a site of everything that may be shown now (see ``write_site``); return the names of the tournaments with a bundle in it.

    A bundle is added once its stage is over and neither its results nor its replays are hidden. Raises SiteError and StoreError.
    """
    written: list[str] = []

    def add_bundles(pages: Path) -> None:
        with Store.read(db) as store, store.snapshot():
            queries = Queries(store, fresh_seconds=SNAPSHOT_SECONDS, now=now)
            sums = []
            for stage in season.stages:
                name = stage.tournament
                if name not in queries.tournament_names() or queries.hidden_until(name, "replays") is not None:
                    continue
                tournament = queries.tournament(name)
                if not queries.is_final(tournament):
                    continue
                write_file(pages / "bundles" / f"{name}.seals.jsonl", b"".join(seal_lines(store, tournament)))
                bundle = pages / "bundles" / f"{name}{ENDING}"
                Exporter(store, tournament).write_bundle(bundle)
                with bundle.open("rb") as file:
                    sums.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {bundle.name}\n")
                written.append(name)
            if sums:
                write_file(pages / "bundles" / "SHA256SUMS", "".join(sums).encode())

    write_site(db, out, title=season.title, has_replays=has_replays, processes=processes, now=now, add_bundles=add_bundles)
    return tuple(written)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _count_matches(app: FastAPI, tournament: str | None) -> int:
    queries = app.state.queries
    names = queries.tournament_names()
    if tournament is not None and not names:
        there = queries.store.tournament_names()
        has = f"its tournaments are {', '.join(there)}" if there else "it has none yet"
        raise SiteError(f"there is no tournament '{tournament}' in {queries.store.name}; {has}")
    return sum(queries.played(queries.tournament(name)) for name in names)


class _Site:
    """The pages still to be written."""

    def __init__(self, app: FastAPI, pages: Path, matches: int, on_progress: Callable[[SiteProgress], None]) -> None:
        self._app = app
        self._pages = pages
        self._expected_of_matches = matches * (3 if app.state.settings.has_replays else 1)
        self._on_progress = on_progress
        self._known: set[str] = set()
        self._waiting: deque[str] = deque()
        self._matches: deque[str] = deque()
        self._written = Written()
        self._own = 0

    def write(self, write_all: WriteAll) -> SiteProgress:
        """Write the home page and everything that can be reached from it, using ``write_all`` for matches. Raises SiteError."""
        self._add({"/"})
        while self._waiting or self._matches:
            with start_blocking_portal() as portal:  # the caller's thread may have an event loop already
                portal.call(self._write_pages)
            ids, self._matches = self._matches, deque()
            for answers in write_all(iter(ids)):
                for written in answers:
                    if isinstance(written, str):
                        raise SiteError(written)
                    self._take(written)
        return self._progress()

    async def _write_pages(self) -> None:
        while self._waiting:
            address = self._waiting.popleft()
            parts = urlsplit(address)
            response = await local_request(self._app, parts.path, HEADERS, query=parts.query.encode())
            self._own += 1
            self._take(write_response(response, address, self._pages))

    def _take(self, written: Written) -> None:
        self._add(written.addresses)
        self._written.files += written.files
        self._written.size += written.size
        self._on_progress(self._progress())

    def _add(self, addresses: Iterable[str]) -> None:
        for address in sorted(addresses):
            match = match_of(address)
            key = f"/m/{match}" if match else address
            if key not in self._known:
                self._known.add(key)
                self._matches.append(match) if match else self._waiting.append(address)

    def _progress(self) -> SiteProgress:
        expected = self._own + len(self._waiting) + self._expected_of_matches
        return SiteProgress(self._written.files, max(expected, self._written.files), self._written.size)
