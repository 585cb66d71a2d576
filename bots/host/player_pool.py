"""Players (the interface between the match loop and the bots), and the pool that creates them.

A worker runs bots in its own process, or in a sandbox that it keeps for all of its matches.
"""

from __future__ import annotations

import io
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from bots.child.invoke import BotInvoker
from bots.child.warmup import Preparation
from bots.clock import check_nodes
from bots.errors import MISSING, BotError, BotFaultError, ModuleError, PreparationError, RuntimeMissingError, SandboxError
from bots.host.channel import LOG_KEPT
from bots.host.packages import modules_of_packages, shown_modules
from bots.limits import MODULE_MEMORY, STANDARD, Level, Limits, Runtime
from bots.loader.apart import MODULE_CPU_SECONDS_TO_PLAY, compile_apart
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import BotVersion
from bots.messages import encode_options
from bots.protocol import Clock, ClockMode, ClockSpec, MatchEnd, MatchInfo
from engine.core import Game, Move, State, View
from engine.core.observer import Chronicle
from engine.records import FaultKind
from engine.registry import OWN, Registration, find_registration, is_family, modules_of, registered

if TYPE_CHECKING:
    from bots.loader.version import BotVersion
    from bots.sandbox.child import Child
    from bots.sandbox.spawn import CoreClaim, Sandbox


@dataclass(frozen=True, slots=True)
class Trace:
    """Information for the author of a bot: the end of its log, its last messages (both of limited size), and its peak memory in bytes."""

    log: str = ""
    messages: tuple[str, ...] = ()
    peak_memory: int | None = None


class Player(ABC):
    """A bot in one match, wherever it runs. ``start`` and ``choose`` may raise BotFaultError; after that, neither may be called again."""

    is_timed = True
    """Whether time limits apply to the player. They don't apply to people or to a bot in a debugger."""

    is_over_wall = False
    """Whether the bot was stopped by the wall clock. This depends on the machine, so a different run may end differently."""

    grace: Callable[[], float] = staticmethod(lambda: 0.0)
    """Called when a wall-clock deadline has passed. Returns the seconds to add to it: the CPU time that other bots used meanwhile."""

    @abstractmethod
    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Get the bot ready for the match. Everything that happens in the match is added to ``chronicle``."""

    @abstractmethod
    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the bot's move, which may be illegal."""

    def rest(self) -> None:  # noqa: B027  # a bot in this process does nothing between calls
        """Stop the bot from computing until its next decision."""

    @abstractmethod
    def finish(self, end: MatchEnd) -> str | None:
        """Tell the bot that the match is over. Return None, or a message for its author if that failed."""

    def cpu_seconds(self) -> float:
        """Return the CPU time, in seconds, that the bot has used so far."""
        return thread_time()

    def fuel(self) -> int:
        """Return how many units of fuel the bot has used so far, or 0 if its fuel is not counted."""
        return 0

    def starved_seconds(self) -> float:
        """Return how many seconds the bot has waited for a processor so far, or 0 if unknown. The calling thread's waits don't count."""
        return 0.0

    def overtime(self) -> float:
        """Return the CPU seconds that the bot has used since its last answer, although it should have been idle."""
        return 0.0

    def stop(self) -> None:  # noqa: B027  # a bot in this process does nothing between calls
        """Kill the bot's process without waiting for its end, so that all processes of a match end at the same time."""

    def close(self) -> None:  # noqa: B027  # a bot in this process holds no resources
        """Release the bot's resources. May be called in any state and more than once."""

    def keep_log(self) -> None:  # noqa: B027  # a bot in its own process always has a log
        """Capture the bot's output instead of passing it on. Call this before the match."""

    def trace(self) -> Trace:
        """Return the bot's log, last messages and peak memory, for its author. Call this after ``close``."""
        return Trace()


class InProcessPlayer(Player):
    """A bot in the host's own process, where it can read and change everything, so it must be trusted."""

    def __init__(self, version: BotVersion) -> None:
        self._version = version
        self._invoker = BotInvoker(version)
        self._log: _Log | None = None

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Create the bot and call its ``start``, if it has one."""
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
        """Capture the bot's output from now on; only the last part is kept."""
        self._log = _Log()

    @contextmanager
    def _listening(self) -> Iterator[None]:
        if self._log is None:
            yield
            return
        with redirect_stdout(self._log), redirect_stderr(self._log):
            yield

    def trace(self) -> Trace:
        """Return the log, if output was captured."""
        return Trace("" if self._log is None else self._log.end)


class _Log(io.TextIOBase):
    """A text stream that keeps the last ``LOG_KEPT`` characters."""

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
    """Stop applying time limits to these players once ``breakpoint()`` is called within the block."""
    seated = list(players)
    usual = sys.breakpointhook

    def stop(*args: object, **more: object) -> None:
        for player in seated:
            player.is_timed = False
        if usual is sys.__breakpointhook__ and not os.environ.get("PYTHONBREAKPOINT"):
            import pdb  # noqa: PLC0415  # seldom needed, and slow

            hidden = getattr(sys.stdout, "is_kept", False)  # the bot's output is captured, so a prompt would not be seen
            pdb.Pdb(stdout=sys.__stderr__ if hidden else None).set_trace(sys._getframe(1))  # noqa: SLF001  # the bot's frame, not this one
        else:
            usual(*args, **more)

    sys.breakpointhook = stop
    try:
        yield
    finally:
        sys.breakpointhook = usual


ENTRY: Final = "bots.child.loop:serve"
"""The entry point of a Python bot's process, which the sandbox calls with the packed bot."""
PREPARATION: Final = "bots.child.warmup:prepare"
"""The function that prepares the games. It is called in the process that forks bots, before the first fork."""
PRELOAD: Final = (
    ENTRY.partition(":")[0],
    PREPARATION.partition(":")[0],
    "engine.registry",
    "librt",
    *sorted({reference.partition(":")[0] for reference in REFERENCE_BOTS.values()}),
)
"""The modules that a Python bot's process has already imported when it starts."""
MODULE_ENTRY: Final = "bots.wasm.child:serve"
"""The entry point of a WebAssembly module's process, which the sandbox calls with the module's machine code."""
MODULE_PREPARATION: Final = "bots.wasm.child:prepare"
MODULE_PRELOAD: Final = (MODULE_ENTRY.partition(":")[0], "engine.registry", REFERENCE_BOTS["random"].partition(":")[0])
_MODULES_KEPT: Final = 64
_AROUND_MODULE: Final = 512 << 20
"""The memory of a module's process in addition to the module's own memory, in bytes."""
_ADDRESSES_OF_MODULES: Final = 32 << 30
"""The address space of a module's process, in bytes. Each WebAssembly memory reserves 4 GiB, whatever its limit."""


class PlayerPool:
    """Creates players for bots, all at one level of isolation. Use it in a ``with`` statement, or call `close`.

    ``runtime`` sets which packages Python bots may import, and how much memory and how many threads bots may use. The games that come with
    the program share one sandbox; if ``game`` is given and is one of them, only that game is prepared in it. Every other game has its own
    sandbox, in which bots can also import the modules of the game's package and all modules that the game has imported.
    """

    def __init__(self, level: Level, *, game: Game | None = None, runtime: Runtime = STANDARD) -> None:
        self.level: Final = level
        self._limits = limits_of(runtime)
        self._game = game
        self._runtime = runtime
        if level is Level.NONE:
            os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # no usage reports, as in bots' processes
        self._games = _own_games(game)
        """The registrations of the games that share a sandbox."""
        self._sandbox = None if level is Level.NONE else self._make_sandbox(None, self._limits)
        self._others: dict[Game, Sandbox] = {}
        self._for_modules: dict[Game | None, Sandbox] = {}
        self._claim: CoreClaim | None = None
        self._is_settled = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes of the pool."""
        for sandbox in (self._sandbox, *self._others.values(), *self._for_modules.values()):
            if sandbox is not None:
                sandbox.close()
        if self._claim is not None:
            self._claim.release()
        self._claim, self._is_settled = None, False

    def start(self) -> None:
        """Start the sandbox now, so that the first bot doesn't have to wait for it. Raises SandboxError."""
        if self._sandbox is not None and not self._is_settled:
            self._is_settled = True
            with _blamed_on(self._game):
                self._sandbox_of(self._game).start()
            from bots.sandbox.spawn import claim_core  # noqa: PLC0415

            self._claim = claim_core()
            for each in (self._sandbox, *self._others.values(), *self._for_modules.values()):
                each.core = None if self._claim is None else self._claim.core

    def check_game(self, game: Game) -> None:
        """Raise SandboxError if the game comes from another package and can't be played in bots' processes."""
        if self._sandbox is not None and self._sandbox_of(game) is not self._sandbox:
            with _blamed_on(game):
                self._sandbox_of(game).start()

    def seat(self, version: BotVersion) -> Player:
        """Return a player for the bot, for one match. The bot's process starts when the match starts."""
        if not version.is_installed:  # don't reveal the host's path to the bot and to readers of its faults
            version = replace(version, origin=Path(version.origin).name)
        if version.wasm:
            return self._module_player(version)
        if self._sandbox is None:
            return InProcessPlayer(version)
        from bots.host.bot_process import ProcessPlayer  # noqa: PLC0415

        self.start()
        return ProcessPlayer(version, partial(self._spawn, version))

    def _module_player(self, version: BotVersion) -> Player:
        """Return a player for a WebAssembly module, after compiling it if necessary. Raises SandboxError if wasmtime is not installed."""
        from bots.host.bot_process import ProcessPlayer  # noqa: PLC0415

        try:
            code = code_of(version)
        except RuntimeMissingError:
            raise SandboxError(f"the bot {version.origin} can't be played: {MISSING}") from None
        self.start()
        return ProcessPlayer(version, partial(self._spawn_module, code, self._runtime.memory or MODULE_MEMORY))

    def _spawn(self, version: BotVersion, game: Game, *, cpu_seconds: int | None) -> Child:
        if version.command:
            assert self._sandbox is not None
            return self._sandbox.spawn_command(version.command, dict(version.files), cpu_seconds=cpu_seconds)
        from bots.loader.version import pack  # noqa: PLC0415

        with _blamed_on(game):
            return self._sandbox_of(game).spawn(ENTRY, pack(version), cpu_seconds=cpu_seconds)

    def _spawn_module(self, code: bytes | str, memory: int, game: Game, *, cpu_seconds: int | None) -> Child:
        if isinstance(code, str):
            raise BotFaultError(FaultKind.CRASH, code, is_unloadable=True)
        payload = msgspec.msgpack.encode({"compiled": code, "memory": memory})
        key = None if self._is_own(game) else game
        if key not in self._for_modules:
            limits = replace(self._limits, memory=memory + _AROUND_MODULE, addresses=_ADDRESSES_OF_MODULES, threads=1)
            self._for_modules[key] = made = self._make_sandbox(key, limits, for_modules=True)
            made.core = None if self._claim is None else self._claim.core
        with _blamed_on(game):
            return self._for_modules[key].spawn(MODULE_ENTRY, payload, cpu_seconds=cpu_seconds)

    def _sandbox_of(self, game: Game | None) -> Sandbox:
        assert self._sandbox is not None
        if game is None or self._is_own(game):
            return self._sandbox
        if game not in self._others:
            self._others[game] = made = self._make_sandbox(game, self._limits)
            made.core = self._sandbox.core
        return self._others[game]

    def _is_own(self, game: Game) -> bool:
        return any(game.name == each.name for each in self._games)

    def _make_sandbox(self, game: Game | None, limits: Limits, *, for_modules: bool = False) -> Sandbox:
        from bots.sandbox.spawn import Sandbox  # noqa: PLC0415  # not needed without isolation

        games = self._games if game is None else (find_registration(game.name),)
        packages = () if for_modules else self._runtime.packages
        facts: Any = game
        played = {} if game is None else {"game": facts.name, "options": encode_options(dict(game.options)), "players": facts.min_players}
        preparation = Preparation(games, packages, **played)
        return Sandbox(
            max(self.level, Level.L0),  # a module has its own process even without isolation
            limits=limits,
            preload=MODULE_PRELOAD if for_modules else PRELOAD,
            shown=(*(module for each in games for module in modules_of(each)), *shown_modules(packages)),
            preparation=(MODULE_PREPARATION if for_modules else PREPARATION, msgspec.json.encode(preparation).decode()),
            loaded=modules_of_packages(packages),
        )


def code_of(version: BotVersion) -> bytes | str:
    """Return the machine code (bytes) of a WebAssembly bot, or the reason why it can't be played (a str). Raises RuntimeMissingError."""
    return _code(dict(version.files)[version.wasm])


@lru_cache(maxsize=_MODULES_KEPT)
def _code(wasm: bytes) -> bytes | str:
    try:
        return compile_apart(wasm, MODULE_CPU_SECONDS_TO_PLAY)
    except ModuleError as error:
        return f"its module {error}"


def limits_of(runtime: Runtime) -> Limits:
    """Return the limits of bots' processes for a runtime."""
    return Limits(memory=runtime.most_memory, threads=runtime.threads, files=max(Limits().files, runtime.most_bytes))


@contextmanager
def _blamed_on(game: Game | None) -> Iterator[None]:
    """Turn PreparationError into a SandboxError that names the game."""
    try:
        yield
    except PreparationError as error:
        from bots.host.bot_process import unplayable  # noqa: PLC0415

        raise SandboxError(str(error) if game is None else unplayable(game.name, str(error))) from None


def _own_games(game: Game | None) -> tuple[Registration, ...]:
    """Return the registration of ``game`` if it comes with the program, or else the registrations of all games that do."""
    own = tuple(each for each in registered() if each.package == OWN)
    alone = tuple(each for each in own if game is not None and each.name == game.name)
    return alone or tuple(each for each in own if is_family(each.name) is False)


def check_admission(version: BotVersion, level: Level, *, trusted: bool) -> None:
    """Raise BotError if the bot is not allowed or not able to play at this level of isolation.

    L0 isolates nothing, so it allows only reference bots and bots that the host trusts. A request for the level ``none`` implies trust
    in the host's own files, but not in submitted bots. Above L0, a bot is sent as source, so ``module:Class`` can't be played. A
    WebAssembly module may be played at any level, since its runtime isolates it.
    """
    if is_reference(version) or version.wasm:
        return
    if level <= Level.L0 and not trusted and (version.is_submitted or level is Level.L0):
        raise BotError(
            f"the bot {version.origin} would not be isolated: at level {level} a bot can do everything that you can; "
            "'arena doctor' lists what a better level needs; if you trust the bot, give --trust-bots"
        )
    if version.files and level is Level.NONE:
        raise BotError(f"the bot {version.origin} has several files or is a command, so it needs its own process: give --isolation best")
    if version.command and level is Level.L1:
        raise BotError(f"the bot {version.origin} is a command, which level L1 can't execute; use L2 or L3, or L0 if you trust the bot")
    if level >= Level.L1 and version.is_installed:
        raise BotError(
            f"the bot {version.origin}:{version.class_name} is an installed module, which an isolated bot can't import; "
            "give its file instead, or play with --isolation none"
        )


def check_clock(version: BotVersion, clock: ClockSpec) -> None:
    """Raise BotError if the bot can't be played with this clock: in the mode ``fuel``, only WebAssembly and reference bots can play."""
    if clock.mode is ClockMode.FUEL and not (version.wasm or is_reference(version)):
        raise BotError(
            f"the bot {version.origin} can't play with a fuel limit, which works only for WebAssembly modules; compile it to a .wasm file, "
            "or use a different clock mode"
        )


def is_reference(version: BotVersion) -> bool:
    """Return whether the bot is one of the reference bots."""
    return version.is_installed and f"{version.origin}:{version.class_name}" in REFERENCE_BOTS.values()
