"""Ladders that bots can join: which there are in a database, and entering a submitted version into one."""

from __future__ import annotations

from dataclasses import replace

from arena.entries.bot_resolution import entry_name
from arena.entries.stored_tournament import ChangedError, check_secret_is_kept, enter, stored_spec
from arena.spec.plans import LadderPlan
from arena.spec.spec import Spec, SpecError
from bots.loader.version import BotVersion
from engine.core.errors import InputError
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import Submission
from leaderboard.storage.tournaments import ExtendedError


class NoLadderError(InputError):
    """There is no ladder of that name; the sentence names those that there are."""


def ladders(store: Store) -> dict[str, Spec]:
    """Return the specs of the ladders that can be joined by their names, newest first."""
    specs = {name: _ladder(store, name) for name in reversed(store.tournament_names())}
    return {name: spec for name, spec in specs.items() if spec is not None}


def find_ladder(store: Store, name: str) -> Spec:
    """Return the spec of the ladder of that name. Raises NoLadderError."""
    if (spec := _ladder(store, name)) is None:
        there = ", ".join(ladders(store)) or "none"
        raise NoLadderError(f"there is no ladder '{name:.80}' here; the ladders are: {there}")
    return spec


def check_open(store: Store, name: str) -> None:
    """Raise ChangedError for a ladder that no bot can enter any more, since it is over and its secret published."""
    if (tournament := store.tournament(name)) is not None:
        check_secret_is_kept(store, tournament)


def _ladder(store: Store, name: str) -> Spec | None:
    """Return the spec of the ladder of that name, or None if there is none or it can't be read."""
    tournament = store.tournament(name)
    try:
        spec = None if tournament is None else stored_spec(tournament)
    except SpecError:
        return None
    return spec if spec is not None and isinstance(spec.schedule, LadderPlan) else None


def enter_version(store: Store, ladder: str, submission: Submission, version: BotVersion) -> tuple[str, str]:
    """Enter a version; return its name in the ladder, or an empty name and a sentence that says why it was not entered.

    Doing it again, also at the same time in another process, changes nothing.
    """
    while True:
        try:
            if name := _entered(store, ladder, submission.label):
                return name, ""
            name = entry_name(store, ladder, submission)
            enter(store, ladder, name, submission.label, replace(version, name=name, origin=f"submitted {submission.label}"))
        except ExtendedError:
            continue  # another bot has just entered
        except (ChangedError, SpecError) as error:
            if isinstance(error, ChangedError) and (name := _entered(store, ladder, submission.label)):  # by another server just now
                return name, ""
            return "", f"It was not entered into '{ladder}': {error}."
        return name, ""


def _entered(store: Store, ladder: str, label: str) -> str:
    """Return the name under which the version is in the ladder already; empty if it is not."""
    tournament = store.tournament(ladder)
    bots = () if tournament is None else stored_spec(tournament).bots
    return next((bot.name for bot in bots if bot.source == label), "")
