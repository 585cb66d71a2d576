"""Drawings of stored matches, compressed for sending: documents for the viewer, and small final boards."""

from __future__ import annotations

import gzip
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Final

from starlette.exceptions import HTTPException

from arena.web.protection.addresses import Turns
from arena.web.viewer.documents import document_of
from arena.web.viewer.schema import write
from arena.web.viewer.small_board import small_board
from engine.core import EngineError
from engine.replay.format import read_replay
from engine.replay.verifier import state_at, timeline_of
from leaderboard.storage.play_tables import find_human_match, human_match_replay
from leaderboard.storage.store import Store

_DOCUMENT_BYTES: Final = 64 << 20
_BOARD_BYTES: Final = 16 << 20
"""The most bytes of boards: enough for over a thousand matches."""


class PackedCache:
    """The texts that ``make`` returned for the most recently requested matches, compressed, up to a number of bytes.

    Each is made in the turn of the address ``who`` that requests it. Its methods may be called from any thread.
    """

    def __init__(self, make: Callable[[str], str], most_bytes: int, turns: Turns) -> None:
        self._make = make
        self._most_bytes = most_bytes
        self._turns = turns
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def packed(self, match: str, who: str) -> bytes:
        """Return the match's text as gzip. Raises the errors of ``make``."""
        if (kept := self._find(match)) is not None:
            return kept
        with self._turns.turn(who):
            if (kept := self._find(match)) is not None:
                return kept
            made = gzip.compress(self._make(match).encode(), 6, mtime=0)
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

    def text(self, match: str, who: str) -> str:
        """Return the match's text. Raises the errors of ``make``."""
        return gzip.decompress(self.packed(match, who)).decode()


def document_cache(store: Store, turns: Turns, most_bytes: int = _DOCUMENT_BYTES) -> PackedCache:
    """Return a cache of the viewer's documents, as JSON that is safe in an HTML page. It raises HTTPException (503) and StoreError."""
    return PackedCache(partial(_document, store), most_bytes, turns)


def board_cache(store: Store, turns: Turns, most_bytes: int = _BOARD_BYTES) -> PackedCache:
    """Return a cache of final boards as SVG. It raises StoreError, and EngineError for a replay that can't be played here."""
    return PackedCache(partial(_board, store), most_bytes, turns)


def _document(store: Store, match: str) -> str:
    text = store.replay(match) if find_human_match(store, match) is None else human_match_replay(store, match)
    try:
        return write(document_of(timeline_of(read_replay(text))))
    except EngineError as error:
        raise HTTPException(503, f"The replay of match {match} can't be shown: {error}.") from None


def _board(store: Store, match: str) -> str:
    replay = read_replay(store.replay(match))
    return small_board(state_at(replay, len(replay.decisions)))
