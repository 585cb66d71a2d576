"""The uploads of a server: taken in, checked in the background, and looked up."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Final

from fastapi import Request

from arena.entries.orders import OrderError, Reason, leave
from arena.web.data.my_bots import own_bots
from arena.web.data.offered_games import OfferedGames
from arena.web.data.queries import Queries, queries_of
from arena.web.errors import NotFoundError, UnusableError
from arena.web.settings import WebSettings
from arena.web.submit.admission import Admission
from arena.web.submit.checking import Checker
from arena.web.submit.worker import CheckWorker
from leaderboard.records.stored import Order
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.uploads import Upload, find_upload

MATCHES: Final = 10
"""How many of the newest matches of an accepted version are shown with its upload."""


class Uploads:
    """All uploads of a database; its methods may be called from any thread."""

    def __init__(self, store: Store, settings: WebSettings, games: OfferedGames) -> None:
        self._store = store
        self._place = settings.db
        self._joined: Store | None = None
        self._lock = threading.Lock()
        self._worker = CheckWorker(self.join, Checker(settings, games).check, settings.checks)
        self.admission: Final = Admission(store, settings, games, self.join, self._worker.wake)

    def start(self) -> None:
        """Start checking uploads that wait, and those whose check was cut off."""
        self._worker.start()

    def close(self) -> None:
        """Stop checking; waiting uploads are kept."""
        self._worker.close()
        with self._lock:
            if self._joined is not None:
                self._joined.close()

    def join(self) -> Store:
        """Return the database opened for writing. Raises StoreError."""
        with self._lock:
            if self._joined is None:
                self._joined = Store.join(self._place)
            return self._joined

    def find(self, upload: str) -> Upload | None:
        """Return the upload of that id; None if it is not kept."""
        return find_upload(self._store, upload)


def uploads(request: Request) -> Uploads:
    """Return the uploads of the request's application."""
    uploads: Uploads = request.app.state.uploads
    return uploads


def withdraw(request: Request, author: str, ladder: str, bot: str) -> Order:
    """Take one of the author's bots out of a ladder, by the order that its host would give.

    Raises NotFoundError, and UnusableError for what is no ladder, is over, or would have too few bots left.
    """
    queries = queries_of(request)
    tournament = queries.tournament(ladder)
    if bot not in own_bots(queries, tournament, author):
        raise NotFoundError("You have no bot of that name in this ladder.")
    try:
        given = leave(uploads(request).join(), tournament, bot, Reason("withdrawn", "its author"))
    except OrderError as error:
        raise UnusableError("bot", str(error), 409) from None
    queries.reread(ladder)
    return given.order


def entered_ladder(queries: Queries, upload: Upload) -> StoredTournament | None:
    """Return the ladder that the version has entered; None if it has entered none, the pages don't know yet, or its results are hidden."""
    with suppress(NotFoundError):
        if upload.entrant:
            ladder = queries.tournament(upload.ladder)
            queries.entrant(ladder, upload.entrant)
            return ladder
    return None
