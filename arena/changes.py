"""Finds what an edited tournament file adds to a tournament that has begun, and refuses a file that changes existing tickets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Final

from arena.spec.spec import Spec
from arena.spec.tables import WASMTIME, FinalPlan, GauntletPlan, KnockoutPlan, LadderPlan, RoundRobinPlan, SwissPlan
from bots.host.packages import differing
from engine.core.errors import InputError
from leaderboard.storage.store import Store, StoredTournament

if TYPE_CHECKING:
    from arena.tournament import Tournament
    from bots.loader.version import BotVersion


class ChangedError(InputError):
    """The stored tournament can't be continued or extended as requested; the message says why."""


@dataclass(frozen=True, slots=True)
class Changes:
    """How an edited spec differs from the stored one. ``added`` describes additions; ``changed`` has other keys with old and new JSON."""

    added: tuple[str, ...]
    changed: tuple[tuple[str, str, str], ...]


def find_changes(old: Spec, new: Spec) -> Changes:
    """Compare two specs. A change is an addition if the new schedule contains every ticket of the old one."""
    before, after = _flat(json.loads(old.canonical())), _flat(json.loads(new.canonical()))
    changed = [key for key in dict.fromkeys([*before, *after]) if before.get(key) != after.get(key)]
    if "schedule.format" in changed:  # the other keys of the table belong to a different format
        changed = [key for key in changed if key == "schedule.format" or not key.startswith("schedule.")]
    comparison = _Comparison(old, new)
    additions = {key: addition(comparison) for key, addition in _ADDITIONS.items() if key in changed}
    added = [phrase for phrase in additions.values() if phrase]
    refused = [key for key in changed if additions.get(key) is None]
    return Changes(tuple(added), tuple((key, json.dumps(before.get(key)), json.dumps(after.get(key))) for key in refused))


class _Comparison:
    """Compares two specs key by key.

    The method for a key returns a phrase for what is added, an empty phrase if nothing is, or None if existing tickets change.
    """

    def __init__(self, old: Spec, new: Spec) -> None:
        self._old, self._new = old, new
        self._plans = old.schedule, new.schedule

    def bots(self) -> str | None:
        before, after = ({bot.name: bot.source for bot in spec.bots} for spec in (self._old, self._new))
        new = [name for name in after if name not in before]
        if any(after.get(name) != source for name, source in before.items()):
            return None
        match self._plans:
            case (KnockoutPlan() | SwissPlan() | FinalPlan(), _) if new:
                return None
            case (KnockoutPlan(), KnockoutPlan(seeds=seeds)) if not seeds:
                return None  # the order of the bots is the order of the seeds
            case (RoundRobinPlan(lineups=int()), _) if new:
                return None
            case (RoundRobinPlan(tables=tables), _) if new and 1 in tables:
                return None  # the decks of a solo table are the same for everybody, and have been seen
            case (GauntletPlan(lineups=int()), GauntletPlan() as plan) if any(name not in plan.challengers for name in new):
                return None
        return f"bots: {', '.join(new)}" if new else ""

    def tables(self) -> str | None:
        old, new = (plan.tables for plan in self._plans)
        more = [players for players in new if players not in old]
        if not isinstance(self._plans[1], RoundRobinPlan | GauntletPlan) or [players for players in new if players in old] != list(old):
            return None
        return f"tables of {', '.join(map(str, more))} seats"

    def blocks(self) -> str | None:
        old, new = (plan.blocks for plan in self._plans)
        if not isinstance(self._plans[1], RoundRobinPlan | GauntletPlan) or new < old:
            return None
        return f"{new - old} {'block' if new - old == 1 else 'blocks'} (there were {old})"

    def lineups(self) -> str | None:
        # A larger sample begins with the smaller one. It can become all line-ups only if no line-up repeats before all have appeared.
        match self._plans:
            case (RoundRobinPlan() as old, RoundRobinPlan() as new):
                bots, challengers = len(self._old.bots), 0
            case (GauntletPlan() as old, GauntletPlan() as new):
                bots, challengers = len(self._old.bots) - len(old.challengers), 1
            case _:
                return None
        for players in old.tables:
            every = 1 if players == 1 else comb(bots, players - challengers)
            before = every if old.lineups == "all" else min(old.lineups, every)
            after = every if new.lineups == "all" else min(new.lineups, every)
            if after < before or (after == every and before != every and players - challengers > 2):
                return None
        return "all line-ups" if new.lineups == "all" else f"up to {new.lineups} line-ups"

    def rounds(self) -> str | None:
        match self._plans:
            case (SwissPlan(rounds=old), SwissPlan(rounds=int() as new)) if new > old:
                return f"{new - old} rounds (there were {old})"
            case (LadderPlan(rounds=int() as old), LadderPlan(rounds=int() as new)) if new > old:
                return f"{new - old} rounds (there were {old})"
            case (LadderPlan(), LadderPlan(rounds=None)):
                return "rounds without end"
        return None

    def challengers(self) -> str | None:
        match self._plans:
            case (GauntletPlan(challengers=old), GauntletPlan(challengers=new)):
                more = [name for name in new if name not in old]
                field = {bot.name for bot in self._old.bots}
                if set(old) <= set(new) and not field & set(more):
                    return f"challengers: {', '.join(more)}" if more else ""
        return None

    def wasmtime(self) -> str | None:
        # The first bot that needs the WebAssembly runtime adds its version.
        return "" if WASMTIME not in (self._old.runtime.versions or {}) else None


_ADDITIONS: Final[dict[str, Callable[[_Comparison], str | None]]] = {
    "bots": _Comparison.bots,
    "schedule.tables": _Comparison.tables,
    "schedule.blocks": _Comparison.blocks,
    "schedule.lineups": _Comparison.lineups,
    "schedule.rounds": _Comparison.rounds,
    "schedule.challengers": _Comparison.challengers,
    f"runtime.versions.{WASMTIME}": _Comparison.wasmtime,
}
"""The keys whose change may be an addition, each with the method that decides."""


def _flat(data: object, key: str = "") -> dict[str, object]:
    if isinstance(data, dict):
        return {k: v for name, value in data.items() for k, v in _flat(value, f"{key}.{name}" if key else name).items()}
    return {key: data}


def check_secret_is_kept(store: Store, tournament: StoredTournament) -> None:
    """Raise ChangedError for a tournament that is over: anyone could use its published secret to compute the decks of added matches."""
    if tournament.secret is None:
        return
    is_over = tournament.total is not None and store.count_matches(tournament) >= tournament.total
    if is_over or any(link.body.is_final for link in store.chain(tournament.id)):
        raise ChangedError(
            f"the tournament '{tournament.name}' in {store.name} is over and its secret is published, so anyone could compute the decks "
            "of added matches; start a new tournament under a different name"
        )


def check_versions(existing: Tournament) -> None:
    """Raise ChangedError if the installed versions of packages differ from those with which the tournament began."""
    stored = existing.spec.runtime.versions
    if stored and (changes := differing(stored)):
        install = " ".join(f"{package}=={version}" for package, version in stored.items())
        begun_with = "; with ".join(changes)
        raise ChangedError(
            f"the tournament '{existing.spec.name}' was started with {begun_with}; install what it was started with (pip install "
            f"{install}), or start a new tournament under a different name"
        )


def find_additions(existing: Tournament, spec: Spec, versions: Mapping[str, BotVersion]) -> tuple[str, ...]:
    """Return phrases for what ``spec``, in its stored form, adds to a stored tournament. Raises ChangedError for other changes."""
    where = existing.store.name
    advice = "start a new tournament under a different name, or use a different database (--db)"
    if existing.spec.game == spec.game and existing.spec.package != spec.package:
        old, new = (each.package or "this program" for each in (existing.spec, spec))
        raise ChangedError(
            f"the game '{spec.game}' came from {old} when the tournament '{spec.name}' in {where} was started, but now comes from {new}; "
            f"install what the tournament was started with, or {advice}"
        )
    changes = find_changes(existing.spec, spec)
    if changes.changed:
        differences = ", ".join(f"'{key}' ({old} then, {new} now)" for key, old, new in changes.changed)
        tables = {key.partition(".")[0] for key, _, _ in changes.changed} if isinstance(existing.spec.schedule, LadderPlan) else set()
        if tables == {"clock"}:
            advice = f"leave the file as it was, or {advice}"
        elif {key for key, _, _ in changes.changed} == {"schedule.rounds"} and tables:
            advice = f"leave the file as it was and run 'arena ladder end' to end the ladder, or {advice}"
        raise ChangedError(f"the tournament '{spec.name}' in {where} was started with a different {differences}; {advice}")
    for entrant in existing.stored.entrants:
        now = versions.get(entrant.name)
        if now is not None and now.digest != entrant.digest:
            raise ChangedError(
                f"the bot '{entrant.name}' has changed since the tournament '{spec.name}' in {where} was started "
                f"(version {entrant.digest[:8]} then, {now.digest[:8]} now); {advice}"
            )
    return changes.added
