"""A cache of documents for the viewer, compressed as they are sent."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from threading import Lock
from typing import Final

from starlette.exceptions import HTTPException

from arena.web.viewer.schema import document_of, write
from engine.core import EngineError
from engine.replay.format import read_replay
from engine.replay.verifier import timeline_of
from leaderboard.storage.store import Store

MOST_BYTES: Final = 64 * 1024 * 1024
_LEVEL: Final = 6
_GZIP: Final = 31
"""``wbits`` of zlib for the format of gzip."""


class UnshownError(HTTPException):
    """A stored replay that can't be shown; ``detail`` says why."""

    def __init__(self, detail: str) -> None:
        super().__init__(503, detail)


class ReplayCache:
    """The viewer's documents of the stored matches asked for last; its methods may be called from any thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        self._making = Lock()

    def packed(self, match: str) -> bytes:
        """Return the document as gzip. Raises UnshownError and StoreError."""
        with self._lock:
            if (kept := self._kept.get(match)) is not None:
                self._kept.move_to_end(match)
                return kept
        with self._making:  # one at a time, since all of it is computing
            with self._lock:
                if (kept := self._kept.get(match)) is not None:
                    return kept
            made = self._make(match)
            with self._lock:
                self._kept[match] = made
                self._bytes += len(made)
                while self._bytes > MOST_BYTES and len(self._kept) > 1:
                    self._bytes -= len(self._kept.popitem(last=False)[1])
        return made

    def text(self, match: str) -> str:
        """Return the document as JSON that is safe in an HTML page. Raises UnshownError and StoreError."""
        return zlib.decompress(self.packed(match), _GZIP).decode()

    def _make(self, match: str) -> bytes:
        try:
            replay = read_replay(self._store.replay(match))
            document = document_of(timeline_of(replay))
        except EngineError as error:
            raise UnshownError(f"The replay of match {match} can't be shown: {error}.") from None
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        return packer.compress(write(document).encode()) + packer.flush()
