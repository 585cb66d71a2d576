"""The bundle of a tournament: its format (docs/bundle-format.md), and reading one that a stranger may have made.

``arena/verification/export.py`` writes them. Nothing is ever unpacked to a file; every entry is read as a stream, line by line, with caps.
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

from arena.verification.bundle_lines import BotLine, Manifest, MatchLine, RatingLine, Record, SealLine, StandingLine, VoidLine
from arena.verification.match_check import Disagreement
from engine.replay.recorder import LARGEST_REPLAY
from engine.text import one_line
from leaderboard.seals.links import LinkError, read_body
from leaderboard.storage.database import StoreError
from leaderboard.storage.raw_rows import (
    RawEntrant,
    RawLink,
    RawMatch,
    RawRating,
    RawSeat,
    RawStanding,
    RawSubmission,
    RawTournament,
    RawVoid,
    Submitted,
)

FORMAT: Final = "arena-bundle/2"
OLD_FORMAT: Final = "arena-bundle/1"
"""Of tournaments without a chain of seals; it is only read."""
MANIFEST: Final = "manifest.json"
SPEC: Final = "spec.json"
BOTS: Final = "bots.jsonl"
RESULTS: Final = "results.jsonl"
REPLAYS: Final = "replays.jsonl"
RATINGS: Final = "ratings.jsonl"
STANDINGS: Final = "standings.jsonl"
VOIDS: Final = "voids.jsonl"
SEALS: Final = "seals.jsonl"
PARTS: Final = (MANIFEST, SPEC, BOTS, RESULTS, REPLAYS, RATINGS, STANDINGS, VOIDS, SEALS)
MOST_MATCHES: Final = 10_000_000
MOST_BOTS: Final = 10_000
MOST_SEALS: Final = 1_000_000
LONGEST_LINE: Final = 1 << 20
"""Bytes of a line of anything but replays, which are capped by ``LARGEST_REPLAY``, and of bots, by ``LONGEST_BOT``."""
LONGEST_BOT: Final = 128 << 20
_BOT: Final = re.compile(r"bots/([0-9a-f]{64})\.json")
_READ: Final = 1 << 16
_LONGEST_LIST: Final = 4 << 20
"""Bytes of the list of a bundle's parts; each takes about a hundred."""


class DamagedBundleError(StoreError):
    """A file that is no bundle, or not a whole one; the text says where."""


LineT = TypeVar("LineT", bound=Record)


def is_bundle(path: Path) -> bool:
    """Whether the file is to be read as a bundle: it is named like an archive, or begins like one."""
    if path.suffix == ".zip":
        return True
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except (OSError, ValueError):
        return False  # whoever reads it as a database will say what is wrong


@contextmanager
def open_bundle(path: Path) -> Iterator[BundleSource]:
    """The bundle in a file. Raises DamagedBundleError, also later, while it is read."""
    try:
        if path.exists() and not path.is_file():
            raise DamagedBundleError(f"{path} is no file, so it is no bundle")
        with path.open("rb", buffering=0) as raw, _Sips(raw) as file, zipfile.ZipFile(file) as archive, ExitStack() as files:
            yield BundleSource(path, archive, files)
    except FileNotFoundError:
        raise DamagedBundleError(f"there is no file {path}") from None
    except OSError as error:
        raise DamagedBundleError(f"the bundle {path} can't be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OverflowError, UnicodeDecodeError) as error:
        raise DamagedBundleError(f"{path} is no whole bundle: {_one_line(error)}") from None


class _Sips(io.BufferedReader):
    """A file that is never read whole, whatever sizes are written in it: a zip's list of contents is read in one go."""

    def read(self, size: int | None = -1, /) -> bytes:
        """So many bytes. Raises BadZipFile for more than any bundle needs."""
        found = super().read(_LONGEST_LIST + 1 if size is None or size < 0 else min(size, _LONGEST_LIST + 1))
        if len(found) > _LONGEST_LIST:
            raise zipfile.BadZipFile("its list of contents is too long")
        return found


class BundleSource:
    """An open bundle, as a source of one tournament for a verification."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, files: ExitStack) -> None:
        self._path = path
        self._archive = archive
        self._files = files
        self._entries = self._check_entries()
        self.manifest: Final = self._one(MANIFEST, Manifest)
        if self.manifest.format not in {FORMAT, OLD_FORMAT}:
            raise self._damaged(MANIFEST, f"its format is '{self.manifest.format:.40}'; this program reads '{FORMAT}' and '{OLD_FORMAT}'")
        if (SEALS in self._entries) != (self.manifest.format == FORMAT):
            raise self._damaged("", f"it has no {SEALS}" if self.manifest.format == FORMAT else f"'{SEALS}' is no part of '{OLD_FORMAT}'")
        if not 0 <= self.manifest.matches <= MOST_MATCHES:
            raise self._damaged(MANIFEST, f"it has {self.manifest.matches} matches; a bundle has at most {MOST_MATCHES}")
        self._bots = self._all(BOTS, BotLine, MOST_BOTS)
        self._ids = self._read_ids()
        lines = self._all(SEALS, SealLine, MOST_SEALS) if SEALS in self._entries else ()
        self._links: Final = tuple(RawLink(number, each.digest, each.body, each.signature) for number, each in enumerate(lines, start=1))
        self._results: Iterator[MatchLine] | None = None
        self._replays: Iterator[bytes] | None = None
        self._held: dict[str, RawMatch] = {}

    @property
    def where(self) -> str:
        """The file."""
        return str(self._path)

    def tournaments(self) -> tuple[RawTournament, ...]:
        """The one that it is of."""
        manifest = self.manifest
        spec = self._single(SPEC, LONGEST_LINE)
        columns = (0, manifest.tournament, manifest.game, manifest.seed, spec, manifest.total or 0, manifest.rated)
        secret = (manifest.commitment, manifest.secret, manifest.public_value)
        return (RawTournament(*columns, tuple(map(_entrant, self._bots)), manifest.created, self._links, *secret),)

    @property
    def is_final(self) -> bool:
        """Whether it claims to be of a tournament whose last run played every match."""
        if self.manifest.format == OLD_FORMAT:
            return self.manifest.matches == self.manifest.total and "results" in self.manifest.digests
        try:
            return bool(self._links) and read_body(self._links[-1].body).is_final
        except LinkError:
            return True  # a verification says what is wrong with it

    def match_ids(self, tournament: RawTournament) -> Collection[str]:
        """In the order of the bundle."""
        return self._ids

    def matches(self, tournament: RawTournament, ids: Sequence[str]) -> Mapping[str, RawMatch]:
        """These matches; lines of others on the way to them are kept until they are asked for."""
        found = {}
        for match in ids:
            while match not in self._held:
                line, replay = self._next()
                self._held[line.id] = _evidence(line, replay)
            found[match] = self._held.pop(match)
        return found

    def _next(self) -> tuple[MatchLine, str]:
        if self._results is None or self._replays is None:
            self._results = self._read(RESULTS, MatchLine, MOST_MATCHES)
            self._replays = self._lines(REPLAYS, LARGEST_REPLAY)
        line = next(self._results)  # there is one: its id is among those read before
        replay = next(self._replays, None)
        if replay is None:
            raise self._damaged(REPLAYS, f"the replay of match {line.id} is missing")
        return line, replay.decode(errors="surrogateescape")

    def ratings(self, tournament: RawTournament) -> Iterator[RawRating]:
        """By bot and number."""
        for line in self._read(RATINGS, RatingLine, 6 * MOST_MATCHES):
            yield RawRating(line.bot, line.version, line.number, line.match, line.mu, line.sigma)

    def standings(self, tournament: RawTournament) -> Sequence[RawStanding]:
        """By bot."""
        lines = self._all(STANDINGS, StandingLine, MOST_BOTS)
        return tuple(RawStanding(*msgspec.structs.astuple(line)) for line in lines)

    def voids(self, tournament: RawTournament) -> tuple[RawVoid, ...]:
        """By id."""
        return tuple(RawVoid(line.match, line.seats, line.link, line.unpublished) for line in self._all(VOIDS, VoidLine, MOST_BOTS))

    def seals(self, tournament: RawTournament) -> Mapping[str, str]:
        """As the manifest has them."""
        return self.manifest.digests

    def submissions(self) -> Iterator[RawSubmission]:
        """Those whose content is in the bundle."""
        for bot in self._bots:
            name = f"bots/{bot.version}.json"
            if name in self._entries:
                content = self._single(name, LONGEST_BOT)
                yield RawSubmission(bot.name, bot.name, bot.version, bot.number, bot.author, content)

    def problems(self) -> Sequence[Disagreement]:
        """None: a bundle that does not hold together is not read at all."""
        return ()

    # Reading entries

    def _check_entries(self) -> dict[str, zipfile.ZipInfo]:
        found: dict[str, zipfile.ZipInfo] = {}
        for entry in self._archive.infolist():
            name = entry.filename
            if name not in PARTS and not _BOT.fullmatch(name):
                raise self._damaged("", f"{name[:60]!r} is no part of a bundle")
            if name in found:
                raise self._damaged("", f"{name} is there twice")
            if len(found) > MOST_BOTS:
                raise self._damaged("", f"it has more than {MOST_BOTS} parts")
            found[name] = entry
        for name in PARTS:
            if name not in found and name != SEALS:  # which its format decides
                raise self._damaged("", f"it has no {name}")
        return found

    def _read_ids(self) -> tuple[str, ...]:
        ids = tuple(line.id for line in self._read(RESULTS, MatchLine, MOST_MATCHES))
        if len(ids) != self.manifest.matches:
            raise self._damaged(RESULTS, f"it has {len(ids)} matches, but the manifest speaks of {self.manifest.matches}")
        if len(set(ids)) != len(ids):
            raise self._damaged(RESULTS, "a match is there twice")
        return ids

    def _lines(self, name: str, longest: int) -> Iterator[bytes]:
        """The lines of an entry, without their ends."""
        file = self._files.enter_context(self._archive.open(self._entries[name]))  # who reads on may never come to its end
        number = 0
        while line := file.readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise self._damaged(name, f"line {number} has more than {longest} bytes")
            yield line.removesuffix(b"\n")

    def _read(self, name: str, kind: type[LineT], most: int) -> Iterator[LineT]:
        decoder = msgspec.json.Decoder(kind)
        for number, line in enumerate(self._lines(name, LONGEST_LINE), start=1):
            if number > most:
                raise self._damaged(name, f"it has more than {most} lines")
            try:
                yield decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise self._damaged(name, f"line {number}: {_one_line(error)}") from None

    def _all(self, name: str, kind: type[LineT], most: int) -> tuple[LineT, ...]:
        return tuple(self._read(name, kind, most))

    def _one(self, name: str, kind: type[LineT]) -> LineT:
        found = self._all(name, kind, 1)
        if not found:
            raise self._damaged(name, "it is empty")
        return found[0]

    def _single(self, name: str, longest: int) -> str:
        lines = [line for line, _ in zip(self._lines(name, longest), range(2), strict=False)]
        if len(lines) != 1:
            raise self._damaged(name, "it should be one line")
        return lines[0].decode(errors="surrogateescape")

    def _damaged(self, part: str, what: str) -> DamagedBundleError:
        return DamagedBundleError(f"{self._path} is no whole bundle: {part + ': ' if part else ''}{what}")


def _evidence(line: MatchLine, replay: str) -> RawMatch:
    seats = tuple(
        RawSeat(number, seat.bot, seat.version, seat.score, seat.rank, seat.fault, seat.fault_index, seat.decisions)
        for number, seat in enumerate(line.seats)
    )
    return RawMatch(
        id=line.id,
        players=len(line.seats),
        round=line.round,
        block=line.block,
        rotation=line.rotation,
        seed=line.seed,
        block_key=line.seed if line.block_key is None else line.block_key,
        end=line.end,
        decisions=line.decisions,
        digest=line.digest,
        isolation=line.isolation,
        replay=replay,
        seats=seats,
        link=line.link,
        unpublished=line.unpublished,
    )


def _entrant(bot: BotLine) -> RawEntrant:
    submission = None if bot.submitted is None else Submitted(bot.number, bot.author, bot.submitted)
    return RawEntrant(bot.name, bot.version, bot.joined, bot.unpublished, submission)


def _one_line(error: Exception) -> str:
    return one_line(str(error), 200) or type(error).__name__
