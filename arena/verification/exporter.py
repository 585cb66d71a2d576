"""Exports a stored tournament: as a bundle that can be verified elsewhere, or as plain results in JSON lines or CSV."""

from __future__ import annotations

import csv
import io
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import IO, Final

import msgspec

from arena.entries.stored_tournament import make_schedule, stored_spec
from arena.play.executors.base import Pause
from arena.verification.bundle_reader import (
    BOTS,
    FORMAT,
    MANIFEST,
    ORDERS,
    RATINGS,
    REPLAYS,
    RESULTS,
    SEALS,
    SPEC,
    STANDINGS,
    VOIDS,
    Manifest,
)
from arena.verification.match_check import ScheduledMatch, unpack_replay
from arena.verification.schedule_replay import ScheduleReplay
from arena.verification.store_source import LARGEST_CONTENT, StoreSource
from bots.loader.version import pack, unpack
from leaderboard.records.evidence import (
    EntrantRecord,
    MatchRecord,
    OrderRecord,
    RatingRecord,
    Record,
    RecordT,
    SealRecord,
    SeatResultRecord,
    SecretRecord,
    StandingRecord,
    VoidRecord,
    checked,
    inflate,
)
from leaderboard.storage.database import StoreError
from leaderboard.storage.store import Store, StoredTournament

_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The date of every entry, so that equal tournaments give equal bundles."""


class UnfitError(StoreError):
    """The database is inconsistent, so it can't be exported."""


class Exporter:
    """Exports a stored tournament. Its methods raise UnfitError where the database is inconsistent."""

    def __init__(self, store: Store, tournament: StoredTournament) -> None:
        self._store = store
        self._tournament = tournament
        self._source = StoreSource(store)
        self._evidence = next(each for each in self._source.tournaments() if each.key == tournament.id)
        self._spec = stored_spec(tournament)

    def write_bundle(self, file: IO[bytes], *, with_bots: bool = False) -> int:
        """Write the bundle to an open file; return the number of its matches.

        The same database gives the same bytes, with the same version of the program and of zlib. The bundle has the newest secret
        only if the tournament is sealed as complete.
        """
        self._check_no_deck_is_open()
        matches = len(self._source.match_ids(self._evidence))
        contents = self._contents() if with_bots else {}
        bots = [self._checked(entrant, EntrantRecord) for entrant in self._evidence.entrants]
        with zipfile.ZipFile(file, "w") as archive:
            _write(archive, MANIFEST, [msgspec.json.encode(self._manifest(matches))])
            _write(archive, SPEC, [self._tournament.spec.encode()])
            _write(archive, BOTS, map(msgspec.json.encode, bots))
            _write(archive, ORDERS, self._encode(self._evidence.orders, OrderRecord))
            _write(archive, RESULTS, self._encode((each.evidence for each in self._matches()), MatchRecord))
            _write(archive, REPLAYS, map(self._replay, self._matches()))
            _write(archive, RATINGS, self._encode(self._source.ratings(self._evidence), RatingRecord))
            _write(archive, STANDINGS, self._encode(self._source.standings(self._evidence), StandingRecord))
            _write(archive, VOIDS, self._encode(self._source.voids(self._evidence), VoidRecord))
            _write(archive, SEALS, self._encode(self._evidence.links, SealRecord))
            for version in sorted({bot.digest for bot in bots} & set(contents)):
                _write(archive, f"bots/{version}.json", [contents[version]()])
        return matches

    def json_lines(self) -> Iterator[str]:
        """Return the results, a line of JSON for each match, in the order of the schedule."""
        self._check_no_deck_is_open()
        return (line.decode() for line in self._encode((each.evidence for each in self._matches()), MatchRecord))

    def csv_lines(self) -> Iterator[str]:
        """Yield the results, a header and a line of CSV for each seat, in the order of the schedule."""
        self._check_no_deck_is_open()
        keys = (
            "match",
            "round",
            "block",
            "rotation",
            "seed",
            "seat",
            *SeatResultRecord.__struct_fields__,
            "end",
            "match_decisions",
            "replay_digest",
        )
        yield _csv_line(keys)
        for sought in self._matches():
            line = self._checked(sought.evidence, MatchRecord)
            for number, seat in enumerate(line.seats):
                match = (line.id, line.round, line.block, line.rotation, line.seed, number)
                yield _csv_line((*match, *msgspec.structs.astuple(seat), line.end, line.decisions, line.digest))

    def played(self) -> Iterator[tuple[MatchRecord, bytes]]:
        """Return each match with the text of its replay, in the order of the schedule."""
        self._check_no_deck_is_open()
        return ((self._checked(each.evidence, MatchRecord), self._replay(each)) for each in self._matches())

    def _check_no_deck_is_open(self) -> None:
        """Raise StoreError if a shared deck has been played in some, but not all matches of its block."""
        spec = self._spec
        if self._tournament.secret is None or self._is_final() or not any(map(spec.schedule.shares_deck, spec.schedule.tables)):
            return
        schedule = make_schedule(spec, self._tournament)
        played: Counter[tuple[int, int, int]] = Counter()
        for each in self._matches():
            if spec.schedule.shares_deck(players := len(each.ticket.seats)):
                played[each.ticket.seed, players, each.ticket.block] += 1
        for (_, players, block), number in played.items():
            if number < (wanted := schedule.count_seatings(players)):
                raise StoreError(
                    f"{number} of the {wanted} matches of block {block} have been played, and an export would reveal the deck that they "
                    f"all share; let 'arena run' finish the block first"
                )

    def _matches(self) -> Iterator[ScheduledMatch]:
        schedule_replay = ScheduleReplay(self._source, self._evidence)
        for each in schedule_replay.matches(make_schedule(self._spec, self._tournament)):
            assert not isinstance(each, Pause), "every match is settled before the next"
            ranks = tuple(seat.rank for seat in each.evidence.seats if isinstance(seat.rank, int))
            schedule_replay.settle(each.ticket.id, ranks if len(ranks) == len(each.ticket.seats) else None)
            yield each
        if schedule_replay.unknown:
            raise self._unfit(f"match {schedule_replay.unknown[0]} is not in the schedule")

    def _manifest(self, matches: int) -> Manifest:
        secret = None if self._evidence.secret is None else self._checked(self._evidence.secret, SecretRecord)
        if secret is not None and not self._is_final():
            secret = msgspec.structs.replace(secret, secret=None)
        return Manifest(
            format=FORMAT,
            tournament=self._tournament.name,
            game=self._tournament.game,
            seed=self._tournament.seed or 0,
            total=self._tournament.total,
            matches=matches,
            rated=self._rated(),
            secret=secret,
            created=None if self._evidence.created is None else str(self._evidence.created),
        )

    def _is_final(self) -> bool:
        """Return whether the tournament is sealed as complete, so that its secret is published."""
        link = self._store.sealed(self._tournament.id)
        return link is not None and link.body.is_final

    def _rated(self) -> int:
        if not isinstance(self._evidence.rated, int):
            raise self._unfit("the number of rated matches is not a number")
        return self._evidence.rated

    def _replay(self, sought: ScheduledMatch) -> bytes:
        try:
            text = unpack_replay(sought.evidence.replay)
        except ValueError as error:
            raise self._unfit(f"the replay of match {sought.ticket.id}: {error}") from None
        if b"\n" in text:
            raise self._unfit(f"the replay of match {sought.ticket.id} is not one line")
        return text

    def _contents(self) -> Mapping[str, Callable[[], bytes]]:
        """Return, by hash, the record with the content of each bot in the database; a submission's if there are several."""
        contents: dict[str, Callable[[], bytes]] = {}
        for each in self._source.contents():
            origin = f"bot {each.bot}" if each.submission is None else f"submitted {each.bot}@{each.submission.number}"
            contents.setdefault(str(each.version), partial(self._content, each.content, origin))
        return contents

    def _content(self, content: object, origin: str) -> bytes:
        """Return a packed version without the path of its source."""
        try:
            version = unpack(inflate(content, LARGEST_CONTENT))
        except ValueError as error:
            raise self._unfit(f"the content of the {origin}: {error}") from None
        return pack(replace(version, origin=origin))

    def _encode(self, rows: Iterable[Record], kind: type[Record]) -> Iterator[bytes]:
        """Yield the stored records as lines of the bundle."""
        return (msgspec.json.encode(self._checked(row, kind)) for row in rows)

    def _checked(self, row: Record, kind: type[RecordT]) -> RecordT:
        try:
            return checked(row, kind)
        except msgspec.ValidationError as error:
            raise self._unfit(error) from None

    def _unfit(self, why: object) -> UnfitError:
        path = self._store.name
        return UnfitError(f"{path} is inconsistent: {why}; 'arena verify {path}' lists what is wrong")


def _write(archive: zipfile.ZipFile, name: str, lines: Iterable[bytes]) -> None:
    """Write one entry of the bundle, a newline after each line."""
    entry = zipfile.ZipInfo(name, _DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # the same bytes on every system
    entry.external_attr = 0o644 << 16
    with archive.open(entry, "w", force_zip64=True) as part:
        for line in lines:
            part.write(line + b"\n")


def _csv_line(values: Iterable[object]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(values)
    return out.getvalue()
