"""Prepares bots for play: finds them, gives them distinct names, checks their level of isolation, and starts each of them once.

Database modules are imported only where a bot may come from a database, so that a single match starts faster.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from arena.spec.spec import BotEntry, Spec
from bots.errors import BotError, BotFaultError
from bots.host.player_pool import PlayerPool, check_admission, check_clock, is_reference
from bots.limits import STANDARD, Level, Runtime
from bots.loader.archive import MOST_BYTES
from bots.loader.loading import identify, resolve
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import BotVersion, check_size, load, make_params, split_reference, unpack, with_params
from bots.protocol import ClockSpec, MatchInfo
from engine.core import Game
from engine.core.errors import InputError
from engine.core.observer import Chronicle
from engine.registry import GameError, find_plugin, game_names

if TYPE_CHECKING:
    from leaderboard.storage.store import Store
    from leaderboard.storage.submissions import Submission

_TRIES_NOTHING: Final = "random"
"""The only reference bot that never samples the hidden part of its view."""


def plays(bot: str, game: str) -> bool:
    """Return whether a reference bot can play a game; some bots need a heuristic, which not every game has. Raises GameError."""
    return not _needs_heuristic(resolve(bot)) or find_plugin(game).heuristic is not None


def games_of(bot: str) -> tuple[str, ...]:
    """Return the names of the games (or families) that a reference bot can play, leaving out games that can't be imported."""
    names = []
    for game in game_names():
        try:
            if plays(bot, game):
                names.append(game)
        except GameError:
            continue
    return tuple(names)


def check_plays(version: BotVersion, game: Game) -> None:
    """Raise BotError, naming alternatives, if a reference bot can't play the game."""
    facts: Any = game  # a game that is not compiled may define these attributes on its class
    if is_reference(version) and not facts.can_sample and version.digest != resolve(_TRIES_NOTHING).digest:
        raise BotError(
            f"'{version.name}' works by trying moves on randomly completed positions, which {game.name} doesn't support; the only "
            f"reference bot that can play it is '{_TRIES_NOTHING}'"
        )
    if is_reference(version) and _needs_heuristic(version) and find_plugin(game.name).heuristic is None:
        others = [bot for bot in REFERENCE_BOTS if plays(bot, game.name)]
        raise BotError(
            f"'{version.name}' needs a heuristic, which {game.name} doesn't have; {', '.join(others[:-1])} and {others[-1]} can play it"
        )


def _needs_heuristic(version: BotVersion) -> bool:
    return bool(getattr(load(version), "needs_heuristic", False))


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, with #1, #2, ... appended to those that occur more than once."""
    return tuple(name if names.count(name) == 1 else f"{name}#{names[: place + 1].count(name)}" for place, name in enumerate(names))


def rehearse(versions: Iterable[BotVersion], game: Game, pool: PlayerPool) -> None:
    """Start bots at the isolation level of their matches, so that a bot that can't be created is reported before the first match.

    Reference bots and bots that were checked on submission are not started. Raises BotError if a bot can't be imported, if its constructor
    raises, or if a reference bot can't play the game; other faults show up in the matches. Raises SandboxError if the game can't be played
    at that level.
    """
    pool.check_game(game)
    facts: Any = game
    state = game.new(facts.min_players, 0)
    for version in versions:
        check_plays(version, game)
        if is_reference(version) or version.is_submitted:
            continue
        player = pool.seat(version)
        try:
            with redirect_stdout(sys.stderr):  # standard output is for results
                player.start(MatchInfo(game, state.players, 0, 0, ClockSpec(start=3.0, slack=1.0)), Chronicle(state))
        except BotFaultError as error:
            if error.is_unloadable:
                raise BotError(error.detail, error.traceback) from None
        finally:
            player.close()


BEST = "best"


class IsolationError(InputError):
    """This machine does not offer the requested isolation; the message says what to do."""


def choose_level(wanted: str, required: str | None = None) -> Level:
    """Return the level of isolation named by ``wanted``, or the best that this machine offers if ``wanted`` is ``best``.

    Raises IsolationError if this machine does not offer that level, or if the level is below ``required``.
    """
    least = Level.NONE if required is None else _parse(required)
    level = _best_level() if wanted == BEST else _parse(wanted)
    if level < least:
        offer = f"the best this machine offers is {level}" if wanted == BEST else f"--isolation {wanted} asks for less"
        raise IsolationError(f"isolation {least} is required, but {offer}; 'arena doctor' shows what {least} needs")
    if wanted != BEST and level > Level.L0 and level > (offered := _best_level()):
        raise IsolationError(f"this machine does not offer isolation {level}; its best is {offered} ('arena doctor' says why)")
    return level


def _best_level() -> Level:
    from bots.sandbox.probe import best_level  # noqa: PLC0415  # a run without isolation needs no sandbox

    return best_level()


def open_player_pool(wanted: str, required: str | None = None, game: Game | None = None, runtime: Runtime = STANDARD) -> PlayerPool:
    """Return a pool of players for this game and runtime, at the level that ``choose_level`` returns. Raises IsolationError."""
    return PlayerPool(choose_level(wanted, required), game=game, runtime=runtime)


def _parse(text: str) -> Level:
    try:
        return Level.parse(text)
    except ValueError as error:
        raise IsolationError(f"{error}, and best") from None


def admit(versions: Iterable[BotVersion], level: Level, *, trusted: bool, clock: ClockSpec | None = None) -> None:
    """Raise BotError for the first bot that must not be played at this level, or can't be played with this clock."""
    for version in versions:
        check_admission(version, level, trusted=trusted)
        if clock is not None:
            check_clock(version, clock)


_SUBMITTED: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}@(newest|[0-9]{1,7}|[0-9a-f]{8,64})")
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def find_bots(spec: Spec, base: Path, store: Store | None, *, in_process: bool = True, is_new: bool | None = None) -> dict[str, BotVersion]:
    """Return the current version of each bot in the spec, by name; paths are relative to ``base``. Raises BotError.

    If ``in_process`` is set, bots are imported; otherwise none of their code is run. ``name@2`` and ``name@newest`` are versions submitted
    to the store, and so is ``name`` if no other bot has that name. A new tournament can't use retired versions; if ``is_new`` is None,
    a tournament is new if the store doesn't have it.
    """
    if is_new is None:
        is_new = store is None or store.tournament(spec.name) is None
    find = partial(find_entry, base=base, store=store, in_process=in_process, is_new=is_new)
    return {bot.name: find(bot, most=spec.runtime.runtime.most_bytes) for bot in spec.bots}


def find_entry(
    bot: BotEntry,
    base: Path,
    store: Store | None,
    *,
    in_process: bool = True,
    is_new: bool = False,
    most: int = MOST_BYTES,
) -> BotVersion:
    """Return the version of one bot of a tournament (see ``find_bots``); its files may have at most ``most`` bytes. Raises BotError."""
    plain, own = split_reference(bot.source)
    try:
        params = make_params(bot.params, "params")
        version = _find_submitted(plain, store, is_new=is_new)
        if version is None:
            find = resolve if in_process else identify
            version = find(bot.source, name=bot.name, base=base, params=params, most=most)
        else:
            version = replace(with_params(with_params(version, own), params), name=bot.name)
        check_size(version, most)
        return version
    except BotError as error:
        raise BotError(f"bot '{bot.name}': {error}") from None


def find_bot(source: str, store: Store | None, *, in_process: bool = True, most: int = MOST_BYTES) -> BotVersion:
    """Return a bot's version, to play in matches that are not part of a tournament. Raises BotError.

    Submitted versions are found as in ``find_bots``, including retired ones; without a store, none are found. The files of a bot that was
    not submitted may have at most ``most`` bytes.
    """
    plain, params = split_reference(source)
    try:
        version = _find_submitted(plain, store)
    except BotError as error:
        raise BotError(f"bot '{source}': {error}") from None
    if version is not None:
        return with_params(version, params)
    if _SUBMITTED.fullmatch(plain):
        raise BotError(f"{source} is a submitted bot; name its database with --db")
    return (resolve if in_process else identify)(source, most=most)


def _find_submitted(source: str, store: Store | None, *, is_new: bool = False) -> BotVersion | None:
    """Return the submitted version that a source names, or None if it names something else. Raises BotError.

    A tournament that ``is_new`` can't begin with a retired version.
    """
    if store is None or (submission := submission_of(source, store)) is None:
        return None
    from leaderboard.storage.submissions import content  # noqa: PLC0415

    if submission.is_retired and is_new:
        raise BotError(f"{submission.label} is retired")
    label = submission.label
    version = unpack(content(store, submission))
    return replace(version, name=label, origin=f"submitted {label}", is_submitted=True, author=submission.author)


def submission_of(source: str, store: Store) -> Submission | None:
    """Return the submitted version that a source names, ignoring its parameters, or None if the source names something else.

    Raises BotError if there is no such version.
    """
    from leaderboard.storage.submissions import SubmissionError, find_submission, versions  # noqa: PLC0415

    source = split_reference(source)[0]
    is_plain = source not in REFERENCE_BOTS and _PLAIN.fullmatch(source) is not None
    if not (_SUBMITTED.fullmatch(source) or (is_plain and versions(store, source))):
        return None
    try:
        return find_submission(store, source)
    except SubmissionError as error:
        raise BotError(str(error)) from None
