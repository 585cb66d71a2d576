"""Reading the bundle of a tournament (docs/verification.md), which a stranger may have made. ``exporter`` writes bundles.

Nothing is ever unpacked to a file: every entry is read as a stream, line by line, within limits.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from msgspec.structs import asdict

from arena.verification.match_check import Disagreement
from engine.decoding import decoder
from engine.replay.format import LARGEST_REPLAY
from engine.text import one_line
from leaderboard.records.evidence import (
    ContentRecord,
    EntrantRecord,
    MatchEvidence,
    MatchRecord,
    NumberedSeal,
    NumberedSeat,
    OrderRecord,
    RatingRecord,
    Record,
    SealRecord,
    SecretRecord,
    StandingRecord,
    SubmissionRecord,
    TournamentRecord,
    VoidRecord,
)
from leaderboard.seals.links import LinkError, read_body
from leaderboard.sqlite_files import is_database
from leaderboard.storage.database import StoreError

FORMAT: Final = "arena-bundle/1"
MANIFEST: Final = "manifest.json"
SPEC: Final = "spec.json"
BOTS: Final = "bots.jsonl"
ORDERS: Final = "orders.jsonl"
RESULTS: Final = "results.jsonl"
REPLAYS: Final = "replays.jsonl"
RATINGS: Final = "ratings.jsonl"
STANDINGS: Final = "standings.jsonl"
VOIDS: Final = "voids.jsonl"
SEALS: Final = "seals.jsonl"
PARTS: Final = (MANIFEST, SPEC, BOTS, ORDERS, RESULTS, REPLAYS, RATINGS, STANDINGS, VOIDS, SEALS)
MOST_MATCHES: Final = 10_000_000
MOST_BOTS: Final = 10_000
MOST_SEALS: Final = 1_000_000
LONGEST_LINE: Final = 1 << 20
"""The most bytes in a line, except for replays, which are limited by ``LARGEST_REPLAY``, and bots, by ``LONGEST_BOT``."""
LONGEST_BOT: Final = 128 << 20
_BOT: Final = re.compile(r"bots/([0-9a-f]{64})\.json")
_READ: Final = 1 << 16
_LONGEST_LIST: Final = 4 << 20
"""The most bytes in the list of a bundle's parts, each of which takes about a hundred."""


class DamagedBundleError(StoreError):
    """The file is not a bundle, or an incomplete one; the message says where."""


LineT = TypeVar("LineT", bound=msgspec.Struct)


class Manifest(Record, frozen=True, kw_only=True):
    """The bundle's tournament.

    ``total`` is None while the number of the tournament's matches is unknown; the standings cover ``rated`` of the matches in the bundle.
    """

    format: str
    tournament: str
    game: str
    seed: int
    total: int | None
    matches: int
    rated: int
    secret: SecretRecord | None = None
    created: str | None = None


class _AnyManifest(msgspec.Struct, frozen=True):
    """The manifest of a bundle of any format."""

    format: str


def is_bundle(path: Path) -> bool:
    """Return whether to read the file as a bundle: it is not a database, and its name or its first bytes are those of an archive."""
    try:
        if is_database(path):
            return False
        if path.suffix == ".zip" or not path.is_file():
            return path.suffix == ".zip"
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except (OSError, ValueError):
        return False  # reading it as a database will report the mistake


@contextmanager
def open_bundle(path: Path) -> Iterator[BundleSource]:
    """Open the bundle in a file. Raises DamagedBundleError, also later during reading."""
    try:
        if path.exists() and not path.is_file():
            raise DamagedBundleError(f"{path} is not a file, so it can't be a bundle")
        with path.open("rb", buffering=0) as raw, _Sips(raw) as file, zipfile.ZipFile(file) as archive, ExitStack() as files:
            yield BundleSource(path, archive, files)
    except FileNotFoundError:
        raise DamagedBundleError(f"there is no file {path}") from None
    except OSError as error:
        raise DamagedBundleError(f"the bundle {path} can't be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OverflowError, UnicodeDecodeError) as error:
        raise DamagedBundleError(f"{path} is not a complete bundle: {_one_line(error)}") from None


class _Sips(io.BufferedReader):
    """A file that limits each read, since ``zipfile`` reads the list of contents at once, whatever size the file claims for it."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read at most ``size`` bytes. Raises BadZipFile for more than any bundle needs."""
        data = super().read(_LONGEST_LIST + 1 if size is None or size < 0 else min(size, _LONGEST_LIST + 1))
        if len(data) > _LONGEST_LIST:
            raise zipfile.BadZipFile("its list of contents is too long")
        return data


class BundleSource:
    """An open bundle, whose one tournament may be verified."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, files: ExitStack) -> None:
        self._path = path
        self._archive = archive
        self._files = files
        self._entries = self._check_entries()
        self._check_format()
        self.manifest: Final = self._one(MANIFEST, Manifest)
        if not 0 <= self.manifest.matches <= MOST_MATCHES:
            raise self._damaged(MANIFEST, f"it has {self.manifest.matches} matches; a bundle has at most {MOST_MATCHES}")
        self._bots = self._all(BOTS, EntrantRecord, MOST_BOTS)
        self._orders = self._all(ORDERS, OrderRecord, MOST_SEALS)
        self._ids = self._read_ids()
        lines = self._all(SEALS, SealRecord, MOST_SEALS)
        self._links: Final = tuple(NumberedSeal(**asdict(each), number=number) for number, each in enumerate(lines, start=1))
        self._results: Iterator[MatchRecord] | None = None
        self._replays: Iterator[bytes] | None = None
        self._held: dict[str, MatchEvidence] = {}

    is_of_strangers: Final = True
    """Whether its bots come from strangers and must not be played unless they are isolated or trusted."""

    @property
    def where(self) -> str:
        """The name of the file."""
        return str(self._path)

    def tournaments(self) -> tuple[TournamentRecord, ...]:
        """Return the one tournament of the bundle."""
        manifest = self.manifest
        spec = self._single(SPEC, LONGEST_LINE)
        columns = (0, manifest.tournament, manifest.game, manifest.seed, spec, manifest.total or 0, manifest.rated)
        return (TournamentRecord(*columns, self._bots, manifest.created, self._links, self._orders, manifest.secret),)

    @property
    def is_final(self) -> bool:
        """Whether the bundle claims that the tournament's last run completed the tournament."""
        try:
            return bool(self._links) and read_body(self._links[-1].body).is_final
        except LinkError:
            return True  # a verification reports what is wrong with it

    def match_ids(self, tournament: TournamentRecord) -> Collection[str]:
        """Return the ids in the order of the bundle."""
        return self._ids

    def matches(self, tournament: TournamentRecord, ids: Sequence[str]) -> Mapping[str, MatchEvidence]:
        """Return these matches by id. Callers go through the schedule in order; lines that come early are kept until requested."""
        matches = {}
        for match in ids:
            while match not in self._held:
                line, replay = self._next()
                self._held[line.id] = _evidence(line, replay)
            matches[match] = self._held.pop(match)
        return matches

    def _next(self) -> tuple[MatchRecord, str]:
        if self._results is None or self._replays is None:
            self._results = self._read(RESULTS, MatchRecord, MOST_MATCHES)
            self._replays = self._lines(REPLAYS, LARGEST_REPLAY)
        line = next(self._results)  # it exists, since the ids were read before
        replay = next(self._replays, None)
        if replay is None:
            raise self._damaged(REPLAYS, f"the replay of match {line.id} is missing")
        if line.id == self._ids[-1] and next(self._replays, None) is not None:
            raise self._damaged(REPLAYS, f"it has more lines than {RESULTS}")
        return line, replay.decode(errors="surrogateescape")

    def ratings(self, tournament: TournamentRecord) -> Iterator[RatingRecord]:
        """Yield the ratings by bot and number."""
        return self._read(RATINGS, RatingRecord, 6 * MOST_MATCHES)

    def standings(self, tournament: TournamentRecord) -> Sequence[StandingRecord]:
        """Return the standings by bot."""
        return self._all(STANDINGS, StandingRecord, MOST_BOTS)

    def voids(self, tournament: TournamentRecord) -> tuple[VoidRecord, ...]:
        """Return the void matches by id."""
        return self._all(VOIDS, VoidRecord, MOST_BOTS)

    def contents(self, digests: Collection[str] | None = None) -> Iterator[ContentRecord]:
        """Yield the contents in the bundle, or only of the bots with these hashes."""
        for bot in self._bots:
            name = f"bots/{bot.digest}.json"
            if name in self._entries and (digests is None or bot.digest in digests):
                submission = None if bot.number is None else SubmissionRecord(bot.number, bot.author, owner=bot.name)
                yield ContentRecord(bot.name, bot.digest, self._single(name, LONGEST_BOT), submission)

    def problems(self) -> Sequence[Disagreement]:
        """Return nothing: a bundle that is inconsistent is not read at all."""
        return ()

    # Reading entries

    def _check_entries(self) -> dict[str, zipfile.ZipInfo]:
        entries: dict[str, zipfile.ZipInfo] = {}
        for entry in self._archive.infolist():
            name = entry.filename
            if name not in PARTS and not _BOT.fullmatch(name):
                raise self._damaged("", f"{name[:60]!r} does not belong in a bundle")
            if name in entries:
                raise self._damaged("", f"it has {name} twice")
            if len(entries) > MOST_BOTS:
                raise self._damaged("", f"it has more than {MOST_BOTS} parts")
            entries[name] = entry
        return entries

    def _check_format(self) -> None:
        """Check that the bundle has this program's format, and is complete."""
        if MANIFEST in self._entries:
            written = self._one(MANIFEST, _AnyManifest).format
            if written != FORMAT:
                raise self._damaged(MANIFEST, f"its format is '{written:.40}'; this program reads '{FORMAT}'")
        for name in PARTS:
            if name not in self._entries:
                raise self._damaged("", f"it has no {name}")

    def _read_ids(self) -> tuple[str, ...]:
        ids = tuple(line.id for line in self._read(RESULTS, MatchRecord, MOST_MATCHES))
        if len(ids) != self.manifest.matches:
            raise self._damaged(RESULTS, f"it has {len(ids)} matches, but the manifest says {self.manifest.matches}")
        if len(set(ids)) != len(ids):
            raise self._damaged(RESULTS, "it has a match twice")
        return ids

    def _lines(self, name: str, longest: int) -> Iterator[bytes]:
        """Yield the lines of an entry, without line ends."""
        file = self._files.enter_context(self._archive.open(self._entries[name]))  # the reader may stop before the end
        number = 0
        while line := file.readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise self._damaged(name, f"line {number} is longer than {longest} bytes")
            yield line.removesuffix(b"\n")

    def _read(self, name: str, kind: type[LineT], most: int) -> Iterator[LineT]:
        read = decoder(kind).decode
        for number, line in enumerate(self._lines(name, LONGEST_LINE), start=1):
            if number > most:
                raise self._damaged(name, f"it has more than {most} lines")
            try:
                yield read(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise self._damaged(name, f"line {number}: {_one_line(error)}") from None

    def _all(self, name: str, kind: type[LineT], most: int) -> tuple[LineT, ...]:
        return tuple(self._read(name, kind, most))

    def _one(self, name: str, kind: type[LineT]) -> LineT:
        records = self._all(name, kind, 1)
        if not records:
            raise self._damaged(name, "it is empty")
        return records[0]

    def _single(self, name: str, longest: int) -> str:
        lines = [line for line, _ in zip(self._lines(name, longest), range(2), strict=False)]
        if len(lines) != 1:
            raise self._damaged(name, "it should be one line")
        return lines[0].decode(errors="surrogateescape")

    def _damaged(self, part: str, what: str) -> DamagedBundleError:
        return DamagedBundleError(f"{self._path} is not a complete bundle: {part + ': ' if part else ''}{what}")


def _evidence(line: MatchRecord, replay: str) -> MatchEvidence:
    seats = tuple(NumberedSeat(**asdict(seat), seat=number) for number, seat in enumerate(line.seats))
    return MatchEvidence(**asdict(line) | {"players": len(seats), "seats": seats, "replay": replay})


def _one_line(error: Exception) -> str:
    return one_line(str(error), 200) or type(error).__name__
