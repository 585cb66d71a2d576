"""The host's side of a bot in a match: it asks, and turns whatever goes wrong into a fault. It knows no schedule and no rules."""

from __future__ import annotations

from typing import Protocol

from bots.loading import BotError, BotVersion, error_line, load, make_bot
from bots.protocol import Bot, Clock, MatchEnd, MatchInfo
from engine.core import Move, State, View
from engine.records import FaultKind


class BotFaultError(Exception):
    """A bot did something wrong; the match goes on with a substitute in its seat."""

    def __init__(self, kind: FaultKind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


class Player(Protocol):
    """A bot that sits at a table, wherever it runs. Every method but ``finish`` raises BotFaultError."""

    def start(self, info: MatchInfo) -> None:
        """Make the bot ready for the match."""
        ...

    def choose(self, view: View[State], clock: Clock) -> Move:
        """The bot's move, whether legal or not."""
        ...

    def finish(self, end: MatchEnd) -> str | None:
        """Tell the bot that the match is over; gives a sentence for its author when that went wrong."""
        ...


class InProcessPlayer:
    """A bot in this very process: for your own bots only, since nothing keeps it from what it should not see."""

    def __init__(self, version: BotVersion) -> None:
        self._version = version
        self._bot: Bot | None = None

    def start(self, info: MatchInfo) -> None:
        """Make the bot and call its ``start``, if it has one."""
        try:
            self._bot = make_bot(self._version, load(self._version))
        except BotError as error:
            raise BotFaultError(FaultKind.CRASH, str(error)) from None
        start = getattr(self._bot, "start", None)
        if start is None:
            return
        try:
            start(info)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a contestant's code may raise anything
            raise BotFaultError(_kind(error), f"start raised {error_line(error, self._version.origin)}") from None

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Call the bot's ``choose``."""
        assert self._bot is not None
        try:
            move = self._bot.choose(view, clock)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a contestant's code may raise anything
            raise BotFaultError(_kind(error), f"choose raised {error_line(error, self._version.origin)}") from None
        if not isinstance(move, Move):
            raise BotFaultError(FaultKind.PROTOCOL_ERROR, f"choose gave {_shown(move)}, which is no move; give one of view.legal_moves")
        return move

    def finish(self, end: MatchEnd) -> str | None:
        """Call the bot's ``finish``, if it has one."""
        finish = getattr(self._bot, "finish", None)
        if finish is None:
            return None
        try:
            finish(end)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a contestant's code may raise anything
            return f"{self._version.name}: finish raised {error_line(error, self._version.origin)}"
        return None


def _kind(error: BaseException) -> FaultKind:
    return FaultKind.MEMORY if isinstance(error, MemoryError) else FaultKind.CRASH


def _shown(value: object) -> str:
    try:
        shown = repr(value)
    except Exception:  # noqa: BLE001  # a contestant's __repr__ may raise anything
        shown = f"a {type(value).__name__}"
    return shown if len(shown) <= 60 else shown[:57] + "..."
