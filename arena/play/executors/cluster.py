"""Checks each node of a Ray cluster before it plays. A node must have the same program, game, packages and installed bots as the driver,
and offer the run's level of isolation.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Final

import bots as bots_package
import engine as engine_package
from arena.play.executors.base import Job
from arena.spec.spec import GamePackage, package_of
from bots.errors import BotError, SandboxError
from bots.host.packages import version_here
from bots.limits import Level
from bots.loader.loading import identify
from bots.loader.version import BotVersion, params_digest
from bots.sandbox.probe import best_level
from engine.registry import GameError

_DECIDING: Final = (Path(str(engine_package.__file__)).parent, Path(str(bots_package.__file__)).parent, Path(__file__).parents[2])
"""The packages whose code decides results."""


@dataclass(frozen=True, slots=True)
class NodeReport:
    """What a node of a cluster has: its program, isolation level, bots and packages.

    ``bots`` has pairs: the name of a bot that must be installed, and its content hash or the reason why there is none. ``package`` is the
    package of the run's game, or says why it is missing; it is None for a game that comes with the program.
    """

    host: str
    program: str
    release: str
    level: Level
    bots: tuple[tuple[str, str], ...]
    package: GamePackage | str | None = None
    packages: tuple[tuple[str, str], ...] = ()
    """Pairs: the name of a package that bots may import, and its version, or an empty string if the package is not installed."""


@cache
def program_digest() -> str:
    """Return a hash of all source code of this program that can affect results."""
    digest = hashlib.sha256()
    for package in _DECIDING:
        for file in sorted(package.rglob("*.py")):
            digest.update(f"{package.name}/{file.relative_to(package).as_posix()}\n".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def report_node(address: str, installed: Sequence[BotVersion], game: str | None = None, packages: Sequence[str] = ()) -> NodeReport:
    """Return the report of this machine, the node at ``address``. ``packages`` are the packages that bots may import.

    Levels of isolation are tested with attacks from inside a sandbox. This takes about a second.
    """
    try:
        level = best_level()
    except SandboxError:
        level = Level.NONE
    digests = tuple((version.name, _digest(version)) for version in installed if version.is_installed)
    here = f"{socket.gethostname()} ({address})"
    versions = tuple((package, version_here(package)) for package in packages)
    return NodeReport(here, program_digest(), installed_version("tile-arena"), level, digests, _package(game), versions)


def _package(game: str | None) -> GamePackage | str | None:
    try:
        return None if game is None else package_of(game)
    except GameError as error:
        return str(error)


def _digest(version: BotVersion) -> str:
    try:
        digest = identify(f"{version.origin}:{version.class_name}", name=version.name).digest
        return params_digest(digest, version.params)
    except BotError as error:
        return str(error)


def unfit(report: NodeReport, job: Job | None, program: str) -> str | None:
    """Return a sentence that says why the node must not play the job, or None if it may.

    ``program`` is the driver's `program_digest`. Without a job, only the programs are compared.
    """
    node = f"the node {report.host}"
    if report.program != program:
        release = installed_version("tile-arena")
        versions = f"{report.release}, not {release}" if report.release != release else f"{release}, but with other files"
        return f"{node} has a different version of this program ({versions}), which could play differently; install the same version there"
    if job is None:
        return None
    if job.level > Level.L0 and report.level < job.level:
        return (
            f"{node} offers isolation {report.level} at best, but this run plays at {job.level}; "
            f"run 'arena doctor' there, take the node out of the cluster, or give --isolation {report.level}"
        )
    package = package_of(job.game)
    if report.package != package:
        other = str(report.package) if isinstance(report.package, GamePackage) else report.package or "the game that comes with the program"
        here = str(package) if package is not None else "the game that comes with the program"
        return f"{node} can't play the game '{job.game}' as this run does (there: {other}; here: {here}); install the same package there"
    for name, version in report.packages:
        if version != (wanted := version_here(name)):
            other = f"version {version} of it" if version else "none"
            return (
                f"{node} needs version {wanted} of the package '{name}', which bots may import, but has {other}; "
                f"run 'pip install {name}=={wanted}' there"
            )
    for name, digest in report.bots:
        if digest != job.bots[name].digest:
            other = "a different version" if len(digest) == 64 and digest.isalnum() else digest
            return f"{node} can't play the bot '{name}', which is an installed module here (there: {other}); install the same version there"
    return None
