"""The one place that reads and writes results. It owns queries and transactions; it computes no rating and opens no file itself."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from filelock import FileLock
from sqlalchemy import Connection, Engine, Row, Select, String, case, cast, delete, func, insert, select
from sqlalchemy.dialects.sqlite import insert as insert_or

from engine.records import Fault, FaultKind, MatchResult, SeatResult, VoidMatch
from leaderboard.database import StoreError, clear_errors, open_to_read, open_to_write
from leaderboard.logs import write_logs
from leaderboard.models import BOT, ENTRANT, MATCH, RATING, SEAT, TOURNAMENT, VERSION, VOID
from leaderboard.ratings import Rated

CHUNK: Final = 500
"""Ids asked for in one query."""


class DeterminismError(StoreError):
    """A match that is stored already came out differently the second time."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot's version in a tournament; ``digest`` is its content hash, ``origin`` the file or module it came from."""

    name: str
    digest: str
    origin: str


@dataclass(frozen=True, slots=True)
class StoredTournament:
    """A tournament as it was when its run began; ``spec`` is canonical JSON, ``total`` the number of its matches."""

    id: int
    name: str
    game: str
    seed: int
    spec: str
    total: int
    entrants: tuple[Entrant, ...]


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A stored match without its replay; ``digest`` is the hex SHA-256 of the replay's text."""

    id: str
    tournament: str
    block: int
    rotation: int
    seed: int
    seats: tuple[SeatResult, ...]
    end: str
    decisions: int
    seconds: float
    digest: str
    isolation: str


@dataclass(frozen=True, slots=True)
class Tally:
    """What a bot's stored matches add up to. A win shared by k seats counts 1/k; ``seconds`` is thinking time."""

    bot: str
    matches: int
    wins: float
    mean_rank: float
    mean_score: float
    faults: int
    decisions: int
    seconds: float


class Store:
    """An open database, to be used in a ``with`` statement."""

    def __init__(self, path: Path, engine: Engine, lock: FileLock | None = None) -> None:
        self.path = path
        self._engine = engine
        self._lock = lock

    @classmethod
    def create(cls, path: Path) -> Self:
        """Open for a run, making the file if there is none, and keep other runs out. Raises StoreError."""
        return cls(path, *open_to_write(path))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open an existing database to look at it. Raises StoreError."""
        return cls(path, open_to_read(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._engine.dispose()
        if self._lock is not None:
            self._lock.release()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for queries. Raises StoreError."""
        with clear_errors(self.path), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection for one transaction. Raises StoreError."""
        with clear_errors(self.path), self._engine.begin() as connection:
            yield connection

    # Tournaments

    def tournament(self, name: str | None = None) -> StoredTournament | None:
        """The tournament of that name, or without a name the newest; None if there is none."""
        query = select(TOURNAMENT).order_by(TOURNAMENT.c.id.desc()).limit(1)
        if name is not None:
            query = query.where(TOURNAMENT.c.name == name)
        with clear_errors(self.path), self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
            if row is None:
                return None
            entrants = tuple(Entrant(each.name, each.digest, each.origin) for each in connection.execute(_entrants(row.id)))
        return StoredTournament(row.id, row.name, row.game, row.seed, row.spec, row.total, entrants)

    def tournament_names(self) -> tuple[str, ...]:
        """The names of all tournaments, oldest first."""
        with clear_errors(self.path), self._engine.connect() as connection:
            return tuple(connection.execute(select(TOURNAMENT.c.name).order_by(TOURNAMENT.c.id)).scalars())

    def add_tournament(self, name: str, game: str, seed: int, spec: str, total: int, entrants: Sequence[Entrant]) -> StoredTournament:
        """Store a tournament and its bots' versions before its first match."""
        with clear_errors(self.path), self._engine.begin() as connection:
            values = {"name": name, "game": game, "seed": seed, "spec": spec, "total": total, "created": datetime.now(UTC)}
            tournament = _new_id(connection.execute(insert(TOURNAMENT).values(values)).inserted_primary_key)
            for entrant in entrants:
                version = version_id(connection, entrant)
                connection.execute(insert(ENTRANT).values(tournament_id=tournament, bot_version_id=version))
        stored = self.tournament(name)
        assert stored is not None
        return stored

    def bots(self) -> tuple[Entrant, ...]:
        """Every version of every bot that took part in anything, by name, oldest version first."""
        query = (
            select(BOT.c.name, VERSION.c.digest, VERSION.c.origin)
            .join(VERSION, VERSION.c.bot_id == BOT.c.id)
            .order_by(BOT.c.name, VERSION.c.id)
        )
        with clear_errors(self.path), self._engine.connect() as connection:
            return tuple(Entrant(row.name, row.digest, row.origin) for row in connection.execute(query))

    # Matches

    def add_results(self, tournament: StoredTournament, results: Sequence[MatchResult]) -> int:
        """Store results in one transaction; gives how many were new.

        Raises DeterminismError when a match is there already and has come out differently; nothing is stored then.
        """
        if not results:
            return 0
        known = self.digests(result.ticket.id for result in results)
        fresh: dict[str, MatchResult] = {}
        for result in results:
            digest = replay_digest(result.replay)
            if known.setdefault(result.ticket.id, digest) != digest:
                raise DeterminismError(
                    f"match {result.ticket.id} ({', '.join(result.ticket.seats)}) was played twice and came out differently: "
                    "one of these bots does not play the same way when it is given the same seed"
                )
            fresh.setdefault(result.ticket.id, result)
        now = datetime.now(UTC)
        with clear_errors(self.path), self._engine.begin() as connection:
            versions = _version_ids(connection, tournament)
            matches = [_match_values(tournament.id, result, now) for result in fresh.values()]
            seats = [values for result in fresh.values() for values in _seat_values(result, versions)]
            new = connection.execute(insert_or(MATCH).on_conflict_do_nothing(), matches).rowcount
            connection.execute(insert_or(SEAT).on_conflict_do_nothing(), seats)
            write_logs(connection, fresh.values())
            connection.execute(delete(VOID).where(VOID.c.match_id.in_(fresh)))
        return new

    def add_void(self, tournament: StoredTournament, void: VoidMatch) -> None:
        """Note that the machine could not play a match; what was noted before is replaced."""
        values = {
            "match_id": void.ticket.id,
            "tournament_id": tournament.id,
            "seats": ", ".join(void.ticket.seats),
            "reason": void.reason,
            "happened": datetime.now(UTC),
        }
        upsert = insert_or(VOID).values(values)
        with self.writing() as connection:
            connection.execute(upsert.on_conflict_do_update(index_elements=["match_id"], set_=values))

    def digests(self, ids: Iterable[str]) -> dict[str, str]:
        """The replay digest of each of these matches that is stored."""
        found: dict[str, str] = {}
        with clear_errors(self.path), self._engine.connect() as connection:
            for chunk in _chunks(ids):
                rows = connection.execute(select(MATCH.c.id, MATCH.c.digest).where(MATCH.c.id.in_(chunk)))
                found.update({row.id: row.digest for row in rows})
        return found

    def matches(self, ids: Iterable[str]) -> dict[str, StoredMatch]:
        """Each of these matches that is stored, by id."""
        found: dict[str, StoredMatch] = {}
        with clear_errors(self.path), self._engine.connect() as connection:
            for chunk in _chunks(ids):
                found.update({match.id: match for match in _read_matches(connection.execute(_matches(chunk)))})
        return found

    def recent_matches(self, tournament: StoredTournament, *, bot: str | None = None, limit: int = 20) -> tuple[StoredMatch, ...]:
        """The matches of a tournament that finished last, newest first; only those of one bot if it is named."""
        newest = select(MATCH.c.id).where(MATCH.c.tournament_id == tournament.id).order_by(MATCH.c.finished.desc(), MATCH.c.id).limit(limit)
        if bot is not None:
            newest = newest.join(SEAT, SEAT.c.match_id == MATCH.c.id).join(VERSION, VERSION.c.id == SEAT.c.bot_version_id)
            newest = newest.join(BOT, BOT.c.id == VERSION.c.bot_id).where(BOT.c.name == bot)
        with clear_errors(self.path), self._engine.connect() as connection:
            ids = list(connection.execute(newest).scalars())
        found = self.matches(ids)
        return tuple(found[match] for match in ids)

    def find_match(self, beginning: str) -> StoredMatch:
        """The one match whose id begins so. Raises StoreError when there is none, or several."""
        query = select(MATCH.c.id).where(MATCH.c.id.startswith(beginning, autoescape=True)).limit(2)
        with clear_errors(self.path), self._engine.connect() as connection:
            ids = list(connection.execute(query).scalars())
        if len(ids) != 1:
            what = "more than one match begins" if ids else "no match begins"
            raise StoreError(f"{what} with '{beginning}' in {self.path}; 'arena matches --db {self.path}' lists them")
        return self.matches(ids)[ids[0]]

    def replay(self, match: str) -> str:
        """The replay of a stored match, as JSON text."""
        with clear_errors(self.path), self._engine.connect() as connection:
            packed: bytes = connection.execute(select(MATCH.c.replay).where(MATCH.c.id == match)).scalar_one()
        try:
            return zlib.decompress(packed).decode()
        except (zlib.error, UnicodeDecodeError) as error:
            raise StoreError(f"the replay of match {match} in {self.path} is damaged: {error}") from None

    def count_matches(self, tournament: StoredTournament) -> int:
        """How many matches of the tournament are stored."""
        query = select(func.count()).select_from(MATCH).where(MATCH.c.tournament_id == tournament.id)
        with clear_errors(self.path), self._engine.connect() as connection:
            return connection.execute(query).scalar_one()

    def tallies(self, tournament: StoredTournament) -> tuple[Tally, ...]:
        """What each bot's stored matches add up to, by name; bots without a match are left out.

        Solo matches of a block count as one event, in which the bots are placed by their scores, forfeits last.
        """
        placed = _placed(tournament.id).subquery()
        winners = select(placed.c.event, func.count().label("number")).where(placed.c.place == 1).group_by(placed.c.event).subquery()
        query = (
            select(
                BOT.c.name,
                func.count().label("matches"),
                func.sum(case((placed.c.place == 1, 1.0 / winners.c.number), else_=0.0)).label("wins"),
                func.avg(placed.c.place).label("mean_rank"),
                func.avg(placed.c.score).label("mean_score"),
                func.count(placed.c.fault).label("faults"),
                func.sum(placed.c.decisions).label("decisions"),
                func.sum(placed.c.seconds).label("seconds"),
            )
            .join_from(placed, winners, winners.c.event == placed.c.event)
            .join(VERSION, VERSION.c.id == placed.c.bot_version_id)
            .join(BOT, BOT.c.id == VERSION.c.bot_id)
            .group_by(BOT.c.name)
            .order_by(BOT.c.name)
        )
        with clear_errors(self.path), self._engine.connect() as connection:
            return tuple(Tally(*row) for row in connection.execute(query))

    # Ratings

    def add_ratings(self, tournament: StoredTournament, ratings: Sequence[Rated]) -> None:
        """Store ratings after matches; those that are there already are replaced, since they follow from the results alone."""
        if not ratings:
            return
        upsert = insert_or(RATING)
        upsert = upsert.on_conflict_do_update(
            index_elements=["tournament_id", "bot_version_id", "number"],
            set_={key: upsert.excluded[key] for key in ("match_id", "mu", "sigma")},
        )
        with clear_errors(self.path), self._engine.begin() as connection:
            versions = _version_ids(connection, tournament)
            rows = [
                {
                    "tournament_id": tournament.id,
                    "bot_version_id": versions[rated.bot],
                    "number": rated.number,
                    "match_id": rated.match,
                    "mu": rated.mu,
                    "sigma": rated.sigma,
                }
                for rated in ratings
            ]
            connection.execute(upsert, rows)

    def latest_ratings(self, tournament: StoredTournament) -> tuple[Rated, ...]:
        """The newest stored rating of each bot that has one, by name."""
        newest = (
            select(RATING.c.bot_version_id, func.max(RATING.c.number).label("number"))
            .where(RATING.c.tournament_id == tournament.id)
            .group_by(RATING.c.bot_version_id)
            .subquery()
        )
        query = (
            select(BOT.c.name, RATING.c.number, RATING.c.match_id, RATING.c.mu, RATING.c.sigma)
            .join(newest, (newest.c.bot_version_id == RATING.c.bot_version_id) & (newest.c.number == RATING.c.number))
            .join(VERSION, VERSION.c.id == RATING.c.bot_version_id)
            .join(BOT, BOT.c.id == VERSION.c.bot_id)
            .where(RATING.c.tournament_id == tournament.id)
            .order_by(BOT.c.name)
        )
        with clear_errors(self.path), self._engine.connect() as connection:
            return tuple(Rated(*row) for row in connection.execute(query))


def replay_digest(replay: str) -> str:
    """The hex SHA-256 of a replay's JSON text."""
    return hashlib.sha256(replay.encode()).hexdigest()


def _chunks(ids: Iterable[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    for each in ids:
        chunk.append(each)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _new_id(key: Row[Any] | None) -> int:
    assert key is not None
    return int(key[0])


def version_id(connection: Connection, entrant: Entrant) -> int:
    """The id of a bot's version; the bot and the version are made if they are new."""
    bot = connection.execute(select(BOT.c.id).where(BOT.c.name == entrant.name)).scalar_one_or_none()
    if bot is None:
        bot = _new_id(connection.execute(insert(BOT).values(name=entrant.name)).inserted_primary_key)
    query = select(VERSION.c.id).where(VERSION.c.bot_id == bot, VERSION.c.digest == entrant.digest)
    version: int | None = connection.execute(query).scalar_one_or_none()
    if version is None:
        values = {"bot_id": bot, "digest": entrant.digest, "origin": entrant.origin, "created": datetime.now(UTC)}
        version = _new_id(connection.execute(insert(VERSION).values(values)).inserted_primary_key)
    return version


def _entrants(tournament: int) -> Select[Any]:
    return (
        select(BOT.c.name, VERSION.c.id, VERSION.c.digest, VERSION.c.origin)
        .join(VERSION, VERSION.c.bot_id == BOT.c.id)
        .join(ENTRANT, ENTRANT.c.bot_version_id == VERSION.c.id)
        .where(ENTRANT.c.tournament_id == tournament)
        .order_by(BOT.c.name)
    )


def _version_ids(connection: Connection, tournament: StoredTournament) -> dict[str, int]:
    return {row.name: row.id for row in connection.execute(_entrants(tournament.id))}


def _match_values(tournament: int, result: MatchResult, finished: datetime) -> dict[str, object]:
    return {
        "id": result.ticket.id,
        "tournament_id": tournament,
        "players": len(result.seats),
        "block": result.ticket.block,
        "rotation": result.ticket.rotation,
        "seed": result.ticket.seed,
        "end": result.end,
        "decisions": result.decisions,
        "seconds": result.seconds,
        "digest": replay_digest(result.replay),
        "replay": zlib.compress(result.replay.encode(), 6),
        "isolation": result.isolation,
        "finished": finished,
    }


def _seat_values(result: MatchResult, versions: dict[str, int]) -> Iterator[dict[str, object]]:
    for number, seat in enumerate(result.seats):
        yield {
            "match_id": result.ticket.id,
            "seat": number,
            "bot_version_id": versions[seat.bot],
            "score": seat.score,
            "rank": seat.rank,
            "fault": seat.fault.kind.value if seat.fault else None,
            "fault_index": seat.fault.index if seat.fault else None,
            "fault_detail": seat.fault.detail if seat.fault else None,
            "decisions": seat.decisions,
            "seconds": seat.seconds,
            "cpu_seconds": seat.cpu_seconds,
            "peak_memory": seat.peak_memory,
        }


def _placed(tournament: int) -> Select[Any]:
    """Every seat of a tournament with its event and its place there: the match, or for solo matches the block."""
    columns = [SEAT.c[key] for key in ("bot_version_id", "score", "fault", "decisions", "seconds")]
    seats = select(*columns).join(MATCH, MATCH.c.id == SEAT.c.match_id).where(MATCH.c.tournament_id == tournament)
    table = seats.add_columns(SEAT.c.match_id.label("event"), SEAT.c.rank.label("place")).where(MATCH.c.players > 1)
    order = (SEAT.c.fault.is_not(None), SEAT.c.score.desc())
    place = func.rank().over(partition_by=MATCH.c.block, order_by=order)
    solo = seats.add_columns(cast(MATCH.c.block, String).label("event"), place.label("place")).where(MATCH.c.players == 1)
    return select(table.union_all(solo).subquery())


_SEAT_KEYS: Final = ("score", "rank", "fault", "fault_index", "fault_detail", "decisions", "seconds", "cpu_seconds", "peak_memory")


def _matches(ids: list[str]) -> Select[Any]:
    match_columns = [MATCH.c[key] for key in ("id", "block", "rotation", "seed", "end", "digest", "isolation")]
    seat_columns = [SEAT.c[key] for key in _SEAT_KEYS]
    return (
        select(
            *match_columns,
            *seat_columns,
            MATCH.c.decisions.label("match_decisions"),
            MATCH.c.seconds.label("match_seconds"),
            TOURNAMENT.c.name.label("tournament"),
            BOT.c.name.label("bot"),
        )
        .join(SEAT, SEAT.c.match_id == MATCH.c.id)
        .join(VERSION, VERSION.c.id == SEAT.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .join(TOURNAMENT, TOURNAMENT.c.id == MATCH.c.tournament_id)
        .where(MATCH.c.id.in_(ids))
        .order_by(MATCH.c.id, SEAT.c.seat)
    )


def _read_matches(rows: Iterable[Row[Any]]) -> Iterator[StoredMatch]:
    seats: list[SeatResult] = []
    last: Row[Any] | None = None
    for row in rows:
        if last is not None and last.id != row.id:
            yield _stored_match(last, seats)
            seats = []
        fault = Fault(FaultKind(row.fault), row.fault_index, row.fault_detail) if row.fault is not None else None
        seats.append(SeatResult(row.bot, row.score, row.rank, fault, row.decisions, row.seconds, row.cpu_seconds, row.peak_memory))
        last = row
    if last is not None:
        yield _stored_match(last, seats)


def _stored_match(row: Row[Any], seats: list[SeatResult]) -> StoredMatch:
    return StoredMatch(
        id=row.id,
        tournament=row.tournament,
        block=row.block,
        rotation=row.rotation,
        seed=row.seed,
        seats=tuple(seats),
        end=row.end,
        decisions=row.match_decisions,
        seconds=row.match_seconds,
        digest=row.digest,
        isolation=row.isolation,
    )
