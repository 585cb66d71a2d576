"""The process that analyses for the pages: an order on standard input, what was found on standard output, limits of time and memory."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from time import process_time
from typing import Final

import msgspec

from arena.analysis.analyser import Settings, analysis_of
from arena.analysis.bot_analysis import NothingToAnalyseError, analyse_bot
from arena.result_cache import open_cache
from arena.web.analyses.orders import BotFound, BotOrder, Found, MatchFound, MatchOrder, Order, Trouble
from arena.web.viewer.analysed import evaluation_of, viewer_analysis
from engine.core import EngineError
from engine.replay.format import read_replay
from engine.replay.verifier import timeline_of
from leaderboard.storage.store import Store

_NICE: Final = 10
_GRACE: Final = 10
"""Seconds of CPU beyond those of the order, for what is not analysing: imports, and what a single decision takes."""


MEMORY: Final = 1 << 30
"""The process's limit of address space, in bytes: ten times what a match of the games of this program takes."""


def main() -> None:
    """Do the order on standard input."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    os.nice(_NICE)
    limit(int(order.seconds) + _GRACE)
    try:
        found = do(order)
    except MemoryError:
        found = Trouble(f"The analysis takes more than {MEMORY >> 20} MiB of memory and was given up.")
    sys.stdout.buffer.write(msgspec.json.encode(found))


def limit(cpu_seconds: int) -> None:
    """Limit this process for good, to so many seconds of CPU and to ``MEMORY``; stricter limits of the host stay."""
    wanted = [(resource.RLIMIT_CPU, cpu_seconds, 1)]
    if sys.platform != "darwin":  # macOS names this limit but does not have it
        wanted.append((resource.RLIMIT_AS, MEMORY, 0))
    for which, most, grace in wanted:
        hard = resource.getrlimit(which)[1]
        last = most + grace if hard == resource.RLIM_INFINITY else min(most + grace, hard)
        resource.setrlimit(which, (min(most, last), last))


def do(order: Order) -> Found:
    """Return what was found by doing the order."""
    until = process_time() + order.seconds

    def is_over() -> bool:
        return process_time() >= until

    try:
        return _match(order, is_over) if isinstance(order, MatchOrder) else _bot(order, is_over)
    except EngineError as error:
        return Trouble(f"This match can't be analysed here: {error}.")


def _match(order: MatchOrder, is_over: Callable[[], bool]) -> Found:
    replay = read_replay(order.replay)
    analysis = analysis_of(replay, Settings(is_over=is_over), open_cache())
    return MatchFound(viewer_analysis(timeline_of(replay), analysis), evaluation_of(analysis))


def _bot(order: BotOrder, is_over: Callable[[], bool]) -> Found:
    with Store.read(order.db) as store:
        tournament = store.tournament(order.tournament)
        assert tournament is not None, "the server has just read it"
        matches = [store.find_match(match) for match in order.matches]
        try:
            return BotFound(analyse_bot(store, tournament, order.bot, matches, open_cache(), is_over))
        except NothingToAnalyseError:
            if not is_over():
                raise  # what is wrong with the database is for the host alone
            return Trouble("There was no time to analyse any match that it lost.")
