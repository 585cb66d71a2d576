"""People as players in a match, and who sits in the seat of a bot that failed before the match was paused."""

from __future__ import annotations

import logging
from typing import Final

from arena.web.play.hints import Adviser
from arena.web.play.table import PlayTable
from bots.child.invoke import BotFaultError
from bots.host.bot_process import HostFaultError
from bots.host.player import Player
from bots.protocol import Clock, MatchEnd, MatchInfo
from bots.sandbox.errors import SandboxError, UnfitError
from engine.core import Move, State, View
from engine.core.observer import Chronicle

_log: Final = logging.getLogger("arena.web")


class Person(Player):
    """A person in a match, who may ask for hints."""

    is_timed = False

    def __init__(self, table: PlayTable, seat: int, adviser: Adviser | None) -> None:
        self._table = table
        self._seat = seat
        self._adviser = adviser
        self._chronicle: Chronicle | None = None

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """The match begins."""
        self._chronicle = chronicle
        self._table.begin(chronicle)

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Wait for the person's move."""
        move = self._table.ask(self._seat)
        while move is None:
            self._table.wished(self._advice(view))
            move = self._table.ask(self._seat, again=True)
        return move

    def _advice(self, view: View[State]) -> Move | None:
        assert self._chronicle is not None
        if self._adviser is None:
            return None
        try:
            move = self._adviser.advise(view, self._chronicle)
        except BotFaultError as error:
            _log.error("no hint could be given: %s", error.detail)
            return None
        except (HostFaultError, SandboxError, UnfitError, OSError) as error:
            _log.error("no hint could be given: %s", error)
            return None
        return move if view.position.is_legal(move) else None

    def finish(self, end: MatchEnd) -> None:
        """Do nothing: the page shows the end."""

    def cpu_seconds(self) -> float:
        """Return 0, since a person uses no CPU time."""
        return 0.0


class Failed(Player):
    """Sits for a bot that has failed already, and that nobody will ask."""

    is_timed = False

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Do nothing."""

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Raise RuntimeError: the substitute plays."""
        raise RuntimeError("a seat that has failed is not asked")

    def finish(self, end: MatchEnd) -> None:
        """Do nothing."""
