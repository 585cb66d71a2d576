"""Entering an accepted version into its ladder. Doing it again, also at the same time on another server, changes nothing."""

from __future__ import annotations

from dataclasses import replace

from arena.entries.naming import entry_name
from arena.entries.stored_tournament import ChangedError, enter, stored_spec
from arena.spec.spec import SpecError
from bots.loader.version import BotVersion
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import Submission
from leaderboard.storage.tournaments import ExtendedError


def enter_version(store: Store, ladder: str, submission: Submission, version: BotVersion) -> tuple[str, str]:
    """Enter a version; return its name in the ladder, or an empty name and a sentence that says why it was not entered."""
    while True:
        try:
            if name := _entered(store, ladder, submission.label):
                return name, ""
            name = entry_name(store, ladder, submission)
            enter(store, ladder, name, submission.label, replace(version, name=name, origin=f"submitted {submission.label}"))
        except ExtendedError:
            continue  # another bot has just entered
        except (ChangedError, SpecError) as error:
            return "", f"It was not entered into '{ladder}': {error}."
        return name, ""


def _entered(store: Store, ladder: str, label: str) -> str:
    """Return the name under which the version is in the ladder already; empty if it is not."""
    tournament = store.tournament(ladder)
    bots = () if tournament is None else stored_spec(tournament).bots
    return next((bot.name for bot in bots if bot.source == label), "")
