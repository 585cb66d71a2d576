"""Prepares a run: makes every decision that comes before the first match, and keeps them in one record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.entries.spec_completion import CompleteSpec, check_strangers, complete_spec, with_people
from arena.entries.stored_tournament import check_limit, check_secret_is_kept, find_additions, joined_late
from arena.formats.schedule import Schedule
from arena.spec.tables import LadderPlan
from bots.loader.version import pack
from leaderboard.records import WAITING, StoredSecret
from leaderboard.storage.store import Entrant, Store, StoredTournament
from leaderboard.storage.tournaments import keep_contents, without_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.entries.roster import Roster
    from arena.entries.stored_tournament import ExistingTournament
    from arena.spec.spec import Spec
    from bots.loader.version import BotVersion
    from bots.sandbox.levels import Level


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A stored tournament that can be played.

    ``spec`` is complete: it has the commitment and authors, and its bots are in the stored order. ``bots`` has the version of each
    by name; they play at ``level``. ``added`` has phrases that describe what the spec adds to the stored tournament. ``schedule`` knows the
    secret.
    """

    spec: Spec
    bots: Mapping[str, BotVersion]
    level: Level
    store: Store
    tournament: StoredTournament
    schedule: Schedule
    added: tuple[str, ...]


def prepare(
    roster: Roster,
    store: Store,
    *,
    base: Path = Path(),
    public_value: str | None = None,
    allow_open_seed: bool = True,
    secret: bytes | None = None,
) -> PreparedRun:
    """Complete the spec and store the tournament. A new one is stored with its secret; an existing one is extended if the spec only adds to
    it.

    The file of a secret is relative to ``base``; without one, a new tournament takes ``secret``, if it is given. Raises ChangedError,
    SpecError and SecretError; nothing is then stored except the people whom the file names.
    """
    check_limit(roster.spec, () if roster.existing is None else roster.existing.tournament.orders)
    spec = with_people(roster.spec, roster.bots, store, roster.existing)
    complete = complete_spec(spec, roster.bots, roster.existing, base=base, public_value=public_value, secret=secret)
    check_strangers(complete.spec, roster.bots, allowed=allow_open_seed)
    if roster.existing is None:
        added: tuple[str, ...] = ()
        tournament, schedule = _begin(complete, roster, store)
    else:
        added = find_additions(roster.existing, complete.spec, roster.bots, store.name)
        tournament, schedule = _go_on(complete, roster, roster.existing, store, has_grown=bool(added))
    keep_bots(store, roster.bots)
    store.keep_speeds({roster.bots[bot].digest: each for bot, each in roster.speeds.items()})
    return PreparedRun(complete.spec, roster.bots, roster.level, store, tournament, schedule, added)


def keep_bots(store: Store, bots: Mapping[str, BotVersion]) -> None:
    """Store the content of these bots, if it is not stored yet, so that they can be played again; installed modules are not stored."""
    entrants = {Entrant(name, version.digest, ""): version for name, version in bots.items() if not version.is_installed}
    missing = without_content(store, entrants) if entrants else ()
    if missing:
        keep_contents(store, {each: pack(replace(entrants[each], origin=Path(entrants[each].origin).name)) for each in missing})


def _begin(complete: CompleteSpec, roster: Roster, store: Store) -> tuple[StoredTournament, Schedule]:
    spec = complete.spec
    schedule = Schedule(spec, secret=complete.secret)
    entrants = tuple(Entrant(name, version.digest, version.origin) for name, version in sorted(roster.bots.items()))
    own = complete.secret
    secret = None if own is None else StoredSecret(own.commitment, own.secret.hex(), own.public_value)
    return store.add_tournament(spec.name, spec.game, spec.seed, spec.canonical(), schedule.total, entrants, secret), schedule


def _go_on(
    complete: CompleteSpec, roster: Roster, existing: ExistingTournament, store: Store, *, has_grown: bool
) -> tuple[StoredTournament, Schedule]:
    """Store the additions to a tournament; new bots of a ladder wait for its next round."""
    spec, stored = complete.spec, existing.tournament
    store.check_entry(stored.id)
    if not has_grown:
        return stored, Schedule(spec, joined_late(stored.entrants), complete.secret, stored.orders)
    check_secret_is_kept(store, stored)
    known = {entrant.name for entrant in stored.entrants}
    joins = WAITING if isinstance(spec.schedule, LadderPlan) else 0
    new = tuple(Entrant(name, each.digest, each.origin, joins) for name, each in sorted(roster.bots.items()) if name not in known)
    schedule = Schedule(spec, joined_late((*stored.entrants, *new)), complete.secret, stored.orders)
    return store.extend_tournament(stored, spec.canonical(), schedule.total, new, reorders=not schedule.needs_results), schedule
