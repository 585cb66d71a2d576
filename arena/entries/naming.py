"""Names in a ladder: which one a version enters under, and whether it looks like the name of another author's bot there."""

from __future__ import annotations

from arena.entries.bot_resolution import submission_of
from arena.spec.spec import Spec
from leaderboard.storage.names import look_alike, unnumbered
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import Submission, SubmissionError


def entry_name(store: Store, ladder: str, version: Submission) -> str:
    """Return the name under which a version enters a ladder: ``walker``, then ``walker.2``.

    If a bot has that name already, which one that entered before names were compared can have, it is ``walker.v2``.
    """
    tournament = store.tournament(ladder)
    taken = {entrant.name for entrant in tournament.entrants} if tournament else set()
    name = version.entry_name
    return f"{version.name}.v{version.number}" if version.number > 1 and name in taken else name


def find_rival(store: Store, spec: Spec, name: str, source: str) -> str | None:
    """Return the name of another author's bot in the tournament that the name of a submitted bot looks like, or None.

    A version of a bot that is already in the tournament is never refused for its name. The host may give any name to bots that nobody
    submitted.
    """
    version = _submission(store, source)
    if version is None:
        return None
    others = [(bot.name, _submission(store, bot.source)) for bot in spec.bots]
    if version.name in (name, unnumbered(name)) and any(other is not None and other.name == version.name for _, other in others):
        return None
    return next((bot for bot, other in others if look_alike(name, bot) and (other is None or other.author != version.author)), None)


def _submission(store: Store, source: str) -> Submission | None:
    """The version that a source names; None if it names something else, or if there is no such version."""
    try:
        return submission_of(source, store)
    except SubmissionError:
        return None
