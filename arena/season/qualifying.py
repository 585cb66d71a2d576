"""The bots of a season's stage that qualify for another, and their entries in its tournament."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from arena.analysis.standings import placed, standings
from arena.entries.stored_tournament import stored_spec
from arena.run.status import find_places
from arena.season.stages import SeasonStage
from bots.loader.params import make_params, params_digest, split_reference
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.submissions import Submission, submissions


def qualified(store: Store, stage: SeasonStage, tournament: StoredTournament, of_author: int | None = None) -> list[str]:
    """Return the bots of a stage that qualify for others, best first, at most ``of_author`` of each author.

    Bots listed in its own table don't qualify, nor do bots that have left or are retired.
    """
    lines = placed(standings(store, tournament), find_places(store, tournament)[0])
    versions = _versions_of(store, tournament)
    authors = {each.name: each.author for each in stored_spec(tournament).bots}
    taken = Counter[str]()
    names = []
    for line in lines:
        if line.left or line.bot in stage.own_bots or (line.bot in versions and versions[line.bot].retired is not None):
            continue
        author = authors[line.bot] or line.bot
        taken[author] += 1
        if of_author is None or taken[author] <= of_author:
            names.append(line.bot)
    return names


def entries_of(store: Store, tournament: StoredTournament, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return these bots of a tournament, in the versions that played there, as entries of another tournament's file."""
    versions = _versions_of(store, tournament)
    entries = {bot.name: bot for bot in stored_spec(tournament).bots}
    bots: list[dict[str, Any]] = []
    for name in names:
        version, entry = versions.get(name), entries[name]
        plain, mark, params = entry.source.partition("?")
        bot: dict[str, Any] = {"name": name, "source": f"{version.label if version else plain}{mark}{params}"}
        bot |= {"params": dict(entry.params)} if entry.params else {}
        bot |= {} if version or entry.author is None else {"author": entry.author}
        bots.append(bot)
    return bots


def _versions_of(store: Store, tournament: StoredTournament) -> dict[str, Submission]:
    """Return the submitted versions among a tournament's bots, by name; a file with the same content does not count."""
    digests = {each.name: each.digest for each in tournament.entrants}
    found: dict[str, Submission] = {}
    submitted = submissions(store)
    for bot in stored_spec(tournament).bots:
        source, own = split_reference(bot.source)
        params = own or make_params(bot.params, "params")
        for each in submitted:
            if each.name == source.partition("@")[0] and params_digest(each.digest, params) == digests.get(bot.name):
                found[bot.name] = each
    return found
