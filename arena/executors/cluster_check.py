"""What a node of a cluster must have before it plays: this very program, the installed bots, and the run's isolation. It knows no Ray."""

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
from arena.executors.base import Job
from bots.loader.loading import BotError, BotVersion, identify
from bots.sandbox import Level, SandboxError, best_level

_DECIDING: Final = (Path(str(engine_package.__file__)).parent, Path(str(bots_package.__file__)).parent, Path(__file__).parents[1])
"""The packages whose code decides results: the engine, the bots' side, and this one."""


@dataclass(frozen=True, slots=True)
class NodeReport:
    """What a node says of itself. ``bots`` has the content hash of each bot that must be installed, or why there is none."""

    host: str
    program: str
    release: str
    level: Level
    bots: tuple[tuple[str, str], ...]


@cache
def program_digest() -> str:
    """The hash of all source that decides results."""
    found = hashlib.sha256()
    for package in _DECIDING:
        for file in sorted(package.rglob("*.py")):
            found.update(f"{package.name}/{file.relative_to(package).as_posix()}\n".encode())
            found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def report_node(address: str, installed: Sequence[BotVersion]) -> NodeReport:
    """Look at the machine that this runs on, known by that address. It is attacked from within the levels of isolation: about a second."""
    try:
        level = best_level()
    except SandboxError:
        level = Level.NONE
    found = tuple((version.name, _digest(version)) for version in installed if version.is_installed)
    return NodeReport(f"{socket.gethostname()} ({address})", program_digest(), installed_version("tile-arena"), level, found)


def _digest(version: BotVersion) -> str:
    try:
        return identify(f"{version.origin}:{version.class_name}", name=version.name).digest
    except BotError as error:
        return str(error)


def unfit(report: NodeReport, job: Job | None, program: str) -> str | None:
    """Why the node must not play the job (or check matches, where there is none), in a sentence; None if it may.

    ``program`` is the digest of the driver's.
    """
    node = f"the node {report.host}"
    if report.program != program:
        release = installed_version("tile-arena")
        versions = f"{report.release}, not {release}" if report.release != release else f"{release}, but other files"
        return f"{node} has another version of this program ({versions}), which could play otherwise; install the same one there"
    if job is None:
        return None
    if job.level > Level.L0 and report.level < job.level:
        return (
            f"{node} offers isolation {report.level} at best, but this run plays at {job.level}; "
            f"run 'arena doctor' there, take it out of the cluster, or give --isolation {report.level}"
        )
    for name, digest in report.bots:
        if digest != job.bots[name].digest:
            other = "another version of it" if len(digest) == 64 and digest.isalnum() else digest
            return f"{node} can't play the bot '{name}', which is an installed module: it has {other}; install the same one there"
    return None
