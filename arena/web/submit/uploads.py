"""The uploads of a server: taken in, checked in the background, and looked up, by any server of the same database."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from fastapi import Request

from arena.web.data.offered_games import OfferedGames
from arena.web.data.queries import Queries
from arena.web.settings import WebSettings
from arena.web.submit.admission import Admission
from arena.web.submit.checking import Checker
from arena.web.submit.worker import CheckWorker
from leaderboard.storage.store import Store, StoredMatch
from leaderboard.storage.uploads import StoredUpload, UploadState, count_uploads, find_replay, find_upload, uploads_of

_CHALLENGES: Final = 50
"""An author's newest challenges, of which those in one ladder are shown."""


class Uploads:
    """All uploads of a database; its methods may be called from any thread."""

    def __init__(self, store: Store, settings: WebSettings, games: OfferedGames) -> None:
        self._store = store
        self._place = settings.db
        self._joined: Store | None = None
        self._lock = threading.Lock()
        self._admission = Admission(store, settings, games, self.join)
        self._worker = CheckWorker(self.join, Checker(settings, games).check, settings.checks)

    def start(self) -> None:
        """Start checking uploads that wait, and those left by a server that was killed."""
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

    def take(
        self,
        author: str,
        name: str,
        filename: str,
        content: bytes,
        *,
        arrived: datetime,
        ladder: str = "",
        game: str = "",
        players: Sequence[int] = (),
    ) -> StoredUpload:
        """Read an upload that arrived then and let it wait to be checked. Raises RefusedError, with nothing stored."""
        upload = self._admission.take(author, name, filename, content, arrived=arrived, ladder=ladder, game=game, players=players)
        self._worker.wake()
        taken = self.find(upload)
        assert taken is not None
        return taken

    def challenge(self, queries: Queries, author: str, ladder: str, bot: str, rival: str) -> None:
        """Let a bot of the author's wait to play another one of its ladder. Raises RefusedError, with nothing stored."""
        self._admission.take_challenge(queries, author, ladder, bot, rival)
        self._worker.wake()

    def challenges(self, author: str, ladder: str) -> tuple[StoredUpload, ...]:
        """Return the author's challenges in a ladder, newest first, as long as they are kept."""
        return tuple(each for each in uploads_of(self._store, author, _CHALLENGES, challenges=True) if each.ladder == ladder)

    def find(self, upload: str, *, is_challenge: bool = False) -> StoredUpload | None:
        """Return the upload of that id, or the challenge, as long as it is kept."""
        known = find_upload(self._store, upload)
        return known if known is not None and bool(known.against) == is_challenge else None

    def replay(self, upload: StoredUpload, players: int, seat: int) -> str | None:
        """Return the replay of a match of an upload's check in which the bot failed in that seat, if it is kept.

        Of a challenge, ``players`` is the number of the match, from 1, and ``seat`` 0.
        """
        return find_replay(self._store, upload.id, players, seat)

    def count(self) -> dict[UploadState, int]:
        """Return how many uploads there are in each state."""
        return count_uploads(self._store)


def uploads(request: Request) -> Uploads:
    """Return the uploads of the application that a request came to."""
    uploads: Uploads = request.app.state.uploads
    return uploads


def first_matches(queries: Queries, upload: StoredUpload) -> tuple[StoredMatch, ...]:
    """Return the newest matches of the version in the ladder that it has entered."""
    if not upload.entrant:
        return ()
    tournament = queries.tournament(upload.ladder)
    return queries.store.recent_matches(tournament, bot=upload.entrant, limit=10)
