"""A run made ready: everything that is decided before the first match, decided once and kept in one record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.entries.spec_completion import CompleteSpec, check_strangers, complete_spec
from arena.entries.stored_tournament import check_secret_is_kept, find_additions, joined_late
from arena.formats.schedule import Schedule
from arena.spec.plans import LadderPlan
from bots.loader.version import pack
from leaderboard.records.stored import WAITING, StoredSecret
from leaderboard.storage.store import Entrant, Store, StoredTournament
from leaderboard.storage.submissions import keep_contents, without_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.entries.roster import Roster
    from arena.spec.spec import AnchorEntry, Spec
    from bots.loader.version import BotVersion
    from bots.sandbox.levels import Level


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A stored tournament that can be played.

    ``spec`` leaves nothing open: its commitment, authors and anchors are in it, and its bots are in the stored order. ``bots`` has the
    version of each by name; they play at ``level``. ``added`` says in phrases what the spec adds to what the run began with. ``schedule``
    knows the secret.
    """

    spec: Spec
    bots: Mapping[str, BotVersion]
    level: Level
    store: Store
    tournament: StoredTournament
    schedule: Schedule
    added: tuple[str, ...]

    @property
    def anchors(self) -> tuple[AnchorEntry, ...]:
        """The bots whose ratings are fixed."""
        return self.spec.rating.fixed


def prepare(
    roster: Roster, store: Store, *, base: Path = Path(), public_value: str | None = None, allow_open_seed: bool = True
) -> PreparedRun:
    """Complete the spec, and store the tournament: now with its secret if it is new, extended if the spec only adds to it.

    The file of a secret is relative to ``base``. Raises ChangedError, SpecError, SecretError, AnchorError and OpenSeedError, and stores
    nothing then.
    """
    complete = complete_spec(roster.spec, roster.bots, roster.existing, base=base, public_value=public_value)
    check_strangers(complete.spec, roster.bots, allowed=allow_open_seed)
    if roster.existing is None:
        added: tuple[str, ...] = ()
        tournament, schedule = _begin(complete, roster, store)
    else:
        added = find_additions(roster.existing, complete.spec, roster.bots, store.name)
        tournament, schedule = _go_on(complete, roster, roster.existing.tournament, store, has_grown=bool(added))
    keep_bots(store, roster.bots)
    return PreparedRun(complete.spec, roster.bots, roster.level, store, tournament, schedule, added)


def keep_bots(store: Store, bots: Mapping[str, BotVersion]) -> None:
    """Store the content of these bots, so that they can be played again, unless it is stored already; installed modules are not stored."""
    entrants = {Entrant(name, version.digest, ""): version for name, version in bots.items() if not version.is_installed}
    missing = without_content(store, entrants) if entrants else ()
    if missing:
        keep_contents(store, {each: pack(replace(entrants[each], origin=Path(entrants[each].origin).name)) for each in missing})


def _begin(complete: CompleteSpec, roster: Roster, store: Store) -> tuple[StoredTournament, Schedule]:
    spec, secret = complete.spec, complete.secret
    schedule = Schedule(spec, secret=secret)
    entrants = tuple(Entrant(name, version.digest, version.origin) for name, version in sorted(roster.bots.items()))
    kept = None if secret is None else StoredSecret(secret.commitment, secret.secret.hex(), secret.public_value)
    return store.add_tournament(spec.name, spec.game, spec.seed, spec.canonical(), schedule.total, entrants, kept), schedule


def _go_on(
    complete: CompleteSpec, roster: Roster, stored: StoredTournament, store: Store, *, has_grown: bool
) -> tuple[StoredTournament, Schedule]:
    """Store the additions to a tournament; new bots of a ladder wait for its next round."""
    spec = complete.spec
    store.check_entry(stored.id)
    if not has_grown:
        return stored, Schedule(spec, joined_late(stored.entrants), complete.secret, stored.orders)
    check_secret_is_kept(store, stored)
    known = {entrant.name for entrant in stored.entrants}
    joins = WAITING if isinstance(spec.schedule, LadderPlan) else 0
    new = tuple(Entrant(name, each.digest, each.origin, joins) for name, each in sorted(roster.bots.items()) if name not in known)
    schedule = Schedule(spec, joined_late((*stored.entrants, *new)), complete.secret, stored.orders)
    return store.extend_tournament(stored, spec.canonical(), schedule.total, new, reorders=not schedule.needs_results), schedule
