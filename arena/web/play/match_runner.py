"""Playing the match of a table, from its beginning or from where it was paused; hints, and the memory that its bots need."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from arena.bots import IsolationError, admit, check_plays, choose_level, find_bot
from arena.play.match import play_match
from arena.web.play.seats import PausedError, Seat, Stage
from arena.web.play.table import PlayTable
from arena.web.play.table_store import TableStore
from arena.web.settings import MIB, WebSettings
from bots.clock import Timekeeper
from bots.errors import BotError, BotFaultError, HostFaultError, SandboxError, UnfitError
from bots.host.player_pool import Player, PlayerPool, is_reference
from bots.loader.version import BotVersion
from bots.protocol import Clock, ClockSpec, MatchEnd, MatchInfo
from engine.core import EngineError, Game, Move, State, View
from engine.core.observer import Chronicle
from engine.records import Fault, MatchResult, Ticket
from leaderboard.errors import StoreError
from leaderboard.storage.database import Patience

_HINT_BOTS: Final = ("expert", "mcts", "flat", "greedy")
"""The bots that give hints, strongest first. A bot that plays at random gives none."""
CLOCK: Final = ClockSpec(start=10.0, move=2.0)
_log: Final = logging.getLogger("arena.web")
UNFIT: Final = "A bot at this table can't be played here at the moment, so the match is paused."
BOT_CLOCK: Final = ClockSpec(start=10.0, move=5.0)
_POOL_MEMORY: Final = 64 * MIB
"""The bytes that a table's sandbox takes besides its bots."""
_REFERENCE_MEMORY: Final = 128 * MIB
"""The bytes that a reference bot takes, with a search tree of five seconds."""


@lru_cache(64)
def hint_bot_of(game: Game) -> BotVersion | None:
    """Return the strongest reference bot that plays the game, or None if only ``random`` does."""
    for name in _HINT_BOTS:
        try:
            version = find_bot(name, None, in_process=False)
            check_plays(version, game)
        except (BotError, EngineError):
            continue
        return version
    return None


def hint_of(version: BotVersion, pool: PlayerPool, game: Game, players: int, view: View[State], chronicle: Chronicle) -> Move:
    """Return the bot's move as the seat of the view, from a process of the pool that ends with it. Raises BotFaultError, and errors of the
    sandbox.
    """
    player = pool.seat(version)
    try:
        player.start(MatchInfo(game, players, view.seat, secrets.randbits(63), CLOCK), chronicle)
        return player.choose(view, Timekeeper(CLOCK).for_decision())
    finally:
        player.stop()
        player.close()


class _Person(Player):
    """A person in a match, who may ask for hints."""

    is_timed = False

    def __init__(self, table: PlayTable, pool: PlayerPool) -> None:
        self._table = table
        self._pool = pool
        self._chronicle: Chronicle | None = None

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Keep the table up to date with the match."""
        self._chronicle = chronicle
        self._table.live.begin(chronicle)

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Wait for the person's move."""
        return self._table.live.ask(view.seat, lambda: self._hint(view))

    def _hint(self, view: View[State]) -> Move | None:
        table, version = self._table, self._table.hint_bot
        if version is None or self._chronicle is None or not table.has_hints():
            return None
        try:
            move = hint_of(version, self._pool, table.game, len(table.seats), view, self._chronicle)
        except (BotFaultError, HostFaultError, SandboxError, UnfitError, OSError) as error:
            _log.error("no hint could be given: %s", error.detail if isinstance(error, BotFaultError) else error)
            return None
        return move if view.position.is_legal(move) else None

    def finish(self, end: MatchEnd) -> None:
        """Do nothing: the page shows the end."""

    def cpu_seconds(self) -> float:
        """Return 0, since a person uses no CPU time."""
        return 0.0


class _FailedBot(Player):
    """The player of a bot that failed before the match was paused; it is never asked."""

    is_timed = False

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Do nothing."""

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Raise RuntimeError: the substitute plays."""
        raise RuntimeError("a seat that has failed is not asked")

    def finish(self, end: MatchEnd) -> None:
        """Do nothing."""


def play(table: PlayTable, settings: WebSettings, isolation: str, store: TableStore) -> None:
    """Play the match to its end and store it, or until it is paused or closed."""
    try:
        result = _match(table, settings, isolation, store)
        Patience(lambda sentence: _log.warning("%s", sentence))(store.finish, table, result)
        table.result, table.match = result, table.ticket
        table.end(Stage.OVER)
    except PausedError:
        if table.stage is Stage.PLAYING:
            table.pause()
    except BotError as error:
        _log.error("a match at a table is paused: %s", error)
        if table.stage is Stage.PLAYING:
            table.tell(UNFIT)
            table.pause()
    except StoreError as error:
        _log.error("a match at a table could not be stored: %s", error)
        table.end(Stage.OVER, "the match could not be stored")
    except (HostFaultError, SandboxError, UnfitError, IsolationError, OSError) as error:
        _log.error("a match at a table can't be played: %s", error)
        table.end(Stage.CLOSED, "this server can't play the match at the moment")
    except Exception:  # noqa: BLE001  # nothing else catches it, and the people at the table must be notified
        _log.exception("a match at a table failed")
        table.end(Stage.CLOSED, "this server failed to play the match")


def _match(table: PlayTable, settings: WebSettings, isolation: str, store: TableStore) -> MatchResult:
    level = choose_level(isolation)
    # the server may have been restarted with weaker isolation
    admit([seat.version for seat in table.seats if seat.version], level, trusted=settings.trust_bots)
    if table.notice == UNFIT:
        table.tell("")
    names = tuple(seat.name for seat in table.seats)
    ticket = Ticket(table.ticket, names, 0, 0, names, table.seed)
    opening = table.live.moves

    def settle(index: int, seat: int, move: Move, fault: Fault | None) -> Move:
        if fault is not None:
            table.fail(seat, fault)
        elif index >= len(opening) and table.seats[seat].is_person:
            store.save_move(table, index, str(move))
        return move

    with PlayerPool(level, game=table.game, runtime=settings.runtime) as pool:
        faults = dict(table.faults)
        players: list[Player] = [
            _Person(table, pool) if seat.version is None else _FailedBot() if number in faults else pool.seat(seat.version)
            for number, seat in enumerate(table.seats)
        ]
        played = play_match(table.game, ticket, players, table.live.moved, clock=BOT_CLOCK, opening=opening, faults=faults, settle=settle)
    return replace(played, isolation=str(level))


def memory_of(seats: Sequence[Seat], most: int, *, hints: bool) -> int:
    """Return the bytes that the bots of a table may take: submitted bots up to ``most`` each, reference bots far less.

    With ``hints``, one more reference bot gives those.
    """
    versions = [seat.version for seat in seats if seat.version is not None]
    submitted = sum(not is_reference(version) for version in versions)
    reference = len(versions) - submitted + hints
    return _POOL_MEMORY + submitted * most + reference * _REFERENCE_MEMORY if submitted + reference else 0


def machine_memory() -> int:
    """Return the bytes of memory of this machine, or of this process's control group if that is less."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except OSError:
        return physical
    return min(physical, int(limit)) if limit.isdecimal() else physical
