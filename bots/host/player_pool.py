"""Makes the players of a worker: bots in this process, or in one sandbox that is kept for all matches."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from bots.child.warmup import Preparation, WarmMatch
from bots.errors import MISSING, BotError, PreparationError, RuntimeMissingError, SandboxError
from bots.host.packages import modules_of_packages, shown_modules
from bots.limits import STANDARD, Level, Limits, Runtime
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.messages import encode_options
from bots.protocol import ClockMode, ClockSpec
from engine.core import Game
from engine.registry import OWN, Registration, find_plugin, find_registration, is_family, modules_of, registered

if TYPE_CHECKING:
    from bots.host.player import Player
    from bots.loader.version import BotVersion
    from bots.sandbox.child import Child
    from bots.sandbox.spawn import Sandbox


_NAME: Final = "\0tile-arena-core-{}"


class CoreClaim:
    """A claim on a core, visible to all workers of this machine; this thread is bound to the core until `release`.

    A worker and its bots take turns, and a switch on one core is faster than waking another core.
    """

    def __init__(self, core: int, claim: socket.socket, before: frozenset[int]) -> None:
        self.core: Final = core
        self._claim = claim
        self._before = before

    def release(self) -> None:
        """Let this thread run on any core again, and free the core for others. Idempotent."""
        if self._claim.fileno() >= 0:
            self._claim.close()
            os.sched_setaffinity(0, self._before)


def claim_core() -> CoreClaim | None:
    """Bind this thread to a core that no other worker has; return None if there is no choice, no free core, or no way to bind.

    The claim is an abstract socket name (Linux, unix(7)), so it ends with the process, however that ends.
    """
    if sys.platform != "linux":
        return None
    allowed = frozenset(os.sched_getaffinity(0))
    if len(allowed) < 2:
        return None
    for core in sorted(allowed, reverse=True):  # the first cores are where a machine handles its devices
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(_NAME.format(core))
            os.sched_setaffinity(0, {core})
        except OSError:  # taken, or offline by now
            claim.close()
            continue
        return CoreClaim(core, claim, allowed)
    return None


ENTRY: Final = "bots.child.loop:serve"
"""The entry point of a Python bot's process, called with the packed bot; the sandbox treats both as opaque."""
REHEARSAL: Final = "bots.child.warmup:rehearse"
"""The function that a process calls while it waits for its bot."""
PREPARATION: Final = "bots.child.warmup:prepare"
"""The function called with the games in the process that forks bots, before the first fork."""
PRELOAD: Final = (
    ENTRY.partition(":")[0],
    REHEARSAL.partition(":")[0],
    "engine.registry",
    "librt",
    *sorted({reference.partition(":")[0] for reference in REFERENCE_BOTS.values()}),
)
"""The modules in memory of every bot's process from the start; at L1 it can import no others."""
MODULE_ENTRY: Final = "bots.wasm.child:serve"
"""The entry point of a WebAssembly module's process, called with its machine code; preparation and rehearsal have separate functions."""
MODULE_REHEARSAL: Final = "bots.wasm.child:rehearse"
MODULE_PREPARATION: Final = "bots.wasm.child:prepare"
MODULE_PRELOAD: Final = (MODULE_ENTRY.partition(":")[0], "engine.registry", REFERENCE_BOTS["random"].partition(":")[0])
_AROUND_MODULE: Final = 512 << 20
"""Bytes of memory of a module's process in addition to the module's own."""
_ADDRESSES_OF_MODULES: Final = 32 << 30
"""Bytes of address space of a module's process: a memory reserves 4 GiB, whatever its limit."""


class PlayerPool:
    """Makes players of bots, all at one level of isolation. Use it in a ``with`` statement, or close it.

    ``runtime`` says which packages Python bots may import, and how much memory and how many threads bots have.

    The games that come with the program share a sandbox, or ``game`` alone has it, if it is known what will be played. Each other game has
    a separate one, in which bots see the modules of the game's package and those that the game has imported, but no other packages.
    """

    def __init__(self, level: Level, *, game: Game | None = None, runtime: Runtime = STANDARD) -> None:
        self.level: Final = level
        self._limits = limits_of(runtime)
        self._game = game
        self._runtime = runtime
        if level is Level.NONE:
            os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # as in bots' processes, packages don't report their use to other hosts
        self._games = _own_games(game)
        """The registrations of the games whose bots share a sandbox."""
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
        """End every process that still runs."""
        for sandbox in (self._sandbox, *self._others.values(), *self._for_modules.values()):
            if sandbox is not None:
                sandbox.close()
        if self._claim is not None:
            self._claim.release()
        self._claim, self._is_settled = None, False

    def start(self) -> None:
        """Start the sandbox now, so that the first bot need not wait for it. Raises SandboxError."""
        if self._sandbox is not None and not self._is_settled:
            self._is_settled = True
            with _blamed_on(self._game):  # before claiming a core, so that the zygote makes its spare processes on any idle core
                self._sandbox_of(self._game).start()
            self._claim = claim_core()
            for each in (self._sandbox, *self._others.values(), *self._for_modules.values()):
                each.core = None if self._claim is None else self._claim.core

    def check_game(self, game: Game) -> None:
        """Raise SandboxError if the game, of another package, can't be played in bots' processes."""
        if self._sandbox is not None and self._sandbox_of(game) is not self._sandbox:
            with _blamed_on(game):
                self._sandbox_of(game).start()

    def seat(self, version: BotVersion) -> Player:
        """Return a player for one match; its process starts with the match."""
        if not version.is_installed:  # the bot and readers of its faults need not know the host's path
            version = replace(version, origin=Path(version.origin).name)
        if version.wasm:
            return self._module_player(version)
        if self._sandbox is None:
            from bots.host.player import InProcessPlayer  # noqa: PLC0415

            return InProcessPlayer(version)
        from bots.host.bot_process import ProcessPlayer  # noqa: PLC0415

        self.start()
        return ProcessPlayer(version, partial(self._spawn, version))

    def _module_player(self, version: BotVersion) -> Player:
        """Return a player of a WebAssembly module, which is compiled now, if it was not before. Raises SandboxError without wasmtime."""
        try:
            from bots.host.bot_process import ProcessPlayer  # noqa: PLC0415
            from bots.host.module_player import WasmPlayer, code_of  # noqa: PLC0415  # not every host has wasmtime
            from bots.wasm.conversation import MEMORY  # noqa: PLC0415

            code = code_of(version)
        except (ImportError, RuntimeMissingError):
            raise SandboxError(f"the bot {version.origin} can't be played: {MISSING}") from None
        memory = self._runtime.memory or MEMORY
        if self._sandbox is None:
            return WasmPlayer(version, code, memory)
        self.start()
        return ProcessPlayer(version, partial(self._spawn_module, code, memory))

    def _spawn(self, version: BotVersion, game: Game, *, cpu_seconds: int | None) -> Child:
        """Start a bot's process. Raises SandboxError."""
        if version.command:
            assert self._sandbox is not None
            return self._sandbox.spawn_command(version.command, dict(version.files), cpu_seconds=cpu_seconds)
        from bots.loader.version import pack  # noqa: PLC0415

        with _blamed_on(game):
            return self._sandbox_of(game).spawn(ENTRY, pack(version), cpu_seconds=cpu_seconds, topic=game.name)

    def _spawn_module(self, code: bytes | str, memory: int, game: Game, *, cpu_seconds: int | None) -> Child:
        """Start a WebAssembly module's process. Raises SandboxError, and BotFaultError if the module can't be played."""
        from bots.host.module_player import playable  # noqa: PLC0415  # not every host has wasmtime

        assert self._sandbox is not None
        payload = msgspec.msgpack.encode({"compiled": playable(code), "memory": memory})
        key = None if self._sandbox_of(game) is self._sandbox else game
        if key not in self._for_modules:
            limits = replace(self._limits, memory=memory + _AROUND_MODULE, addresses=_ADDRESSES_OF_MODULES, threads=1)
            self._for_modules[key] = made = self._make_sandbox(key, limits, for_modules=True)
            made.core = self._sandbox.core
        with _blamed_on(game):
            return self._for_modules[key].spawn(MODULE_ENTRY, payload, cpu_seconds=cpu_seconds, topic=game.name)

    def _sandbox_of(self, game: Game | None) -> Sandbox:
        """Return the sandbox whose bots know the game."""
        assert self._sandbox is not None
        if game is None or any(game.name == each.name for each in self._games):
            return self._sandbox
        if game not in self._others:
            self._others[game] = made = self._make_sandbox(game, self._limits)
            made.core = self._sandbox.core
        return self._others[game]

    def _make_sandbox(self, game: Game | None, limits: Limits, *, for_modules: bool = False) -> Sandbox:
        from bots.sandbox.spawn import Sandbox  # noqa: PLC0415  # without isolation there is none

        games = self._games if game is None else (find_registration(game.name),)
        packages = () if for_modules else self._runtime.packages
        preparation = Preparation(games, tuple(match for each in games for match in _matches(each, game)), packages)
        return Sandbox(
            self.level,
            limits=limits,
            preload=MODULE_PRELOAD if for_modules else PRELOAD,
            rehearsal=MODULE_REHEARSAL if for_modules else REHEARSAL,
            shown=(*(module for each in games for module in modules_of(each)), *shown_modules(packages)),
            preparation=(MODULE_PREPARATION if for_modules else PREPARATION, msgspec.json.encode(preparation).decode()),
            loaded=modules_of_packages(packages),
        )


def limits_of(runtime: Runtime) -> Limits:
    """Return the limits of bots' processes. The files of a command may be as large as the runtime allows."""
    return Limits(memory=runtime.most_memory, threads=runtime.threads, files=max(Limits().files, runtime.most_bytes))


@contextmanager
def _blamed_on(game: Game | None) -> Iterator[None]:
    """Add the name of the game to an error about its preparation. Raises SandboxError."""
    try:
        yield
    except PreparationError as error:
        from bots.host.bot_process import unplayable  # noqa: PLC0415

        raise SandboxError(str(error) if game is None else unplayable(game.name, str(error))) from None


def _own_games(game: Game | None) -> tuple[Registration, ...]:
    """Return the registrations of the games that come with the program, of ``game`` alone if it is one of them."""
    own = tuple(each for each in registered() if each.package == OWN)
    alone = tuple(each for each in own if game is not None and each.name == game.name)
    return alone or tuple(each for each in own if is_family(each.name) is False)


def _matches(registration: Registration, game: Game | None) -> list[WarmMatch]:
    """Return the plug-in's matches, which cover all of a game's code, and one with the options that will be played."""
    plugin = find_plugin(registration.name)
    samples = (
        []
        if plugin.is_family
        else [WarmMatch(registration.name, encode_options(dict(options)), seats) for options, seats in plugin.samples]
    )
    if game is not None:
        facts: Any = game
        samples.append(WarmMatch(facts.name, encode_options(dict(game.options)), facts.min_players))
    return samples


def check_admission(version: BotVersion, level: Level, *, trusted: bool) -> None:
    """Raise BotError for a bot that must not or can't be played at this level of isolation.

    L0 isolates nothing, so only reference bots and bots trusted by the host are allowed there. An explicit request for ``none`` implies
    trust in the host's own files, but not in submitted bots. Above L0 a bot is sent as source, which excludes ``module:Class``. A
    WebAssembly module may be played at any level, since its runtime isolates it.
    """
    if is_reference(version) or version.wasm:
        return
    if level <= Level.L0 and not trusted and (version.is_submitted or level is Level.L0):
        raise BotError(
            f"the bot {version.origin} would not be isolated: at level {level} a bot can do all that you can; "
            "'arena doctor' says what a better level needs; if you trust the bot, give --trust-bots"
        )
    if version.files and level is Level.NONE:
        raise BotError(f"the bot {version.origin} has several files or is a program, so it needs a process: give --isolation best")
    if version.command and level is Level.L1:
        raise BotError(f"the bot {version.origin} is a command, which level L1 can't execute; L2 or L3 is needed, or L0 if you trust it")
    if level >= Level.L1 and version.is_installed:
        raise BotError(
            f"the bot {version.origin}:{version.class_name} is an installed module, which an isolated bot can't import; "
            "give its file instead, or play with --isolation none"
        )


def check_clock(version: BotVersion, clock: ClockSpec) -> None:
    """Raise BotError for a bot that can't be played with this clock: fuel is counted only for WebAssembly; reference bots limit their nodes
    instead."""
    if clock.mode is ClockMode.FUEL and not (version.wasm or is_reference(version)):
        raise BotError(
            f"the bot {version.origin} can't play by fuel, which is counted for WebAssembly modules alone; compile it to a .wasm, "
            "or play by another mode of the clock"
        )


def is_reference(version: BotVersion) -> bool:
    """Return whether this is a reference bot, which comes with the project."""
    return version.is_installed and f"{version.origin}:{version.class_name}" in REFERENCE_BOTS.values()
