"""Builds a bot from its source, once per machine: in the sandbox of builds, or from the cache if this version was built before."""

from __future__ import annotations

from dataclasses import dataclass

from bots.building.cache import BuildCache, CachedBuild
from bots.building.probe import LEVELS, best_level, why_not
from bots.building.session import BuildLimits, run_build
from bots.building.toolchains import MissingError, Toolchain, find_toolchain
from bots.errors import BotError, NotOfferedError
from bots.loader.loading import check_module
from bots.loader.recipes import Steps
from bots.loader.version import BotVersion, built_version
from bots.sandbox.levels import Level


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
