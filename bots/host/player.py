"""The host's side of a bot in a match: what the match loop needs of it, and bots in this very process. It knows no schedule."""

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
    """What is kept for a bot's author: the end of its log, the last messages (both bounded), and the memory it took, in bytes."""

    log: str = ""
    messages: tuple[str, ...] = ()
    peak_memory: int | None = None


class Player(ABC):
    """A bot that sits at a table, wherever it runs. ``start`` and ``choose`` raise BotFaultError; nothing is asked of it afterwards."""

    is_timed = True
    """Whether the limits of the match are for it; a person is not held to a bot's clock."""

    grace: Callable[[], float] = staticmethod(lambda: 0.0)
    """Asked when the bot is late by the wall clock: the seconds that others at its table have taken from it, which it is given."""

    @abstractmethod
    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Make the bot ready for the match; ``chronicle`` will hold all that happens in it."""

    @abstractmethod
    def choose(self, view: View[State], clock: Clock) -> Move:
        """The bot's move, whether legal or not."""

    def rest(self) -> None:  # noqa: B027  # a bot in this process does nothing unless it is asked
        """Its turn is over: keep it from computing until it is asked again."""

    @abstractmethod
    def finish(self, end: MatchEnd) -> str | None:
        """Tell the bot that the match is over; gives a sentence for its author when that went wrong."""

    def cpu_seconds(self) -> float:
        """The CPU time it has used so far."""
        return thread_time()

    def starved_seconds(self) -> float:
        """The time that it has waited so far for a processor; 0 where that is not known."""
        return run_delay_of_this_thread()

    def overtime(self) -> float:
        """The CPU time that it has used since it gave its last answer, and should not have."""
        return 0.0

    def stop(self) -> None:  # noqa: B027  # a bot in this process does nothing unless it is asked
        """Have its process end, without waiting for that: those of a whole table end at the same time."""

    def close(self) -> None:  # noqa: B027  # a bot in this process leaves nothing
        """Give back what the bot held, in whatever state it is; may be called more than once."""

    def trace(self) -> Trace:
        """What is kept for the author, to be asked after ``close``."""
        return Trace()


class InProcessPlayer(Player):
    """A bot in this very process: for your own bots only, since nothing keeps it from what it should not see."""

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
