"""Exports a stored tournament as a bundle that can be verified elsewhere."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from arena.play.executors.base import Pause
from arena.tournament import Tournament, stored_spec
from arena.verification.matches import ScheduledMatch, read_content
from arena.verification.schedule import ScheduleReplay
from bots.errors import BotError
from bots.loader.version import pack
from leaderboard.storage.bundles import DamagedBundleError, Selection, write_bundle
from leaderboard.storage.database import StoreError
from leaderboard.storage.raw_queries import read_match_ids, read_tournaments
from leaderboard.storage.store import Store, StoredTournament


class UnfitError(StoreError):
    """The database is inconsistent, so it can't be exported."""


class Exporter:
    """Exports a stored tournament. The methods raise UnfitError if the database is inconsistent."""

    def __init__(self, store: Store, tournament: StoredTournament) -> None:
        self._store = store
        self._tournament = tournament
        [self._evidence] = store.fetch(read_tournaments, tournament.id)
        self._spec = stored_spec(tournament)

    def write_bundle(self, path: Path, *, with_bots: bool = False) -> str:
        """Write the bundle to a new or empty file, and return the digest of its content; the same database gives the same digest.

        The bundle contains the secret only if the tournament is sealed as complete.
        """
        self._check_no_deck_is_open()
        sealed = self._store.newest_body(self._tournament.id)
        submitted = () if sealed is None else sealed.entry.submitted
        has_secret = self._is_final()
        if has_secret or self._tournament.secret is None:
            matches: Sequence[str] = self._store.fetch(read_match_ids, self._tournament.id)
        else:  # the order of the schedule can't be derived from the bundle
            matches = [each.ticket.id for each in self._matches()]
        selection = Selection(self._tournament.id, matches, has_secret, submitted, self._repack if with_bots else None)
        try:
            return self._store.fetch(write_bundle, selection, path)
        except DamagedBundleError as error:
            raise self._unfit(error.reason) from None

    def _check_no_deck_is_open(self) -> None:
        """Raise StoreError if some, but not all, matches of a block that shares a deck have been played."""
        spec = self._spec
        if self._tournament.secret is None or self._is_final() or not any(map(spec.schedule.shares_deck, spec.schedule.tables)):
            return
        schedule = Tournament(self._store, self._tournament, spec).schedule
        played: Counter[tuple[int, int, int]] = Counter()
        for each in self._matches():
            if spec.schedule.shares_deck(players := len(each.ticket.seats)):
                played[each.ticket.seed, players, each.ticket.block] += 1
        for (_, players, block), number in played.items():
            if number < (wanted := schedule.count_seatings(players)):
                raise StoreError(
                    f"block {block} is incomplete ({number} of {wanted} matches), and an export would reveal the deck that its matches "
                    f"share; let 'arena run' finish the block first"
                )

    def _matches(self) -> Iterator[ScheduledMatch]:
        schedule_replay = ScheduleReplay(self._store, self._evidence)
        for each in schedule_replay.matches(Tournament(self._store, self._tournament, self._spec).schedule):
            assert not isinstance(each, Pause), "every match is settled before the next"
            ranks = tuple(seat.rank for seat in each.evidence.seats if isinstance(seat.rank, int))
            schedule_replay.settle(each.ticket.id, ranks if len(ranks) == len(each.ticket.seats) else None)
            yield each
        if schedule_replay.unknown:
            raise self._unfit(f"match {schedule_replay.unknown[0]} is not in the schedule")

    def _is_final(self) -> bool:
        link = self._store.sealed(self._tournament.id)
        return link is not None and link.body.is_final

    def _repack(self, content: object) -> bytes:
        """Return a stored bot version, packed again without the path of its source."""
        try:
            version = read_content(content)
        except BotError as error:
            raise self._unfit(f"the content of a bot: {error}") from None
        return zlib.compress(pack(replace(version, origin=version.name)))

    def _unfit(self, why: object) -> UnfitError:
        path = self._store.name
        return UnfitError(f"{path} is inconsistent: {why}; 'arena verify {path}' lists what is wrong")
