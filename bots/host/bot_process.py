"""A player whose bot runs in a separate process. It sends requests over pipes and turns any misbehaviour of the bot into a fault.

`bots.sandbox` isolates the process; `bots.messages` defines the messages.
"""

from __future__ import annotations

import signal
from typing import Final, Protocol

from bots.clock import MOST_WAIT, Delay, Patience, cpu_backstop, over_cpu, over_wall, running_time, where_it_went
from bots.errors import BotFaultError, HostFaultError, LostProcessError, SandboxError
from bots.host.channel import Channel, ChannelError, Trouble
from bots.host.message_player import MessagePlayer, T
from bots.host.player_pool import Trace
from bots.limits import Limits
from bots.loader.version import BotVersion
from bots.messages import MAX_TURN, Failure, MessageError, Ready, ToBot, quoted, read_from_bot, write
from bots.protocol import Clock, MatchEnd, MatchInfo
from bots.sandbox.child import Child, ExitKind
from engine.core import Game
from engine.core.observer import Chronicle
from engine.records import FaultKind
from engine.registry import find_registration

_EXIT_SECONDS: Final = 0.2
_FITS: Final = 16 * 1024
_READY: Final = write(Ready()).rstrip()
_MEMORY_SECONDS: Final = 0.1
"""How often, in seconds, to check the memory of a process whose memory the kernel can't limit completely."""
_LEAST_WAIT: Final = 0.005
_NOTICED: Final = 0.05
"""Seconds after which a bot's wait for a processor is measured. Most bots have answered by then, and measuring takes time."""
_FOREVER: Final = 3600.0


def unplayable(name: str, detail: str) -> str:
    """Return the error message for a game that works in the host's process but not in a bot's process."""
    registration = find_registration(name)
    return (
        f"{registration} works in the host's process, but not in a bot's: {detail}; ask the author of {registration.package} to import all "
        "modules and read all files when a game is created, or, if you trust the bots, play them with --isolation none"
    )


class Spawn(Protocol):
    """Starts a bot's process; may raise SandboxError."""

    def __call__(self, game: Game, *, cpu_seconds: int | None) -> Child:
        """Start a process that is prepared for the game. The kernel ends it after ``cpu_seconds``, or never if that is -1."""
        ...


class Watch:
    """Watches a process during one request; a `Channel` calls `check` before each wait. It costs nothing if the bot answers quickly."""

    def __init__(self, child: Child, clock: Clock, late: FaultKind, cpu_before: float, *, is_command: bool) -> None:
        self._child = child
        self._clock = clock
        self._late = late
        self._before = cpu_before
        self._is_command = is_command
        self._is_first = True
        self._delay: Delay | None = None

    def check(self) -> float:
        """Return the seconds until the next check. Raises BotFaultError if the bot has used too much memory or CPU time."""
        limit = self._clock.seconds
        if self._is_first:
            self._is_first = False
            return _NOTICED if limit is None else min(_NOTICED, limit)
        if self._delay is None:
            self._delay = self._child.delay()
        if self._is_command and (held := self._child.excess_memory()) is not None:
            raise BotFaultError(FaultKind.MEMORY, f"it uses {held >> 20} MiB of memory, including page tables, which exceeds its limit")
        if limit is None:
            return _MEMORY_SECONDS if self._is_command else _FOREVER
        used = self._child.cpu_seconds() - self._before
        if used > limit:
            raise BotFaultError(self._late, over_cpu(self._clock, used))
        wait = max(_LEAST_WAIT, limit - used)
        return min(wait, _MEMORY_SECONDS) if self._is_command else wait

    def delayed(self) -> float:
        """Return how long the bot has waited for a processor during this request."""
        return self._delay.seconds() if self._delay is not None else 0.0

    def __str__(self) -> str:
        return where_it_went(self._child.cpu_seconds() - self._before, self.delayed())


class ProcessPlayer(MessagePlayer):
    """A bot in a process started by ``spawn``, for one match. The bot is identified by its pipes, not by the content of its messages."""

    def __init__(self, version: BotVersion, spawn: Spawn) -> None:
        super().__init__(version)
        self._spawn = spawn
        self._child: Child | None = None
        self._channel: Channel | None = None
        self._game = ""
        self._cpu = 0.0
        self._spawned = 0.0
        self._delay: Delay | None = None
        self._is_frozen = False
        self._is_ready = bool(version.command)  # whether any of the bot's code may have run
        self._trace = Trace()

    # Called by the match loop

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Start the process, send it the match, and wait until it is ready."""
        self._game = info.game.name
        most = cpu_backstop(info.clock)  # the kernel's limit: more than the host's limits allow, and never less than the default
        began = running_time()
        try:
            self._child = self._spawn(info.game, cpu_seconds=-1 if most is None else max(Limits().cpu_seconds, most))
        except SandboxError as error:
            raise HostFaultError(str(error)) from error
        self._spawned = running_time() - began
        self._delay = self._child.delay()
        self._channel = Channel(self._child, MAX_TURN)
        self._greet(info, chronicle)
        self.rest()

    def finish(self, end: MatchEnd) -> str | None:
        """Tell the bot that the match is over, if it asked for that, and kill its process. Return a note for its author, or None."""
        note = super().finish(end)
        self.stop()
        return note

    def cpu_seconds(self) -> float:
        """Return the CPU time of the bot's process, in seconds."""
        return self._cpu

    def starved_seconds(self) -> float:
        """Return the seconds it took to create the bot's process, plus the seconds that the process has waited for a processor."""
        return self._spawned + (self._delay.seconds() if self._delay is not None else 0.0)

    def overtime(self) -> float:
        """Return the CPU seconds that the bot's process has used since its last answer."""
        return self._child.cpu_seconds() - self._cpu if self._child is not None else 0.0

    def rest(self) -> None:
        """Freeze the process until the bot's next decision, so that it takes no CPU time from the bot whose turn it is."""
        if self._child is not None and not self._is_frozen:
            self._child.freeze()
            self._is_frozen = True

    def _wake(self, child: Child) -> None:
        if self._is_frozen:
            self._is_frozen = False
            child.thaw()

    def trace(self) -> Trace:
        """Return the bot's log, last messages and peak memory, for its author."""
        return self._trace

    def stop(self) -> None:
        """Kill the process without waiting. May be called by another thread during a request."""
        child = self._child
        if child is not None:
            child.stop()

    def close(self) -> None:
        """End the process and store its log and messages for `trace`."""
        child, channel = self._child, self._channel
        if child is None or channel is None:
            return
        self._child = self._channel = None
        try:
            child.kill()
            channel.take_rest()
        finally:
            child.close()
        self._cpu = child.cpu_seconds()
        self._trace = Trace(channel.log.decode(errors="replace"), self._kept(), child.peak_memory())

    # Requests and answers

    def _ask(self, message: ToBot, wanted: type[T], clock: Clock, late: FaultKind) -> T:
        assert self._channel is not None
        assert self._child is not None
        data = write(message)
        self._keep("> ", data)
        stop = clock.stop if clock.stop is not None else 3600.0
        watch = Watch(self._child, clock, late, self._cpu, is_command=bool(self._version.command))
        patience = Patience(stop, watch.delayed)
        try:
            if len(data) > _FITS:  # a longer one does not fit into the pipe of a frozen process
                self._wake(self._child)
            self._channel.send(data, patience.left)
            self._wake(self._child)
            line = self._receive(watch, patience)
            if not self._is_ready:
                self._check_ready(line)
                line = self._receive(watch, patience)
        except BotFaultError as error:
            raise self._closed(error) from None
        except ChannelError as error:
            if patience.is_machines_fault:
                why = f"a bot's process was starved of CPU and exceeded its limit of {stop:.3g} s of wall time {MOST_WAIT}-fold; {watch}"
                self.close()
                raise HostFaultError(why) from None
            raise self._troubled(error.trouble, stop, late, watch) from None
        self._keep("< ", line)
        try:
            reply = read_from_bot(line)
        except MessageError as error:
            if self._channel.is_flooded():
                raise self._troubled(Trouble.FLOOD, stop, late, watch) from None
            raise self._fault(FaultKind.PROTOCOL_ERROR, f"it wrote {quoted(line)}, which {error}") from None
        self._cpu = self._child.cpu_seconds()  # CPU time used from now on counts towards the next decision
        return self._wanted(reply, wanted)

    def _check_ready(self, line: bytes) -> None:
        """Raise HostFaultError unless the first line, sent before the bot's code runs, confirms that the process has the game."""
        self._is_ready = line == _READY
        if self._is_ready:
            return
        try:
            message = read_from_bot(line)
        except MessageError as error:
            message = Failure("game", f"it wrote {quoted(line)}, which {error}")
        if not isinstance(message, Ready):
            detail = message.detail if isinstance(message, Failure) else f"it sent '{type(message).__name__.lower()}'"
            self.close()
            raise HostFaultError(unplayable(self._game, detail))
        self._is_ready = True

    def _receive(self, watch: Watch, patience: Patience) -> bytes:
        """Return the next line. Time that other bots took from this bot extends the deadline. Raises as `Channel.receive` does."""
        assert self._channel is not None
        while True:
            try:
                return self._channel.receive(patience.left, watch.check)
            except ChannelError as error:
                more = self.grace() if error.trouble is Trouble.LATE and not patience.is_machines_fault else 0.0
                if more <= 0:
                    raise
                patience.give(more)

    def _troubled(self, trouble: Trouble, stop: float, late: FaultKind, watch: Watch) -> BotFaultError:
        if trouble is Trouble.LATE:
            return self._closed(over_wall(late, stop, str(watch)))
        if trouble is Trouble.DEAF:
            return self._fault(late, f"it did not read its messages for {stop:.3g} s of wall time; {watch}")
        if trouble is Trouble.FLOOD:
            return self._fault(FaultKind.OUTPUT_FLOOD, f"it wrote more than {MAX_TURN // 1024} KiB in a turn")
        if trouble is Trouble.LOG_FLOOD:
            return self._fault(FaultKind.OUTPUT_FLOOD, "it wrote more than 1 MiB to its log in a turn")
        return self._ended(late)

    def _ended(self, late: FaultKind) -> BotFaultError:
        """Return the fault of a bot whose pipes are closed, whether or not its process has ended."""
        child = self._child
        assert child is not None
        reason = child.wait(_EXIT_SECONDS)
        if reason is None:  # killing it shows whether it was still running, or had ended without being reported yet
            reason = child.kill()
            if (reason.kind, reason.number) == (ExitKind.SIGNALLED, signal.SIGKILL):
                return self._fault(FaultKind.PROTOCOL_ERROR, "it closed its pipes, but did not end")
        if reason.kind is ExitKind.HOST:
            self.close()
            raise LostProcessError(f"a bot's process {reason}")
        if reason.kind is ExitKind.KILLED and not child.is_large(reason):
            self.close()
            raise HostFaultError(f"a bot's process {reason}")
        kind = {ExitKind.KILLED: FaultKind.MEMORY, ExitKind.OUT_OF_MEMORY: FaultKind.MEMORY, ExitKind.CPU_LIMIT: late}.get(
            reason.kind, FaultKind.CRASH
        )
        return self._fault(kind, f"its process {reason}")
