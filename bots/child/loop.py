"""The message loop of a bot's own process: it reads the host's messages and calls the contestant's class.

All imports are at the top, since no file can be opened once the process is locked down.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import mmap
import os
import shlex
import sys
from pathlib import Path
from typing import Final, NoReturn

from bots.child.invoke import BotInvoker
from bots.errors import BotFaultError
from bots.loader.version import BotVersion, unpack
from bots.messages import (
    MAX_TURN,
    PROTOCOL,
    Answer,
    Bye,
    Decide,
    Failure,
    Finish,
    FromBot,
    Hello,
    Match,
    Ready,
    ToBot,
    Want,
    decode_options,
    read_to_bot,
    write,
)
from bots.protocol import MatchEnd, MatchInfo
from engine.core.observer import News, Observer
from engine.records import FaultKind
from engine.registry import find_game
from engine.text import one_line

_FAILURES: Final = {FaultKind.MEMORY: "memory", FaultKind.PROTOCOL_ERROR: "protocol error", FaultKind.ILLEGAL_MOVE: "illegal move"}
_MAX_DETAIL: Final = 400
_SPARE: Final = 256 * 1024
"""The bytes of memory that are released when memory runs out, so that the failure can still be reported."""


def serve(payload: bytes) -> None:
    """Play one match: read requests from fd 0 and write answers to fd 1. The bot's own output goes to fd 2, its log."""
    version = unpack(payload)
    lines = Pipes()
    sys.stdin = io.StringIO()
    sys.stdout = sys.stderr
    explain_debugging(version)
    Session(version, lines).run()
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()


class Pipes:
    """The connection to the host, over copies of fd 0 and fd 1. What the bot prints to fd 1 goes to its log, not to the host."""

    def __init__(self) -> None:
        self._in = os.dup(0)
        self._out = os.dup(1)
        os.dup2(2, 1)
        self._buffer = b""

    def read(self) -> ToBot | None:
        """Return the next message, or None if the host has closed the connection."""
        line = self.read_line()
        return None if line is None else read_to_bot(line)

    def read_line(self) -> bytes | None:
        """Return the next line without its newline, or None if the host has closed the connection."""
        while (end := self._buffer.find(b"\n")) < 0:
            data = os.read(self._in, MAX_TURN)
            if not data:
                return None
            self._buffer += data
        line, self._buffer = self._buffer[:end], self._buffer[end + 1 :]
        return line

    def write(self, message: FromBot) -> None:
        """Send a message, with as many writes as necessary."""
        data = write(message)
        while data:
            data = data[os.write(self._out, data) :]


class Session:
    """One match, from its first message to its last."""

    def __init__(self, version: BotVersion, lines: Pipes) -> None:
        self._version = version
        self._lines = lines
        self._invoker = BotInvoker(version)
        # Not a bytes object, which would be zeroed on the heap: that touches all of its pages in each process.
        self._spare: mmap.mmap | None = mmap.mmap(-1, _SPARE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def run(self) -> None:
        """Play the match. Errors are reported to the host and end the session."""
        try:
            self._play()
        except BotFaultError as error:
            self._spare = None
            kind = _FAILURES.get(error.kind, "crash")
            message = Failure(kind, error.detail[:_MAX_DETAIL], error.is_unloadable, error.traceback)  # type: ignore[arg-type]  # of four kinds
            self._lines.write(message)
        except MemoryError:
            self._spare = None
            self._lines.write(Failure("memory", "it ran out of memory"))

    def _play(self) -> None:
        match = self._lines.read()
        if not isinstance(match, Match):
            return
        try:
            game = find_game(match.game, decode_options(match.options))
            observer = Observer(game, match.players, match.seat, match.opening)
        except Exception as error:  # noqa: BLE001  # a game from another package may raise anything, and none of the bot's code has run yet
            self._lines.write(Failure("game", one_line(f"{type(error).__name__}: {error}")[:_MAX_DETAIL]))
            return
        self._lines.write(Ready())
        try:
            self._invoker.start(MatchInfo(game, match.players, match.seat, match.seed, match.clock))
        except KeyboardInterrupt:
            raise BotFaultError(FaultKind.CRASH, "start raised KeyboardInterrupt") from None
        wants: tuple[Want, ...] = ("finish",) if self._invoker.has_finish else ()
        self._lines.write(Hello(PROTOCOL, self._version.name, wants))
        while (message := self._lines.read()) is not None:
            if isinstance(message, Decide):
                self._decide(observer, message)
            elif isinstance(message, Finish):
                note = self._invoker.finish(MatchEnd(message.scores, message.ranks, message.end))
                self._lines.write(Bye(note[:_MAX_DETAIL] if note else None))
                return

    def _decide(self, observer: Observer, message: Decide) -> None:
        for item in message.news:
            observer.observe(News(item.seat, item.move, item.events))
        try:
            move = self._invoker.choose(observer.view(), message.clock)
        except KeyboardInterrupt:
            raise BotFaultError(FaultKind.CRASH, "choose raised KeyboardInterrupt") from None
        self._lines.write(Answer(message.token, str(move), self._invoker.nodes))


def explain_debugging(version: BotVersion) -> None:
    """Make ``breakpoint()``, ``pdb.set_trace()`` and ``input()`` raise an error that says how to run the bot so that they work."""
    name = shlex.quote(Path(version.origin).name)
    bot = f"PYTHONPATH={name} arena match {version.module}:{version.class_name}" if version.files else f"arena match {name}"
    where = f"works only where the bot runs in your own process, at a terminal: {bot} random --isolation none"

    def stop(*_args: object, **_more: object) -> NoReturn:
        raise RuntimeError(f"breakpoint() {where}")

    def read(*_args: object) -> NoReturn:
        if sys._getframe(1).f_globals.get("__name__") == "cmd":  # noqa: SLF001  # a debugger would take EOFError for the end of input
            raise RuntimeError(f"a debugger {where}")
        raise EOFError(f"input() {where}")

    sys.breakpointhook = stop
    builtins.input = read
