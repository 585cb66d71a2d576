"""The sources of a verification: a database, or a bundle (``bundle``). Both have the same methods."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from arena.verification.bundle_reader import BundleSource
from arena.verification.match_check import Disagreement, Findings
from bots.errors import BotError
from bots.loader.version import BotVersion, unpack
from leaderboard.records.evidence import ContentRecord, MatchEvidence, RatingRecord, StandingRecord, TournamentRecord, VoidRecord, inflate
from leaderboard.storage.raw_queries import (
    dangling,
    orphans,
    played_voids,
    read_contents,
    read_match_ids,
    read_matches,
    read_ratings,
    read_standings,
    read_tournaments,
    read_voids,
)
from leaderboard.storage.store import Store

LARGEST_CONTENT: Final = 128 << 20
"""The most bytes of a packed bot; submissions have at most a quarter of that."""


class StoreSource:
    """A database, whose tournaments may be verified."""

    def __init__(self, store: Store) -> None:
        self._store = store

    is_of_strangers: Final = False
    """Whether all of its bots come from strangers; in a database, only submitted ones do."""

    @property
    def where(self) -> str:
        """The name of the database."""
        return self._store.name

    def tournaments(self) -> tuple[TournamentRecord, ...]:
        """Return all tournaments, oldest first."""
        with self._store.reading() as connection:
            return read_tournaments(connection)

    def match_ids(self, tournament: TournamentRecord) -> Collection[str]:
        """Return the ids, sorted."""
        with self._store.reading() as connection:
            return read_match_ids(connection, tournament.key)

    def matches(self, tournament: TournamentRecord, ids: Sequence[str]) -> Mapping[str, MatchEvidence]:
        """Return those of these matches that are stored."""
        with self._store.reading() as connection:
            return read_matches(connection, tournament.key, ids)

    def ratings(self, tournament: TournamentRecord) -> Iterator[RatingRecord]:
        """Yield the ratings by bot and number."""
        with self._store.reading() as connection:
            yield from read_ratings(connection, tournament.key)

    def standings(self, tournament: TournamentRecord) -> Sequence[StandingRecord]:
        """Return the standings by bot."""
        with self._store.reading() as connection:
            return read_standings(connection, tournament.key)

    def voids(self, tournament: TournamentRecord) -> tuple[VoidRecord, ...]:
        """Return the void matches by id."""
        with self._store.reading() as connection:
            return read_voids(connection, tournament.key)

    def contents(self, digests: Collection[str] | None = None) -> Iterator[ContentRecord]:
        """Yield the stored bots, or only those with these hashes: submitted ones first, by bot and number."""
        with self._store.reading() as connection:
            yield from read_contents(connection, digests)

    def problems(self) -> Sequence[Disagreement]:
        """Return dangling references, rows that nothing refers to, versions not numbered from 1, and matches both played and void."""
        findings = Findings("")
        with self._store.reading() as connection:
            for each in dangling(connection):
                more = f", and {each.count - 1} more" if each.count > 1 else ""
                findings.add(f"{each.table}.{each.column}", each.value, f"no such {each.parent}{more}")
            for name, value, expected in orphans(connection):
                findings.add(name, value, expected)
            both = played_voids(connection)
        numbers: dict[object, int] = {}
        for bot, number in ((each.bot, each.submission.number) for each in self.contents() if each.submission is not None):
            numbers[bot] = numbers.get(bot, 0) + 1
            findings.compare(f"number of the submission {bot}@{number}", number, numbers[bot])
        findings.all.extend(Disagreement("", match, "void", "not playable", "a result") for match in both)
        return findings.all


Source: TypeAlias = StoreSource | BundleSource


def read_content(content: object) -> BotVersion:
    """Return the version with this stored content; its digest is not checked against the content. Raises BotError."""
    try:
        return unpack(content.encode() if isinstance(content, str) else inflate(content, LARGEST_CONTENT))
    except ValueError as error:
        raise BotError(str(error)) from None
