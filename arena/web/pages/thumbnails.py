"""The final boards of matches in small, for cards: drawn once, kept compressed, and hidden as long as the replay is."""

from __future__ import annotations

import gzip
from collections import OrderedDict
from threading import Lock
from typing import Final

from fastapi import APIRouter, Request, Response

from arena.spec.spec import SpecError
from arena.web.data.queries import queries_of
from arena.web.viewer.small_board import hidden_board, small_board
from engine.core import EngineError
from engine.replay.format import read_replay
from engine.replay.verifier import state_at
from leaderboard.storage.store import Store

router = APIRouter(include_in_schema=False)
MOST_BYTES: Final = 16 * 1024 * 1024
"""Room for the boards of over a thousand matches, compressed."""
_KEPT: Final = "public, max-age=86400"
_HIDDEN: Final = gzip.compress(hidden_board().encode(), mtime=0)


class BoardCache:
    """The final boards asked for last, as SVG compressed with gzip; its methods may be called from any thread."""

    def __init__(self, store: Store, most_bytes: int = MOST_BYTES) -> None:
        self._store = store
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        self._making = Lock()

    def packed(self, match: str) -> bytes:
        """Return the board. Raises StoreError, and EngineError for a replay that can't be played here."""
        if (kept := self._find(match)) is not None:
            return kept
        with self._making:  # one at a time, since all of it is computing
            if (kept := self._find(match)) is not None:
                return kept
            replay = read_replay(self._store.replay(match))
            made = gzip.compress(small_board(state_at(replay, len(replay.decisions))).encode(), 6, mtime=0)
            with self._lock:
                self._kept[match] = made
                self._bytes += len(made)
                while self._bytes > self._most_bytes and len(self._kept) > 1:
                    self._bytes -= len(self._kept.popitem(last=False)[1])
        return made

    def _find(self, match: str) -> bytes | None:
        with self._lock:
            if (kept := self._kept.get(match)) is not None:
                self._kept.move_to_end(match)
            return kept


@router.get("/m/{match}/board.svg")
def board(request: Request, match: str) -> Response:
    """Return the final board; the backs of tiles as long as its deck is to be played on, or if its game can't be drawn here."""
    queries = queries_of(request)
    listed = queries.match(match)
    cache: BoardCache = request.app.state.boards
    packed, keep = _HIDDEN, "no-cache"
    try:
        if queries.is_block_over(queries.tournament(listed.match.tournament), listed.match):
            packed, keep = cache.packed(listed.match.id), _KEPT
    except (SpecError, EngineError):  # the match page says what is missing; a card only lacks its picture
        packed = _HIDDEN
    headers = {"cache-control": keep, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, media_type="image/svg+xml", headers=headers | {"content-encoding": "gzip"})
    return Response(gzip.decompress(packed), media_type="image/svg+xml", headers=headers)
