"""Names at the door of a ladder: which one a version enters under, and whether it looks like that of somebody else's bot there."""

from __future__ import annotations

from arena.entries.bot_resolution import submission_of
from arena.tournament.spec import Spec
from leaderboard.storage.names import look_alike, unnumbered
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import Submission, SubmissionError


def entry_name(store: Store, ladder: str, version: Submission) -> str:
    """The name under which a version enters a ladder: ``walker``, then ``walker.2``.

    Where a bot of that name is there, which only one that entered before names were compared can be, it is ``walker.v2``.
    """
    found = store.tournament(ladder)
    taken = {entrant.name for entrant in found.entrants} if found else set()
    name = version.entry_name
    return f"{version.name}.v{version.number}" if version.number > 1 and name in taken else name


def find_rival(store: Store, spec: Spec, name: str, source: str) -> str | None:
    """A bot of the tournament that is not of the same author and that the name of a submitted one looks like.

    A version whose bot is there already has no rivals under its own name, so that whoever took its likeness before names were compared
    can't keep it out. The host may call bots that nobody submitted whatever it likes.
    """
    version = _submission(store, source)
    if version is None:
        return None
    others = [(bot.name, _submission(store, bot.source)) for bot in spec.bots]
    if version.name in (name, unnumbered(name)) and any(other is not None and other.name == version.name for _, other in others):
        return None
    return next((bot for bot, other in others if look_alike(name, bot) and (other is None or other.author != version.author)), None)


def _submission(store: Store, source: str) -> Submission | None:
    """The version that a source names; None where it names something else, or what is not there."""
    try:
        return submission_of(source, store)
    except SubmissionError:
        return None
