"""Makes the players of a worker: bots in this process, or in one sandbox that is kept for all matches."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from bots.host.bot_process import ProcessPlayer
from bots.host.cpu_affinity import CoreClaim, claim_core
from bots.host.player import InProcessPlayer, Player
from bots.loader.codec import pack
from bots.loader.loading import REFERENCE_BOTS, BotError, BotVersion
from bots.sandbox import Level, Limits, Sandbox

ENTRY: Final = "bots.child.loop:serve"
"""What a Python bot's process calls, with the packed bot; the sandbox itself knows neither."""
REHEARSAL: Final = "bots.child.warmup:rehearse"
"""What a process calls while it waits for its bot."""
PRELOAD: Final = (
    ENTRY.partition(":")[0],
    REHEARSAL.partition(":")[0],
    "engine.registry",
    *sorted({reference.partition(":")[0] for reference in REFERENCE_BOTS.values()}),
)
"""What every bot's process has in memory from the start; at L1 it can import nothing else."""


class PlayerPool:
    """Makes players of bots, all at one level of isolation. Use it in a ``with`` statement, or close it."""

    def __init__(self, level: Level, limits: Limits | None = None) -> None:
        self.level: Final = level
        self._sandbox = None if level is Level.NONE else Sandbox(level, limits=limits, preload=PRELOAD, rehearsal=REHEARSAL)
        self._claim: CoreClaim | None = None
        self._is_settled = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End every process that still runs."""
        if self._sandbox is not None:
            self._sandbox.close()
        if self._claim is not None:
            self._claim.release()
        self._claim, self._is_settled = None, False

    def start(self) -> None:
        """Start the sandbox now, so that the first bot need not wait for it. Raises SandboxError."""
        if self._sandbox is not None and not self._is_settled:
            self._settle(self._sandbox)

    def seat(self, version: BotVersion) -> Player:
        """Return a player for one match; its process starts with the match."""
        sandbox = self._sandbox
        if not version.is_installed:  # the bot, and whoever reads of its faults, need not know where the host keeps it
            version = replace(version, origin=Path(version.origin).name)
        if sandbox is None:
            return InProcessPlayer(version)
        self.start()
        if version.command:
            return ProcessPlayer(version, partial(sandbox.spawn_command, version.command, dict(version.files)))
        return ProcessPlayer(version, partial(sandbox.spawn, ENTRY, pack(version)))

    def _settle(self, sandbox: Sandbox) -> None:
        """Claim one core for this worker and its bots, if one is free. Raises SandboxError."""
        self._is_settled = True
        sandbox.start()  # before: the zygote makes its spare processes on whatever core is idle
        self._claim = claim_core()
        sandbox.core = None if self._claim is None else self._claim.core


def check_admission(version: BotVersion, level: Level, *, trusted: bool) -> None:
    """Raise BotError for a bot that must not or can't be played at this level.

    At L0 nothing keeps a bot from the host, so it takes only reference bots, and bots that the host trusts. Who asks for ``none`` by name
    trusts the host's own files, but not what was submitted. Above L0 a bot travels
    with its source, so ``module:Class`` can't.
    """
    if is_reference(version):
        return
    if level <= Level.L0 and not trusted and (version.is_submitted or level is Level.L0):
        raise BotError(
            f"the bot {version.origin} would not be isolated: at level {level} a bot can do all that you can; "
            "'arena doctor' says what a better level needs; if you trust the bot, give --trust-bots"
        )
    if version.files and level is Level.NONE:
        raise BotError(f"the bot {version.origin} has several files or is a command, so it can't play in the host's process")
    if version.command and level is Level.L1:
        raise BotError(f"the bot {version.origin} is a command, which level L1 can't execute; L2 or L3 is needed, or L0 if you trust it")
    if level >= Level.L1 and version.is_installed:
        raise BotError(
            f"the bot {version.origin}:{version.class_name} is an installed module, which an isolated bot can't import; "
            "give its file instead, or play with --isolation none"
        )


def is_reference(version: BotVersion) -> bool:
    """Return whether this is a reference bot, which comes with the project."""
    return version.is_installed and f"{version.origin}:{version.class_name}" in REFERENCE_BOTS.values()
