"""Calls a contestant's class, and turns exceptions and invalid results into faults.

Used by the host for bots in its own process and by `bots.child.loop` in a bot's process, so that both report the same faults.
"""

from __future__ import annotations

from collections.abc import Coroutine

from bots.errors import BotError, BotFaultError
from bots.loader.tracebacks import bot_traceback
from bots.loader.version import BotVersion, error_line, load, make_bot
from bots.protocol import Bot, Clock, MatchEnd, MatchInfo
from engine.core import InvalidMoveError, Move, State, View
from engine.records import FaultKind
from engine.text import one_line


class BotInvoker:
    """Calls the methods of one bot in one match. ``start`` and ``choose`` may raise BotFaultError."""

    def __init__(self, version: BotVersion) -> None:
        self._version = version
        self._bot: Bot | None = None

    def start(self, info: MatchInfo) -> None:
        """Create the bot and call its ``start`` if it has one."""
        try:
            self._bot = make_bot(self._version, load(self._version))
        except BotError as error:
            raise BotFaultError(_kind(error.__cause__), str(error), is_unloadable=True, traceback=error.traceback) from None
        try:
            start = getattr(self._bot, "start", None)
            if start is not None:
                start(info)
        except BaseException as error:  # noqa: BLE001  # a contestant's code may raise anything
            raise self._raised("start raised", error) from None

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Call the bot's ``choose``. The move is parsed again from its notation, so that a forged move object has no effect."""
        assert self._bot is not None
        try:
            move = self._bot.choose(view, clock)
        except BaseException as error:  # noqa: BLE001  # a contestant's code may raise anything
            raise self._raised("choose raised", error) from None
        if isinstance(move, Coroutine):
            move.close()  # or Python warns that it was never awaited
            raise BotFaultError(FaultKind.PROTOCOL_ERROR, "choose is 'async def', so it returned no move; write 'def choose(...)'")
        if not isinstance(move, Move):
            raise _not_a_move(move)
        try:
            return view.game.parse(str(move))
        except InvalidMoveError as error:
            raise BotFaultError(FaultKind.ILLEGAL_MOVE, f"choose returned an invalid move: {error}") from None
        except BaseException as error:  # noqa: BLE001  # a contestant's own class of moves may raise anything
            raise self._raised("choose returned a move that can't be written:", error) from None

    @property
    def nodes(self) -> int | None:
        """How many positions the bot examined for its last move, as stated by its attribute ``nodes``, or None if it states no number."""
        try:
            nodes = getattr(self._bot, "nodes", None)
        except Exception as error:  # noqa: BLE001  # a contestant's property may raise anything
            raise self._raised("its attribute 'nodes' raised", error) from None
        return nodes if type(nodes) is int and 0 <= nodes < 1 << 63 else None

    def _raised(self, what: str, error: BaseException) -> BotFaultError:
        """Return the fault of a bot that raised an exception. Re-raises KeyboardInterrupt, which is not a fault."""
        if isinstance(error, KeyboardInterrupt):
            raise error
        detail = f"{what} {error_line(error, self._version)}"
        return BotFaultError(_kind(error), detail, traceback=bot_traceback(error, self._version))

    @property
    def has_finish(self) -> bool:
        """Whether the bot has a method ``finish``."""
        try:
            return callable(getattr(self._bot, "finish", None))
        except Exception:  # noqa: BLE001  # a contestant's code may raise anything; ``finish`` reports it
            return True

    def finish(self, end: MatchEnd) -> str | None:
        """Call the bot's ``finish`` if it has one. Return None, or a message for the bot's author if ``finish`` raised."""
        try:
            finish = getattr(self._bot, "finish", None)
            if finish is not None:
                finish(end)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # a contestant's code may raise anything
            return f"{self._version.name}: finish raised {error_line(error, self._version)}"
        return None


def _kind(error: BaseException | None) -> FaultKind:
    return FaultKind.MEMORY if isinstance(error, MemoryError) else FaultKind.CRASH


def short_repr(value: object) -> str:
    """Return a short repr, safe to store and show, of what a bot returned."""
    try:
        text = one_line(repr(value))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # a contestant's __repr__ may raise anything
        text = one_line(f"a {type(value).__name__}")
    return text if len(text) <= 60 else text[:57] + "..."


def _not_a_move(value: object) -> BotFaultError:
    what = "" if value is None else f" ({type(value).__name__:.40})"
    said = f"choose returned {short_repr(value)}{what}, which is not a move; return one of view.legal_moves"
    return BotFaultError(FaultKind.PROTOCOL_ERROR, said)
