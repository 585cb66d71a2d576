"""Builds a bot from its source, once per machine: in the sandbox of builds, or from the cache if this version was built before."""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import msgspec

from bots.building.probe import LEVELS, best_level, why_not
from bots.building.session import BuildLimits, run_build
from bots.building.toolchains import MissingError, Toolchain, find_toolchain
from bots.cache_folder import cache_folder
from bots.errors import BotError, NotOfferedError
from bots.loader.loading import check_module
from bots.loader.recipes import Steps
from bots.loader.version import BotVersion, built_version
from bots.sandbox.levels import Level
from engine.decoding import unpack

MOST_BYTES: Final = 512 << 20
"""The most bytes that are kept; the least recently used go first."""
_FOLDER: Final = "builds"


class CachedBuild(msgspec.Struct, frozen=True):
    """The result of a build: the files by path, in order, and the log."""

    files: tuple[tuple[str, bytes], ...]
    log: str


class BuildCache:
    """A folder of files, each with its hash. If it can't be read or written, builds work without a cache."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = cache_folder() / _FOLDER if folder is None else folder

    def find(self, digest: str) -> CachedBuild | None:
        """Return the stored build of that version. A damaged entry is removed, and counts as missing."""
        path = self.folder / digest
        try:
            data = path.read_bytes()
        except OSError:
            return None
        head, _, body = data.partition(b"\n")
        with contextlib.suppress(msgspec.MsgspecError):
            if head == _hash(digest, body):
                build = unpack(body, CachedBuild)
                with contextlib.suppress(OSError):
                    os.utime(path)
                return build
        with contextlib.suppress(OSError):
            path.unlink()
        return None

    def keep(self, digest: str, build: CachedBuild) -> None:
        """Keep it, and evict the oldest entries over the limit."""
        body = msgspec.msgpack.encode(build)
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self.folder, prefix=".new-", delete=False) as file:  # for its owner alone
                place = Path(file.name)
                try:
                    file.write(_hash(digest, body) + b"\n" + body)
                    file.flush()
                    place.replace(self.folder / digest)
                except OSError:
                    place.unlink()
                    raise
            self._prune()

    def _prune(self) -> None:
        left = MOST_BYTES
        for path in sorted(self.folder.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True):
            left -= path.stat().st_size
            if left < 0:
                path.unlink()


def _hash(digest: str, body: bytes) -> bytes:
    """Return the hash of a cache entry together with its digest, so that a renamed entry counts as damaged."""
    return hashlib.sha256(digest.encode() + body).hexdigest().encode()


class BuildError(BotError):
    """A bot can't be built; the text is one sentence, and ``log`` the output of the build, for its author."""

    def __init__(self, sentence: str, log: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.log = log

    def named(self, before: str) -> BuildError:
        """Return the same error with words before its sentence."""
        return BuildError(f"{before}{self.sentence}", self.log)


@dataclass(frozen=True, slots=True)
class BuiltBot:
    """A playable bot. ``log`` is the output of its build, now or earlier; empty for a bot that needs no build."""

    version: BotVersion
    log: str = ""


def build(version: BotVersion, *, trusted: bool = False, cache: BuildCache | None = None, limits: BuildLimits | None = None) -> BuiltBot:
    """Return the built bot, or the bot unchanged if it needs no build. Raises BuildError, and SandboxError where the host is to blame.

    It is built at this machine's best level for builds, independent of the level at which it will play. Without such a level, only bots
    that the host has ``trusted`` are built, without isolation.
    """
    if not version.is_source:
        return BuiltBot(version)
    assert version.build is not None
    cache = BuildCache() if cache is None else cache
    toolchain = _toolchain(version, version.build.steps, trusted=trusted)
    digest = built_version(version, toolchain.lines, {}).digest
    made = cache.find(digest)
    if made is None or tuple(name for name, _ in made.files) != version.build.products:
        level = _level(version, trusted=trusted)
        order = toolchain.order(dict(version.build.source), version.build.steps, version.build.products)
        result = run_build(order, level, limits)
        if result.problem:
            raise BuildError(f"the bot {version.origin} can't be built: the build {result.problem}", result.log)
        made = CachedBuild(tuple(sorted(result.products.items())), result.log)
        cache.keep(digest, made)
    if version.wasm:
        check_module(dict(made.files)[version.wasm], version.origin)
    return BuiltBot(built_version(version, toolchain.lines, dict(made.files)), made.log)


def _toolchain(version: BotVersion, steps: Steps, *, trusted: bool) -> Toolchain:
    """Return the toolchain of the bot. Its version is queried in the first sandbox that starts here, since the compiler is the host's
    own."""
    for level in (*LEVELS, *([Level.L0] if trusted else [])):
        try:
            return find_toolchain(steps, level)
        except MissingError as error:
            raise BuildError(f"the bot {version.origin} can't be built: {error}") from None
        except NotOfferedError:
            continue
    raise _not_here(version)


def _level(version: BotVersion, *, trusted: bool) -> Level:
    level = best_level()
    if level is not None:
        return level
    if trusted:
        return Level.L0
    raise _not_here(version)


def _not_here(version: BotVersion) -> BuildError:
    return BuildError(
        f"the bot {version.origin} has to be built, and this machine can't keep a build from doing harm ({why_not()}); "
        "send the built program instead, or, if you trust the bot, give --trust-bots"
    )
