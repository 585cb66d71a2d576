"""Lists the ladders of a database that bots can join, and enters submitted versions into them."""

from __future__ import annotations

import json
from dataclasses import replace

from arena.bots import submission_of
from arena.changes import ChangedError, check_secret_is_kept
from arena.spec.spec import Spec, SpecError, make_spec
from arena.spec.tables import LadderPlan
from arena.tournament import check_limit, stored_spec
from bots.errors import BotError
from bots.loader.version import BotVersion
from engine.core.errors import InputError
from leaderboard.names import PERSON_ID, find_equal, unnumbered
from leaderboard.records import WAITING
from leaderboard.storage.store import Entrant, Store, StoredTournament
from leaderboard.storage.submissions import Submission
from leaderboard.storage.tournaments import ExtendedError


class NoLadderError(InputError):
    """There is no ladder of that name; the message lists the existing ones."""


def ladders(store: Store) -> dict[str, Spec]:
    """Return the specs of the ladders that can be joined, by name, newest first."""
    specs = {name: _ladder(store, name) for name in reversed(store.tournament_names())}
    return {name: spec for name, spec in specs.items() if spec is not None}


def find_ladder(store: Store, name: str) -> Spec:
    """Return the spec of the ladder of that name. Raises NoLadderError."""
    spec = _ladder(store, name)
    if spec is None:
        there = ", ".join(ladders(store)) or "none"
        raise NoLadderError(f"there is no ladder '{name:.80}' here; the ladders are: {there}")
    return spec


def check_open(store: Store, name: str) -> None:
    """Raise ChangedError if the ladder is over. Bots can't enter it then, since its secret has been published."""
    if (tournament := store.tournament(name)) is not None:
        _check_open(store, tournament)


def _check_open(store: Store, ladder: StoredTournament) -> None:
    try:
        check_secret_is_kept(store, ladder)
    except ChangedError:  # contestants read this message, so it leaves out the database and advice for hosts
        raise ChangedError(f"the ladder '{ladder.name}' is over and accepts no more bots") from None


def _ladder(store: Store, name: str) -> Spec | None:
    tournament = store.tournament(name)
    try:
        spec = None if tournament is None else stored_spec(tournament)
    except SpecError:
        return None
    return spec if spec is not None and isinstance(spec.schedule, LadderPlan) else None


def enter(
    store: Store, ladder: str, name: str, source: str, version: BotVersion, *, allow_open_seed: bool = False, joins: int = WAITING
) -> StoredTournament:
    """Enter a version of a bot into a stored ladder, under a name that the ladder doesn't have yet.

    The bot joins before the next round that a run begins, even if a run is in progress. A run may set ``joins``, the round before which the
    bot joins, counted from 0; that round must not have begun. ``source`` is written as in a tournament file, such as ``walker@2``.

    Raises ChangedError if there is no such ladder, if it is over, if it has a bot of that name (or a version of that name by a different
    author), or if a submitted bot would enter a ladder with an open seed, unless ``allow_open_seed`` is set. Raises SpecError if the author
    already has as many bots as allowed.
    """
    stored = store.tournament(ladder)
    if stored is None:
        raise ChangedError(f"there is no tournament '{ladder}'")
    spec = stored_spec(stored)
    if not isinstance(spec.schedule, LadderPlan):
        raise ChangedError(f"the tournament '{ladder}' is a {spec.schedule.format}; only a ladder can be joined")
    if spec.is_open and version.is_submitted and not allow_open_seed:
        raise ChangedError(f"the ladder '{ladder}' has an open seed, from which its decks can be computed, so submitted bots can't enter")
    if (taken := find_equal(name, (bot.name for bot in spec.bots))) is not None:
        raise ChangedError(f"the ladder '{ladder}' already has a bot '{taken}'; enter this bot under a different name")
    store.check_entry(stored.id)
    _check_open(store, stored)
    if (rival := find_rival(store, spec, name, source)) is not None:
        raise ChangedError(f"the name '{name}' is already taken by '{rival}', another author's bot in the ladder '{ladder}'")
    data = json.loads(stored.spec)
    author = {"author": version.author} if version.author else {}
    data["bots"].append({"name": name, "source": source} | author)
    try:
        more = make_spec(data, f"the ladder '{ladder}'")
    except SpecError as error:
        raise SpecError(PERSON_ID.sub("its author", str(error))) from None  # a stored spec has the ids of people, not their names
    check_limit(more, stored.orders)
    entrant = Entrant(name, version.digest, version.origin, joins)
    return store.extend_tournament(stored, more.canonical(), None, (entrant,), reorders=False)


def enter_version(store: Store, ladder: str, submission: Submission, version: BotVersion, *, joins: int = WAITING) -> tuple[str, str]:
    """Enter a version and return its name in the ladder, or an empty name and a sentence that says why it was not entered.

    This is idempotent, even if several processes enter the version at the same time.
    """
    while True:
        try:
            if name := _entered(store, ladder, submission.label):
                return name, ""
            name = submission.entry_name
            origin = f"submitted {submission.label}"
            entered = replace(version, name=name, origin=origin, author=submission.author, is_submitted=True)
            enter(store, ladder, name, submission.label, entered, joins=joins)
        except ExtendedError:
            continue  # another bot has just entered
        except (ChangedError, SpecError) as error:
            if isinstance(error, ChangedError) and (name := _entered(store, ladder, submission.label)):  # by another process just now
                return name, ""
            return "", f"It was not entered into '{ladder}': {error}."
        return name, ""


def _entered(store: Store, ladder: str, label: str) -> str:
    tournament = store.tournament(ladder)
    bots = () if tournament is None else stored_spec(tournament).bots
    return next((bot.name for bot in bots if bot.source == label), "")


def find_rival(store: Store, spec: Spec, name: str, source: str) -> str | None:
    """Return the bot of the tournament, if any, that has the same name as a submitted bot but a different author.

    Version numbers in names are ignored. If ``source`` was not submitted, any name is allowed, since the host chose it.
    """
    version = _submission(store, source)
    if version is None:
        return None
    others = [(bot.name, _submission(store, bot.source)) for bot in spec.bots]
    bare = unnumbered(name) or name
    rivals = (bot for bot, other in others if other is None or other.author != version.author)
    return next((bot for bot in rivals if find_equal(bare, (unnumbered(bot) or bot,))), None)


def _submission(store: Store, source: str) -> Submission | None:
    try:
        return submission_of(source, store)
    except BotError:
        return None
