"""Where the bots of a stored tournament are found again, which of them can be asked again, and what another answer would mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final

from arena.spec.limits import BUNDLE, WASMTIME
from arena.verification.bot_contents import read_content
from arena.verification.bot_replay import BotAgain, BotsAgain
from arena.verification.entry_check import Entered
from arena.verification.store_source import Source
from bots.building.builder import build
from bots.host.packages import differing, version_here
from bots.host.player_pool import check_admission, is_reference
from bots.loader.loading import REFERENCE_BOTS, identify, resolve
from bots.loader.version import BotError, BotVersion, is_genuine
from bots.protocol import ClockMode, ClockSpec
from bots.runtime import Runtime
from bots.sandbox.errors import SandboxError
from bots.sandbox.levels import Level

_SEARCHERS: Final = frozenset({"flat", "mcts"})
"""Reference bots that stop to search when their time is over; the others never look at the clock."""


@dataclass(frozen=True, slots=True)
class Recall:
    """How bots are asked again: at which level of isolation, whether they are ``trusted``, and the bots that were given, by hash."""

    level: Level
    given: Mapping[str, BotVersion] = field(default_factory=dict)
    is_trusted: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """The bots that can be asked again, the names of those that play by the clock and so never can, and by name why others could not be.

    ``versions`` says in phrases which packages, and which wasmtime, are here in other versions than when the tournament began.
    """

    again: BotsAgain
    timed: tuple[str, ...]
    missing: Mapping[str, str]
    versions: tuple[str, ...] = ()
    unbuilt: tuple[str, ...] = ()
    """Bots of which files that a host built are stored and asked, since their source was not given."""
    rebuilt: tuple[str, ...] = ()
    """Bots that were given, and whose source makes other files here than those that are stored."""


def read_bots(folder: Path, *, is_trusted: bool = False) -> dict[str, BotVersion]:
    """Return the bots in a folder by hash: its files, folders and archives, one by one; those that are sources are built.

    What is not a bot, or can't be built here, is left out. Raises BotError if there is no such folder.
    """
    if not folder.is_dir():
        raise BotError(f"{folder} is not a folder; --bots takes one with the bots of the tournament in it")
    found = {}
    for path in sorted(folder.iterdir()):
        try:
            version = build(identify(f"{path.resolve()}", most=BUNDLE[1]), trusted=is_trusted).version
        except (BotError, SandboxError):
            continue
        found[version.digest] = version
    return found


def find_bots_again(source: Source, entered: Entered, recall: Recall) -> Found:
    """Find each bot of a tournament: among reference bots, stored contents and given ones, by its hash."""
    spec, clock = entered.spec, entered.spec.clock.limits
    stored = {version.digest: version for version in _stored(source, set(entered.contents.values()))}
    sources = {bot.name: bot.source for bot in spec.bots}
    runtime = spec.runtime.runtime
    here = replace(runtime, packages=tuple(package for package in runtime.packages if version_here(package)))
    versions = differing(spec.runtime.versions or {})
    bots: dict[str, BotAgain] = {}
    timed: list[str] = []
    missing: dict[str, str] = {}
    for name, digest in sorted(entered.contents.items()):
        version = _references().get(digest) or recall.given.get(digest) or stored.get(digest)
        if clock.mode is ClockMode.CLOCK and not (version is not None and is_reference(version) and _ignores_time(version, clock)):
            timed.append(name)
        elif version is None:
            missing[name] = _why_missing(sources[name])
        elif (why := _why_not(version, recall) or _why_not_here(version, runtime, here)) is not None:
            missing[name] = why
        else:
            is_bound = _is_bound(version, clock) and (is_reference(version) or not versions)
            bots[name] = BotAgain(replace(version, name=name), is_bound)
    unbuilt = tuple(name for name in bots if bots[name].version.build is not None and entered.contents[name] not in recall.given)
    rebuilt = tuple(name for name in bots if name not in unbuilt and _is_other(bots[name].version, stored.get(entered.contents[name])))
    return Found(BotsAgain(bots, clock, recall.level, here), tuple(timed), missing, versions, unbuilt, rebuilt)


def _is_other(given: BotVersion, stored: BotVersion | None) -> bool:
    """Return whether what was built of a source here is not what the host has stored of it."""
    return given.build is not None and stored is not None and given.files != stored.files


@cache
def _references() -> Mapping[str, BotVersion]:
    """Return the reference bots of this program by hash."""
    versions = [resolve(name) for name in REFERENCE_BOTS]
    return {version.digest: version for version in versions}


def _stored(source: Source, wanted: Collection[str]) -> Iterator[BotVersion]:
    """Yield those of the versions with these hashes whose content is stored, and has that hash."""
    for each in source.contents(wanted):
        try:
            version = read_content(each.content)
        except BotError:
            continue  # the verification of contents says so
        if version.digest == each.version and is_genuine(version):
            yield replace(version, is_submitted=each.submission is not None or source.is_of_strangers)


def _ignores_time(version: BotVersion, clock: ClockSpec) -> bool:
    """Return whether no limit of time can change what a reference bot plays."""
    searchers = {REFERENCE_BOTS[name] for name in _SEARCHERS}
    return f"{version.origin}:{version.class_name}" not in searchers or (clock.move is None and clock.bank is None)


def _is_bound(version: BotVersion, clock: ClockSpec) -> bool:
    """Return whether the version has to answer the same: a reference bot or a WebAssembly module that is told no time."""
    if is_reference(version):
        return _ignores_time(version, clock)
    return bool(version.wasm) and clock.move is None and clock.bank is None


def _why_missing(source: str) -> str:
    if source in REFERENCE_BOTS or source in REFERENCE_BOTS.values():
        return f"this program has another version of the reference bot '{source}'"
    module, _, class_name = source.partition(":")
    if class_name and "/" not in module and not module.endswith(".py"):
        return f"'{source}' is an installed module, of which nothing is stored"
    return "its content is not stored here; give the folder that has it with --bots"


def _why_not(version: BotVersion, recall: Recall) -> str | None:
    """Return why a version must not be played here, or None."""
    try:
        check_admission(version, recall.level, trusted=recall.is_trusted)
    except BotError as error:
        return str(error)
    return None


def _why_not_here(version: BotVersion, runtime: Runtime, here: Runtime) -> str | None:
    """Return why a version can't be played with what is installed here, or None."""
    if version.wasm and not version_here(WASMTIME):
        return f"it is a WebAssembly module, and the package '{WASMTIME}' is not installed here"
    absent = [package for package in runtime.packages if package not in here.packages]
    is_python = not (version.wasm or version.command or is_reference(version))
    return f"bots of this tournament may import what is not installed here: {', '.join(absent)}" if absent and is_python else None
