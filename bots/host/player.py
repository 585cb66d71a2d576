"""A bot that sits at a table: the interface that the match loop uses, and bots in the host's own process."""

from __future__ import annotations

import io
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from time import thread_time

from bots.child.invoke import BotInvoker
from bots.clock import check_nodes
from bots.host.channel import LOG_KEPT
from bots.loader.version import BotVersion
from bots.protocol import Clock, MatchEnd, MatchInfo
from engine.core import Move, State, View
from engine.core.observer import Chronicle


@dataclass(frozen=True, slots=True)
class Trace:
    """The information kept for a bot's author: the end of its log, its last messages (both bounded), and its peak memory in bytes."""

    log: str = ""
    messages: tuple[str, ...] = ()
    peak_memory: int | None = None


class Player(ABC):
    """A bot that sits at a table, wherever it runs. ``start`` and ``choose`` raise BotFaultError, after which neither may be called
    again."""

    is_timed = True
    """Whether the limits of the match apply to it; neither a person nor a bot in a debugger is held to the clock."""

    is_over_wall = False
    """Whether the bot was stopped by the wall clock. This depends on the machine, so another run may end differently."""

    grace: Callable[[], float] = staticmethod(lambda: 0.0)
    """For a bot that is late by the wall clock, returns the seconds that others at its table took from it; they extend its deadline."""

    @abstractmethod
    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Make the bot ready for the match; ``chronicle`` will hold all that happens in it."""

    @abstractmethod
    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the bot's move, whether legal or not."""

    def rest(self) -> None:  # noqa: B027  # a bot in this process does nothing unless it is asked
        """Stop the bot from computing until its next decision."""

    @abstractmethod
    def finish(self, end: MatchEnd) -> str | None:
        """Tell the bot that the match is over; return a sentence for its author if that went wrong."""

    def cpu_seconds(self) -> float:
        """Return the CPU time, in seconds, that the bot has used so far."""
        return thread_time()

    def fuel(self) -> int:
        """Return the units of fuel used so far; 0 for a bot without fuel."""
        return 0

    def starved_seconds(self) -> float:
        """Return the seconds for which the bot has waited for a processor so far, without those of the calling thread; 0 if unknown."""
        return 0.0

    def overtime(self) -> float:
        """Return the CPU seconds used since the bot's last answer, during which it should have been idle."""
        return 0.0

    def stop(self) -> None:  # noqa: B027  # a bot in this process does nothing unless it is asked
        """Kill its process without waiting, so that all processes of a table end at the same time."""

    def close(self) -> None:  # noqa: B027  # a bot in this process leaves nothing
        """Release the bot's resources, whatever its state; may be called more than once."""

    def keep_log(self) -> None:  # noqa: B027  # a bot in a process of its own has a log in any case
        """Capture the bot's output, instead of letting it through; call it before the match."""

    def trace(self) -> Trace:
        """Return the information kept for the author; call it after ``close``."""
        return Trace()


class InProcessPlayer(Player):
    """A bot in the host's own process, for bots that you trust: it can read and change everything."""

    def __init__(self, version: BotVersion) -> None:
        self._version = version
        self._invoker = BotInvoker(version)
        self._log: _Log | None = None

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Make the bot and call its ``start``, if it has one."""
        with self._listening():
            self._invoker.start(info)

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Call the bot's ``choose``."""
        if self._log is None:
            move = self._invoker.choose(view, clock)
        else:
            with self._listening():
                move = self._invoker.choose(view, clock)
        check_nodes(clock, self._invoker.nodes)
        return move

    def finish(self, end: MatchEnd) -> str | None:
        """Call the bot's ``finish``, if it has one."""
        with self._listening():
            return self._invoker.finish(end)

    def keep_log(self) -> None:
        """Keep the end of the bot's output."""
        self._log = _Log()

    @contextmanager
    def _listening(self) -> Iterator[None]:
        if self._log is None:
            yield
            return
        with redirect_stdout(self._log), redirect_stderr(self._log):
            yield

    def trace(self) -> Trace:
        """Return the log, if it was requested."""
        return Trace("" if self._log is None else self._log.end)


class _Log(io.TextIOBase):
    """A text file that keeps its end."""

    is_kept = True

    def __init__(self) -> None:
        self.end = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        self.end = (self.end + text)[-LOG_KEPT:]
        return len(text)


@contextmanager
def untimed_when_debugged(players: Iterable[Player]) -> Iterator[None]:
    """Stop applying the clock to these players at the first ``breakpoint()`` within the block."""
    seated = list(players)
    usual = sys.breakpointhook

    def stop(*args: object, **more: object) -> None:
        for player in seated:
            player.is_timed = False
        if usual is sys.__breakpointhook__ and not os.environ.get("PYTHONBREAKPOINT"):
            import pdb  # noqa: PLC0415  # seldom needed, and slow

            hidden = getattr(sys.stdout, "is_kept", False)  # the bot's output is captured, so a prompt would not be seen
            pdb.Pdb(stdout=sys.__stderr__ if hidden else None).set_trace(sys._getframe(1))  # noqa: SLF001  # in the bot, and not here
        else:
            usual(*args, **more)

    sys.breakpointhook = stop
    try:
        yield
    finally:
        sys.breakpointhook = usual
