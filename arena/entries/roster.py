"""The roster of a tournament: its bots are found, admitted and tried before anything is stored."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arena.entries.bot_check import CheckTerms, check_bot
from arena.entries.bot_resolution import find_bots
from arena.entries.packages import check_runtime
from arena.entries.preflight import rehearse
from arena.entries.stored_tournament import ExistingTournament, find_existing, whole_spec
from arena.play.isolation import admit
from arena.spec.spec import Spec
from arena.spec.tables import LadderPlan
from bots.host.player_pool import PlayerPool
from bots.loader.version import BotVersion
from bots.sandbox.levels import Level
from leaderboard.storage.store import Store

_TRIAL_SECONDS: Final = 1.0
"""The most seconds spent on finding out whether a bot is slow."""


@dataclass(frozen=True, slots=True)
class Roster:
    """The bots of a tournament by name, and the ``level`` of isolation that they play at.

    ``spec`` names them all, in the order of the stored tournament if there is one; see ``whole_spec``. ``speeds`` has the seconds per match
    of bots that were tried.
    """

    spec: Spec
    bots: Mapping[str, BotVersion]
    level: Level
    existing: ExistingTournament | None
    speeds: Mapping[str, float] = field(default_factory=dict)


def make_roster(spec: Spec, bots: Mapping[str, BotVersion], store: Store, *, level: Level = Level.NONE) -> Roster:
    """Return the roster of the resolved bots. Raises ChangedError and SpecError as ``find_existing`` does."""
    existing = find_existing(store, spec.name)
    return Roster(whole_spec(spec, existing), bots, level, existing)


def find_roster(spec: Spec, store: Store | None, *, base: Path, level: Level, trusted: bool = False) -> Roster:
    """Find each bot of the spec as it is now, with those that have joined the stored ladder, and start each one once.

    In a ladder in which slow bots play less, each new bot is tried for a second, unless it was checked when it was submitted. Files are
    relative to ``base``; without a store nothing has been stored or submitted yet. Raises BotError for the first bot that does not exist,
    may not play at this level, or can't be started; SpecError for packages that are not available to bots here; ChangedError for versions
    of packages other than those the stored tournament began with. ``find_existing`` may also raise both.
    """
    existing = None if store is None else find_existing(store, spec.name)
    whole = whole_spec(spec, existing)
    check_runtime(whole, existing)
    with redirect_stdout(sys.stderr):  # output of a bot is not a result
        bots = find_bots(whole, base, store, in_process=level is Level.NONE, is_new=existing is None)
    admit(bots.values(), level, trusted=trusted, clock=whole.clock.limits)
    game = whole.make_game()
    with PlayerPool(level, game=game, runtime=whole.runtime.runtime) as pool:
        rehearse(bots.values(), game, pool)
        speeds = _try(whole, bots, existing, pool) if isinstance(whole.schedule, LadderPlan) and whole.schedule.slow else {}
    return Roster(whole, bots, level, existing, speeds)


def _try(spec: Spec, bots: Mapping[str, BotVersion], existing: ExistingTournament | None, pool: PlayerPool) -> dict[str, float]:
    """Return the seconds per match of bots that are new in a ladder and have not been checked."""
    known = set() if existing is None else {entrant.name for entrant in existing.tournament.entrants}
    terms, speeds = CheckTerms.of_tournament(spec), dict[str, float]()
    with redirect_stdout(sys.stderr):
        for name, version in bots.items():
            if name not in known and not version.is_submitted:
                speeds[name] = check_bot(version, terms, pool, is_quick=True, seconds=_TRIAL_SECONDS).match_seconds
    return speeds
