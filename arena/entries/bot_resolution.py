"""Finds the version of a bot from its source (a file, a reference bot, a bot submitted to a database), and its name in a ladder."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from arena.spec.spec import BotEntry, Spec
from bots.errors import BotError
from bots.loader.archive import MOST_BYTES
from bots.loader.loading import identify, resolve
from bots.loader.manifest import Params
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import BotVersion, check_size, make_params, split_reference, unpack, with_params
from leaderboard.names import find_equal, unnumbered
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import Submission, SubmissionError, content, find_submission, submissions

_SUBMITTED: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}@(newest|[0-9]{1,7}|[0-9a-f]{8,64})")
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def find_bots(spec: Spec, base: Path, store: Store | None, *, in_process: bool = True, is_new: bool | None = None) -> dict[str, BotVersion]:
    """Return the current version of each bot of the spec by name; paths are relative to ``base``. Raises BotError.

    Bots that play ``in_process`` are imported; the code of others is not run. ``name@2``, ``name@newest`` and, if there is no
    other bot of that name, ``name`` are versions submitted to the store; a tournament that has begun may continue with retired ones. If
    ``is_new`` is None, it is looked up.
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
    """Return the version of one bot of a tournament, as ``find_bots`` finds it; its files may have ``most`` bytes. Raises BotError."""
    find = partial(resolve if in_process else identify, most=most)
    try:
        params = make_params(bot.params, "params")
        version = _find(bot.source, params, bot.name, base, store, find, is_new=is_new)
        check_size(version, most)
        return version
    except (BotError, SubmissionError) as error:
        raise BotError(f"bot '{bot.name}': {error}") from None


def find_bot(source: str, store: Store | None, *, in_process: bool = True, most: int = MOST_BYTES) -> BotVersion:
    """Return the version of a bot that plays outside tournaments, under its own name or the one it was submitted as.

    The files of a bot that was not submitted may have ``most`` bytes. Raises BotError.

    Submitted versions are found as in ``find_bots``, including retired ones; without a store there are none.
    """
    plain, params = split_reference(source)
    if store is not None and _is_submitted(plain, store):
        try:
            return with_params(_unpacked(find_submission(store, plain), store), params)
        except SubmissionError as error:
            raise BotError(f"bot '{source}': {error}") from None
    if _SUBMITTED.fullmatch(plain):
        raise BotError(f"{source} is a submitted bot; name its database with --db")
    return (resolve if in_process else identify)(source, most=most)


def _find(
    source: str, params: Params, name: str, base: Path, store: Store | None, find: Callable[..., BotVersion], *, is_new: bool
) -> BotVersion:
    plain, own = split_reference(source)
    if store is not None and _is_submitted(plain, store):
        submission = find_submission(store, plain)
        if submission.retired is not None and is_new:
            raise SubmissionError(f"{submission.label} is retired")
        return replace(with_params(with_params(_unpacked(submission, store), own), params), name=name)
    return find(source, name=name, base=base, params=params)


def submission_of(source: str, store: Store) -> Submission | None:
    """Return the submitted version that a source names, whatever its parameters, or None if it names something else.

    Raises SubmissionError if there is no such version.
    """
    source = split_reference(source)[0]
    return find_submission(store, source) if _is_submitted(source, store) else None


def _unpacked(submission: Submission, store: Store) -> BotVersion:
    version = unpack(content(store, submission))
    label = submission.label
    return replace(version, name=label, origin=f"submitted {label}", is_submitted=True, author=submission.author)


def _is_submitted(source: str, store: Store) -> bool:
    if _SUBMITTED.fullmatch(source):
        return True
    return source not in REFERENCE_BOTS and _PLAIN.fullmatch(source) is not None and bool(submissions(store, source))


def entry_name(store: Store, ladder: str, version: Submission) -> str:
    """Return the name under which a version enters a ladder: ``walker``, then ``walker.2``.

    If an older bot already has that name, as is possible for entries from before names were compared, it is ``walker.v2``.
    """
    tournament = store.tournament(ladder)
    taken = {entrant.name for entrant in tournament.entrants} if tournament else set()
    name = version.entry_name
    return f"{version.name}.v{version.number}" if version.number > 1 and name in taken else name


def find_rival(store: Store, spec: Spec, name: str, source: str) -> str | None:
    """Return another author's bot in the tournament that has the name of a submitted bot, or a version of it, or None.

    A version of a bot in the tournament has no rivals under its own name, so that names taken before names were compared can't exclude it.
    The host may give any name to bots that were not submitted.
    """
    version = _submission(store, source)
    if version is None:
        return None
    others = [(bot.name, _submission(store, bot.source)) for bot in spec.bots]
    if version.name in (name, unnumbered(name)) and any(other is not None and other.name == version.name for _, other in others):
        return None
    bare = unnumbered(name) or name
    rivals = (bot for bot, other in others if other is None or other.author != version.author)
    return next((bot for bot in rivals if find_equal(bare, (unnumbered(bot) or bot,))), None)


def _submission(store: Store, source: str) -> Submission | None:
    """The version that a source names; None if the source is of another kind or the version does not exist."""
    try:
        return submission_of(source, store)
    except SubmissionError:
        return None
