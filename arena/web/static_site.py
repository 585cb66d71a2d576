"""Writes a site: the pages of all tournaments and everything that can be reached from them; and a season's, with bundles and seals.

Each page is requested from the application as a visitor would, so the files equal the pages of 'arena serve'. The files of matches are
written by processes of their own, if there are many.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Event, Thread
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from fastapi import FastAPI

from arena.season.stages import Season
from arena.season.times import Now, now
from arena.verification.exporter import Exporter
from arena.web.app import make_app
from arena.web.queries import Queries
from arena.web.settings import WebSettings
from arena.web.static_matches import (
    HEADERS,
    MatchWriter,
    SiteError,
    Written,
    local_request,
    match_of,
    new_site,
    write_file,
    write_matches,
    write_response,
)
from leaderboard.storage.bundles import ENDING
from leaderboard.storage.seal_chain import seal_lines
from leaderboard.storage.store import Store

SNAPSHOT_SECONDS: Final = 1e9
"""The seconds for which results are cached: longer than writing a site takes, so that all pages show the same moment."""
_FEW: Final = 200
"""The number of matches whose files are written in the time that another process takes to start."""
_AT_ONCE: Final = 4
"""The number of matches that a process is given at a time."""
Submit: TypeAlias = Callable[[list[str]], Future[Written]]


@dataclass(frozen=True, slots=True)
class SiteProgress:
    """How many files have been written and how many there will probably be, and the bytes of those written."""

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
    """Write every page to the folder, which must be new, empty or an older site; return how many files that was.

    With a ``tournament``, the others in the database are left out; so is what seasons hide at that time (``now``). ``add_bundles`` writes
    bundles into the folder of the pages, which link to them, before it is put in place. Without ``processes`` there is one for each core
    if there are many matches. A site appears when it is complete: until then, and whatever error is raised, the folder is as it was.
    Raises SiteError for a folder that holds something else or a site that can't be written, StoreError for a database that can't be used.
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
        with new_site(out) as pages, _match_pool(settings, pages, processes) as submit:
            site = _Site(app, pages, submit, 2 * processes, number, on_progress)
            with ThreadPoolExecutor(1) as thread:  # the caller's thread may have an event loop already
                try:
                    done = thread.submit(asyncio.run, site.write()).result()
                finally:
                    site.stop()
            if add_bundles is not None:
                add_bundles(pages)
            return done
    except BrokenProcessPool:
        raise SiteError("a process that wrote pages was killed, perhaps because memory ran out; try it with --workers 1") from None
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
    """Write the site of all that may be shown now to a folder, as ``write_site`` does; return the tournaments whose bundles are in it.

    A bundle is there once its stage is over, and neither its results nor its replays are hidden. Raises SiteError and StoreError.
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
    """Return how many matches the site will have. Raises SiteError for a tournament that does not exist."""
    queries = app.state.queries
    names = queries.tournament_names()
    if tournament is not None and not names:
        there = queries.store.tournament_names()
        has = f"it has {', '.join(there)}" if there else "it has none yet"
        raise SiteError(f"there is no tournament '{tournament}' in {queries.store.name}; {has}")
    return sum(queries.played(queries.tournament(name)) for name in names)


@contextmanager
def _match_pool(settings: WebSettings, pages: Path, processes: int) -> Iterator[Submit]:
    """Yield a function that has the files of matches written, by ``processes`` or a thread of this one; on exit, all writing has ended."""
    with ExitStack() as stack:
        if processes > 1:
            pool: Executor = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_follow_parent)
            write: Callable[[list[str]], Written] = partial(write_matches, settings, pages)
        else:
            pool = ThreadPoolExecutor(1)
            write = stack.enter_context(closing(MatchWriter(settings, pages))).write
        stack.callback(pool.shutdown, cancel_futures=True)  # once: a second shutdown would not wait for what the first did not
        yield lambda ids: pool.submit(write, ids)


def _follow_parent() -> None:
    """Leave Ctrl-C to the parent process, and end with it, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


class _Site:
    """The pages still to be written; those of matches are given to ``submit``, ``most`` times at once."""

    def __init__(
        self,
        app: FastAPI,
        pages: Path,
        submit: Submit,
        most: int,
        matches: int,
        on_progress: Callable[[SiteProgress], None],
    ) -> None:
        self._app = app
        self._pages = pages
        self._submit = submit
        self._most = most
        self._expected_of_matches = matches * (3 if app.state.settings.has_replays else 1)
        self._on_progress = on_progress
        self._known: set[str] = set()
        self._waiting: deque[str] = deque()
        self._matches: deque[str] = deque()
        self._written = Written()
        self._own = 0
        self._stopped = Event()

    def stop(self) -> None:
        """Write no further pages; may be called from any thread."""
        self._stopped.set()

    async def write(self) -> SiteProgress:
        """Write the home page and everything that can be reached from it. Raises SiteError."""
        self._add({"/"})
        running = set[asyncio.Future[Written]]()
        while (self._waiting or self._matches or running) and not self._stopped.is_set():
            while self._matches and len(running) < self._most:
                ids = [self._matches.popleft() for _ in range(min(_AT_ONCE, len(self._matches)))]
                running.add(asyncio.wrap_future(self._submit(ids)))
            if self._waiting:
                address = self._waiting.popleft()
                parts = urlsplit(address)
                response = await local_request(self._app, parts.path, HEADERS, query=parts.query.encode())
                self._take(write_response(response, address, self._pages))
                self._own += 1
            if running:
                done, running = await asyncio.wait(running, timeout=0 if self._waiting else None, return_when=asyncio.FIRST_COMPLETED)
                for each in done:
                    self._take(each.result())
            self._on_progress(self._progress())
        return self._progress()

    def _take(self, written: Written) -> None:
        self._add(written.addresses)
        self._written.files += written.files
        self._written.size += written.size

    def _add(self, addresses: Iterable[str]) -> None:
        """Queue new addresses, and for matches their ids."""
        for address in sorted(addresses):
            match = match_of(address)
            key = f"/m/{match}" if match else address
            if key not in self._known:
                self._known.add(key)
                self._matches.append(match) if match else self._waiting.append(address)

    def _progress(self) -> SiteProgress:
        expected = self._own + len(self._waiting) + self._expected_of_matches
        return SiteProgress(self._written.files, max(expected, self._written.files), self._written.size)
