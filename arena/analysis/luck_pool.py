"""Luck of many matches, computed in processes of this machine and kept in the cache (``LuckPool``)."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import Final, NamedTuple, Self

from arena.analysis.analyser import program_digest
from arena.analysis.match_luck import MatchLuck, foresight_of, luck_of, no_luck, read_luck, write_luck
from arena.result_cache import Cache, key_of
from bots.loader.loading import identify
from engine.core import EngineError, Game
from engine.records import MatchResult
from engine.replay.format import read_replay
from engine.replay.verifier import game_of

AT_ONCE: Final = 64
"""Matches that are handed out together, each of a few kilobytes and a few hundredths of a second."""
FEW: Final = 4
"""Up to this many matches are computed without starting processes."""


class MatchReplay(NamedTuple):
    """A match of two or more: its id, the text of its replay, and the digest of that."""

    match: str
    text: str
    digest: str


class LuckPool:
    """Computes luck of matches of one game. Use it in a ``with`` statement; processes are started when they are needed."""

    def __init__(self, game: Game, cache: Cache, processes: int | None = None) -> None:
        """Prepare; ``processes`` is by default the number of cores. Raises NoLuckError for a game without a value function."""
        self._version = (foresight_of(game).version, program_digest(), identify("expert").digest)  # the expert's has all heuristics
        self._cache = cache
        self._processes = (os.cpu_count() or 1) if processes is None else processes
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def luck(self, wanted: Iterable[MatchReplay]) -> Iterator[tuple[str, MatchLuck | str]]:
        """Yield for each match its id and its luck, or a sentence on why it has none; in order."""
        waiting = iter(wanted)
        while batch := list(islice(waiting, AT_ONCE)):
            kept = {each.match: self._cache.get(self._key(each)) for each in batch}
            missing = [each for each in batch if kept[each.match] is None]
            computed = iter(self._computed(missing))
            for each in batch:
                entry: bytes | str | None = kept[each.match]
                if entry is None:
                    entry = next(computed)
                    if isinstance(entry, bytes):  # kept at once, so that an interruption loses little
                        self._cache.put(self._key(each), entry)
                yield each.match, entry if isinstance(entry, str) else read_luck(entry)

    def of_results(self, results: Sequence[MatchResult]) -> list[MatchLuck]:
        """Return the luck of matches that have just been played; ``no_luck`` where it can't be computed."""
        wanted = (MatchReplay(result.ticket.id, result.replay.text, result.replay.digest) for result in results)
        lucks = [luck for _, luck in self.luck(wanted)]
        return [no_luck(len(result.seats)) if isinstance(luck, str) else luck for result, luck in zip(results, lucks, strict=True)]

    def _key(self, wanted: MatchReplay) -> str:
        return key_of("luck", *self._version, wanted.digest)

    def _computed(self, wanted: list[MatchReplay]) -> Iterable[bytes | str]:
        if self._processes == 1 or (self._pool is None and len(wanted) <= FEW):
            return map(_compute, wanted)
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._processes, mp_context=get_context("spawn"), initializer=_leave_interrupts)
        return self._pool.map(_compute, wanted)


def _leave_interrupts() -> None:
    """Leave Ctrl-C to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _compute(wanted: MatchReplay) -> bytes | str:
    try:
        replay = read_replay(wanted.text)
        return write_luck(luck_of(replay, wanted.digest, foresight_of(game_of(replay))))
    except EngineError as error:
        return str(error)
