"""A bot that sits at a table: the interface that the match loop uses, and bots in the host's own process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from time import thread_time

from bots.child.invoke import BotFaultError, BotInvoker, short_repr
from bots.host.clock import check_nodes
from bots.host.delays import run_delay_of_this_thread
from bots.loader.loading import BotVersion
from bots.protocol import Clock, MatchEnd, MatchInfo
from engine.core import Move, State, View
from engine.replay.observer import Chronicle

__all__ = ["BotFaultError", "InProcessPlayer", "Player", "Trace", "short_repr"]


@dataclass(frozen=True, slots=True)
class Trace:
    """What is kept for a bot's author: the end of its log, its last messages (both bounded), and its peak memory in bytes."""

    log: str = ""
    messages: tuple[str, ...] = ()
    peak_memory: int | None = None


class Player(ABC):
    """A bot that sits at a table, wherever it runs. ``start`` and ``choose`` raise BotFaultError; nothing is asked of it afterwards."""

    is_timed = True
    """Whether the limits of the match apply to it; a person is not held to a bot's clock."""

    grace: Callable[[], float] = staticmethod(lambda: 0.0)
    """Returns, for a bot that is late by the wall clock, the seconds that others at its table took from it; it gets them back."""

    @abstractmethod
    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Make the bot ready for the match; ``chronicle`` will hold all that happens in it."""

    @abstractmethod
    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the bot's move, whether legal or not."""

    def rest(self) -> None:  # noqa: B027  # a bot in this process does nothing unless it is asked
        """Keep it from computing until it is asked again, since its turn is over."""

    @abstractmethod
    def finish(self, end: MatchEnd) -> str | None:
        """Tell the bot that the match is over; return a sentence for its author if that went wrong."""

    def cpu_seconds(self) -> float:
        """Return the CPU time it has used so far."""
        return thread_time()

    def fuel(self) -> int:
        """Return the units of fuel that it has used so far; 0 for a bot that counts none."""
        return 0

    def starved_seconds(self) -> float:
        """Return the time that it has waited for a processor so far; 0 where that is not known."""
        return run_delay_of_this_thread()

    def overtime(self) -> float:
        """Return the CPU time that it has used since its last answer, when it should have used none."""
        return 0.0

    def stop(self) -> None:  # noqa: B027  # a bot in this process does nothing unless it is asked
        """Kill its process without waiting, so that all processes of a table end at the same time."""

    def close(self) -> None:  # noqa: B027  # a bot in this process leaves nothing
        """Release what the bot holds, whatever its state; may be called more than once."""

    def trace(self) -> Trace:
        """Return what is kept for the author; call it after ``close``."""
        return Trace()


class InProcessPlayer(Player):
    """A bot in the host's own process, for bots that you trust: nothing keeps it from what it should not see."""

    def __init__(self, version: BotVersion) -> None:
        self._invoker = BotInvoker(version)

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Make the bot and call its ``start``, if it has one."""
        self._invoker.start(info)

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Call the bot's ``choose``."""
        move = self._invoker.choose(view, clock)
        check_nodes(clock, self._invoker.nodes)
        return move

    def finish(self, end: MatchEnd) -> str | None:
        """Call the bot's ``finish``, if it has one."""
        return self._invoker.finish(end)
