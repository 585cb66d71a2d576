"""Queries about stored matches: filtered lists of matches, counts that show a tournament's progress, faults and logs."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import BindParameter, ColumnElement, Subquery, bindparam, case, exists
from sqlmodel import and_, col, func, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from leaderboard.errors import StoreError
from leaderboard.records import chunks
from leaderboard.storage.store import Store, StoredMatch, StoredTournament
from leaderboard.storage.tables import Bot, EntrantRow, Match, SeatLogRow, SeatRow, Tournament, Version, Void
from leaderboard.storage.tournaments import version_ids

__all__ = ["Void"]

# Queries of pages are built once, because building one takes as long as fetching a few rows.
_TOURNAMENT: Final[BindParameter[int]] = bindparam("tournament")

PAGE: Final = 20
"""The number of matches on a page."""
ANY_FAULT: Final = "any"


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """The conditions that a match must meet; None means no condition.

    ``seat`` (from 0) and ``fault`` apply to ``bot``; without ``bot``, the fault may be in any seat. ``fault`` is a kind of fault or
    ``ANY_FAULT``; ``players`` is the number of seats; ``end`` is how the match ended; ``block`` is the number of its block.
    """

    bot: str | None = None
    opponent: str | None = None
    seat: int | None = None
    fault: str | None = None
    players: int | None = None
    end: str | None = None
    block: int | None = None


@dataclass(frozen=True, slots=True)
class DatedMatch:
    """A stored match and the time at which it was stored."""

    match: StoredMatch
    finished: datetime


@dataclass(frozen=True, slots=True)
class Page:
    """Some matches, newest first. Pass ``after`` to ``find_matches`` to get the next page; it is None if this is the last page."""

    matches: tuple[DatedMatch, ...]
    after: str | None


def find_matches(store: Store, tournament: StoredTournament, wanted: MatchFilter, *, after: str | None = None, limit: int = PAGE) -> Page:
    """Return a page of the matches that pass the filter, newest first, starting after the match with the id ``after``.

    Later pages take no longer than the first.
    """
    with store.session() as session:
        conditions = _conditions(wanted, tournament, version_ids(session.connection(), tournament))
        if after is not None:
            moment = session.exec(select(Match.finished).where(Match.id == after)).one_or_none()
            if moment is None:
                return Page((), None)
            conditions += [col(Match.finished) <= moment, or_(col(Match.finished) < moment, col(Match.id) > after)]
        query = select(Match.id, Match.finished).where(*conditions).order_by(col(Match.finished).desc(), Match.id).limit(limit + 1)
        rows = session.exec(query).all()
    return Page(_listed(store, rows[:limit]), rows[limit - 1][0] if len(rows) > limit else None)


def _conditions(wanted: MatchFilter, tournament: StoredTournament, versions: dict[str, int]) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [col(Match.tournament_id) == tournament.id]
    for key in ("players", "end", "block"):
        if (value := getattr(wanted, key)) is not None:
            conditions.append(col(getattr(Match, key)) == value)
    if wanted.bot is not None:
        conditions.append(_played(versions.get(wanted.bot, -1), wanted.seat))
    if wanted.opponent is not None:
        conditions.append(_played(versions.get(wanted.opponent, -1)))
    if wanted.fault is not None:
        faulty: list[ColumnElement[bool]] = [col(SeatRow.fault).is_not(None), col(SeatRow.bot_version_id).in_(versions.values())]
        if wanted.fault != ANY_FAULT:
            faulty.append(col(SeatRow.fault) == wanted.fault)
        if wanted.bot is not None:
            faulty.append(col(SeatRow.bot_version_id) == versions.get(wanted.bot, -1))
            if wanted.seat is not None:
                faulty.append(col(SeatRow.seat) == wanted.seat)
        conditions.append(col(Match.id).in_(select(SeatRow.match_id).where(*faulty)))
    return conditions


def _played(version: int, number: int | None = None) -> ColumnElement[bool]:
    took_part = exists().where(col(SeatRow.match_id) == Match.id, col(SeatRow.bot_version_id) == version)
    return took_part if number is None else took_part.where(col(SeatRow.seat) == number)


def _listed(store: Store, rows: Sequence[tuple[str, datetime]]) -> tuple[DatedMatch, ...]:
    known = store.matches(match for match, _ in rows)
    return tuple(DatedMatch(known[match], finished) for match, finished in rows if match in known)


def look_up(store: Store, ids: Sequence[str]) -> tuple[DatedMatch, ...]:
    """Return the stored matches with these ids, in the order of the ids."""
    with store.session() as session:
        finished = dict(session.exec(select(Match.id, Match.finished).where(col(Match.id).in_(ids))).all())
    return _listed(store, [(each, finished[each]) for each in ids if each in finished])


def block_of(store: Store, tournament: StoredTournament, match: StoredMatch) -> tuple[StoredMatch, ...]:
    """Return all stored matches of a match's block, sorted by rotation; in solo play, a block has the matches of all bots."""
    with store.session() as session:
        ids = session.exec(_of_block(tournament, match)).all()
    lineup = sorted(seat.bot for seat in match.seats)
    same = [each for each in store.matches(ids).values() if len(match.seats) == 1 or sorted(seat.bot for seat in each.seats) == lineup]
    return tuple(sorted(same, key=lambda each: (each.rotation, each.id)))


def _of_block(tournament: StoredTournament, match: StoredMatch) -> SelectOfScalar[str]:
    """Return a query for a block's match ids. Round and key are needed, because thousands of line-ups may have the same block number."""
    return select(Match.id).where(
        Match.tournament_id == tournament.id,
        Match.round == match.round,
        Match.players == len(match.seats),
        Match.block_key == match.block_key,
        Match.block == match.block,
    )


def endings(store: Store, tournament: StoredTournament) -> tuple[str, ...]:
    """Return the distinct ways in which the tournament's matches ended, sorted."""
    with store.session() as session:
        return tuple(sorted(session.exec(select(Match.end).where(Match.tournament_id == tournament.id).distinct())))


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of a tournament's matches are stored, covered by its standings, and void (could not be played so far)."""

    played: int
    rated: int
    void: int


_PLAYED: Final = select(func.count()).select_from(Match).where(col(Match.tournament_id) == _TOURNAMENT).scalar_subquery()
_VOID: Final = select(func.count()).select_from(Void).where(col(Void.tournament_id) == _TOURNAMENT).scalar_subquery()
_COUNTS: Final = select(_PLAYED, Tournament.rated, _VOID).where(col(Tournament.id) == _TOURNAMENT)


def count(store: Store, tournament: StoredTournament) -> Counts:
    """Return a tournament's current counts. Data derived from its results change only when these counts do."""
    with store.session() as session:
        return Counts(*session.exec(_COUNTS, params={"tournament": tournament.id}).one())


def tournaments_of(store: Store, bot: str) -> tuple[tuple[str, str], ...]:
    """Return the names of a bot's tournaments, oldest first, each with the content hash of the version that plays in it."""
    query = select(Tournament.name, Version.digest).select_from(EntrantRow).join(Tournament)
    query = query.join(Version, col(Version.id) == EntrantRow.bot_version_id).join(Bot).where(Bot.name == bot)
    with store.session() as session:
        return tuple((name, digest) for name, digest in session.exec(query.order_by(col(Tournament.id))))


RECENT_SECONDS = 60.0
"""The period, in seconds, over which ``recent_rate`` is measured."""


@dataclass(frozen=True, slots=True)
class BlockCount:
    """How many matches are stored, how many blocks they belong to, and how many of these blocks are complete."""

    matches: int
    blocks: int
    complete: int


def count_blocks(store: Store, tournament: StoredTournament, seatings: Mapping[int, int]) -> BlockCount:
    """Return the tournament's counts of matches and blocks; ``seatings`` has the number of matches in a block, by number of seats."""
    blocks = _blocks(tournament)
    query = select(func.coalesce(func.sum(blocks.c.matches), 0), func.count(), func.coalesce(func.sum(_whole(blocks, seatings)), 0))
    with store.session() as session:
        return BlockCount(*map(int, session.exec(query.select_from(blocks)).one()))


def count_rounds(store: Store, tournament: StoredTournament, seatings: Mapping[int, int], rounds: range) -> dict[int, BlockCount]:
    """Return the same counts as ``count_blocks`` for each round in ``rounds`` (counted from 0) that has stored matches, in order."""
    blocks = _blocks(tournament, col(Match.round) >= rounds.start, col(Match.round) < rounds.stop)
    query = (
        select(blocks.c.round, func.sum(blocks.c.matches), func.count(), func.sum(_whole(blocks, seatings)))
        .group_by(blocks.c.round)
        .order_by(blocks.c.round)
    )
    with store.session() as session:
        return {number: BlockCount(*map(int, counts)) for number, *counts in session.exec(query)}


def _blocks(tournament: StoredTournament, *conditions: ColumnElement[bool]) -> Subquery:
    """Return a subquery for the blocks of the tournament; it reads only an index."""
    return (
        select(Match.round, Match.players, func.count().label("matches"))
        .where(Match.tournament_id == tournament.id, *conditions)
        .group_by(col(Match.round), col(Match.players), col(Match.block_key))
        .subquery()
    )


def _whole(blocks: Subquery, seatings: Mapping[int, int]) -> ColumnElement[int]:
    is_whole = case(*((blocks.c.players == players, blocks.c.matches >= number) for players, number in seatings.items()), else_=False)
    return case((is_whole, 1), else_=0)


def recent_rate(store: Store, tournament: StoredTournament) -> float:
    """Return how many matches per second were stored in the last minute, measured from the first match of that minute."""
    now = datetime.now(UTC)
    recent = select(func.count(), func.min(Match.finished)).where(Match.tournament_id == tournament.id)
    with store.session() as session:
        number, first = session.exec(recent.where(Match.finished > now - timedelta(seconds=RECENT_SECONDS))).one()
    return 0.0 if first is None else float(number / max((now - first).total_seconds(), 1.0))


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A bot's fault. ``version`` is the bot's content hash; ``index`` is the number of decisions made in the match before the fault."""

    match: str
    seat: int
    bot: str
    version: str
    kind: str
    index: int
    detail: str
    isolation: str
    traceback: str | None = None
    """The traceback of the bot's exception: empty if there was none, None if it was not requested."""


_FAULTS: Final = (
    select(Bot.name, Version.digest, SeatRow, Match.isolation)
    .select_from(EntrantRow)  # an index finds the faults of bots; starting from matches would scan them all
    .join(Version)
    .join(Bot)
    .join(SeatRow, and_(col(SeatRow.bot_version_id) == Version.id, col(SeatRow.fault).is_not(None)))
    .join(Match, and_(col(Match.id) == SeatRow.match_id, col(Match.tournament_id) == EntrantRow.tournament_id))
    .where(col(EntrantRow.tournament_id) == _TOURNAMENT)
    .order_by(col(Match.finished).desc(), col(Match.id).desc(), col(SeatRow.seat).desc())
)


def faults(store: Store, tournament: StoredTournament, bot: str | None = None, *, newest: int | None = None) -> tuple[LedgerEntry, ...]:
    """Return the faults of a tournament, or of one of its bots, newest first: all, or at most ``newest`` faults."""
    query = _FAULTS.limit(newest) if bot is None else _FAULTS.where(Bot.name == bot).limit(newest)
    with store.session() as session:
        return tuple(
            LedgerEntry(seat.match_id, seat.seat, name, digest, seat.fault or "", seat.fault_index or 0, seat.fault_detail or "", isolation)
            for name, digest, seat, isolation in session.exec(query, params={"tournament": tournament.id})
        )


def with_tracebacks(store: Store, entries: Iterable[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """Return the faults with the tracebacks of the bots' exceptions. Raises StoreError if a stored log is damaged."""
    kept: list[LedgerEntry] = []
    for some in chunks(entries):
        logs = _read_logs(store, [(entry.match, entry.seat) for entry in some])
        kept.extend(replace(entry, traceback=logs[entry.match, entry.seat].traceback) for entry in some)
    return tuple(kept)


def voids(store: Store, tournament: StoredTournament) -> tuple[Void, ...]:
    """Return the void matches of a tournament (those that could not be played so far)."""
    with store.session() as session:
        return tuple(session.exec(select(Void).where(Void.tournament_id == tournament.id).order_by(Void.match_id)))


_LARGEST: Final = 1 << 20
"""The most bytes in the log of a seat, uncompressed: the log and the traceback have up to 8 KiB each, plus the last messages."""


@dataclass(frozen=True, slots=True)
class SeatLog:
    """The stored log of a seat: the end of its bot's output and, after a fault, the last messages and the traceback."""

    log: str = ""
    messages: tuple[str, ...] = ()
    traceback: str = ""


def read_log(store: Store, match: str, seat: int) -> SeatLog:
    """Return the stored log of a seat; it may be empty. Raises StoreError if it is damaged."""
    return _read_logs(store, [(match, seat)])[match, seat]


def _read_logs(store: Store, seats: Collection[tuple[str, int]]) -> dict[tuple[str, int], SeatLog]:
    logs = dict.fromkeys(seats, SeatLog())
    with store.session() as session:
        for row in session.exec(select(SeatLogRow).where(col(SeatLogRow.match_id).in_({match for match, _ in seats}))):
            if (row.match_id, row.seat) in logs:
                logs[row.match_id, row.seat] = _unpacked(row.kept, row.match_id, row.seat)
    return logs


def _unpacked(kept: bytes, match: str, seat: int) -> SeatLog:
    try:
        data = json.loads(zlib.decompressobj().decompress(kept, _LARGEST))
        return SeatLog(str(data["log"]), tuple(map(str, data["messages"])), str(data.get("traceback", "")))
    except (zlib.error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise StoreError(f"the log of seat {seat} in match {match} is damaged") from None
