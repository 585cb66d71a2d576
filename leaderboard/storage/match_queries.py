"""Queries about stored matches: filtered pages of them, newest first, and counts for the progress of a tournament."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Subquery, and_, case, exists, func, or_, select

from leaderboard.storage.runs import in_utc
from leaderboard.storage.store import Store, StoredMatch, StoredTournament
from leaderboard.storage.tables import BOT, ENTRANT, MATCH, RATING, SEAT, TOURNAMENT, VERSION, VOID
from leaderboard.storage.tournaments import version_ids

PAGE: Final = 50
"""The number of matches on a page."""
ANY_FAULT: Final = "any"


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """The conditions that a match must meet; None means no condition.

    ``seat`` (from 0) and ``fault`` apply to ``bot``; without a bot, ``fault`` may be that of any seat. ``fault`` is a kind of fault or
    ``ANY_FAULT``, ``players`` the size of the table, ``end`` the ending, ``block`` the number of the block.
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
    """A stored match with the moment at which it was stored."""

    match: StoredMatch
    finished: datetime


@dataclass(frozen=True, slots=True)
class Page:
    """Some matches, newest first. ``after`` is the id to pass on for the next page, None at the end."""

    matches: tuple[DatedMatch, ...]
    after: str | None


@dataclass(frozen=True, slots=True)
class RatingChange:
    """A bot's rating after a match, and the last stored one ``before`` it, ``matches`` earlier; None and 1 if there is none.

    The ratings after each of a bot's first matches are stored, later those after every second, fourth ... match.
    """

    before: tuple[float, float] | None
    mu: float
    sigma: float
    matches: int


def find_matches(store: Store, tournament: StoredTournament, wanted: MatchFilter, *, after: str | None = None, limit: int = PAGE) -> Page:
    """Return a page of the matches that pass the filter, newest first, beginning after the match with the id ``after``.

    Every page costs the same, however far from the first.
    """
    with store.reading() as connection:
        conditions = _conditions(wanted, tournament, version_ids(connection, tournament))
        if after is not None:
            moment = connection.execute(select(MATCH.c.finished).where(MATCH.c.id == after)).scalar_one_or_none()
            if moment is None:
                return Page((), None)
            conditions += [MATCH.c.finished <= moment, or_(MATCH.c.finished < moment, MATCH.c.id > after)]
        query = select(MATCH.c.id, MATCH.c.finished).where(*conditions).order_by(MATCH.c.finished.desc(), MATCH.c.id).limit(limit + 1)
        rows = connection.execute(query).all()
    return Page(_listed(store, rows[:limit]), rows[limit - 1].id if len(rows) > limit else None)


def _conditions(wanted: MatchFilter, tournament: StoredTournament, versions: dict[str, int]) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [MATCH.c.tournament_id == tournament.id]
    for key in ("players", "end", "block"):
        if (value := getattr(wanted, key)) is not None:
            conditions.append(MATCH.c[key] == value)
    if wanted.bot is not None:
        mine = SEAT.alias("mine")
        seat: list[ColumnElement[bool]] = [mine.c.match_id == MATCH.c.id, mine.c.bot_version_id == versions.get(wanted.bot, -1)]
        if wanted.seat is not None:
            seat.append(mine.c.seat == wanted.seat)
        conditions.append(exists().where(and_(*seat)))
    if wanted.opponent is not None:
        other = SEAT.alias("other")
        conditions.append(exists().where(other.c.match_id == MATCH.c.id, other.c.bot_version_id == versions.get(wanted.opponent, -1)))
    if wanted.fault is not None:
        faulty: list[ColumnElement[bool]] = [SEAT.c.fault.is_not(None), SEAT.c.bot_version_id.in_(versions.values())]
        if wanted.fault != ANY_FAULT:
            faulty.append(SEAT.c.fault == wanted.fault)
        if wanted.bot is not None:
            faulty.append(SEAT.c.bot_version_id == versions.get(wanted.bot, -1))
            if wanted.seat is not None:
                faulty.append(SEAT.c.seat == wanted.seat)
        conditions.append(MATCH.c.id.in_(select(SEAT.c.match_id).where(*faulty)))
    return conditions


def _listed(store: Store, rows: Sequence[Any]) -> tuple[DatedMatch, ...]:
    known = store.matches(row.id for row in rows)
    return tuple(DatedMatch(known[row.id], in_utc(row.finished)) for row in rows if row.id in known)


def look_up(store: Store, ids: Sequence[str]) -> tuple[DatedMatch, ...]:
    """Return those of the matches with these ids that are stored, in the order of the ids."""
    with store.reading() as connection:
        rows = {row.id: row for row in connection.execute(select(MATCH.c.id, MATCH.c.finished).where(MATCH.c.id.in_(ids)))}
    return _listed(store, [rows[each] for each in ids if each in rows])


def block_of(store: Store, tournament: StoredTournament, match: StoredMatch) -> tuple[StoredMatch, ...]:
    """Return all stored matches of a match's block, by rotation: those of the same line-up, or in solo play of all bots."""
    with store.reading() as connection:
        ids = list(connection.execute(_of_block(tournament, match)).scalars())
    lineup = sorted(seat.bot for seat in match.seats)
    same = [each for each in store.matches(ids).values() if len(match.seats) == 1 or sorted(seat.bot for seat in each.seats) == lineup]
    return tuple(sorted(same, key=lambda each: (each.rotation, each.id)))


def _of_block(tournament: StoredTournament, match: StoredMatch) -> Select[str]:
    """Return the query for the ids of a block, by round and key as well, since thousands of line-ups may have the same block number."""
    return select(MATCH.c.id).where(
        MATCH.c.tournament_id == tournament.id,
        MATCH.c.round == match.round,
        MATCH.c.players == len(match.seats),
        MATCH.c.block_key == match.block_key,
        MATCH.c.block == match.block,
    )


def rating_changes(store: Store, tournament: StoredTournament, match: str) -> dict[str, RatingChange]:
    """Return how the ratings changed up to a match, for each bot whose rating after the match is stored."""
    earlier, other = RATING.alias("earlier"), RATING.alias("other")
    is_same = [other.c[key] == RATING.c[key] for key in ("tournament_id", "bot_version_id")]
    last = select(func.max(other.c.number)).where(*is_same, other.c.number < RATING.c.number).correlate(RATING).scalar_subquery()
    is_before = and_(*(earlier.c[key] == RATING.c[key] for key in ("tournament_id", "bot_version_id")), earlier.c.number == last)
    matches = func.coalesce(RATING.c.number - earlier.c.number, 1).label("matches")
    query = (
        select(BOT.c.name, RATING.c.mu, RATING.c.sigma, earlier.c.mu.label("old_mu"), earlier.c.sigma.label("old_sigma"), matches)
        .select_from(SEAT)
        .join(RATING, and_(RATING.c.tournament_id == tournament.id, RATING.c.bot_version_id == SEAT.c.bot_version_id))
        .join(VERSION, VERSION.c.id == RATING.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .outerjoin(earlier, is_before)
        .where(SEAT.c.match_id == match, RATING.c.match_id == match)
    )
    with store.reading() as connection:
        rows = connection.execute(query).all()
    before = {row.name: None if row.old_mu is None else (row.old_mu, row.old_sigma) for row in rows}
    return {row.name: RatingChange(before[row.name], row.mu, row.sigma, row.matches) for row in rows}


def endings(store: Store, tournament: StoredTournament) -> tuple[str, ...]:
    """Return the different endings of the tournament's matches, sorted."""
    query = select(MATCH.c.end).where(MATCH.c.tournament_id == tournament.id).distinct()
    with store.reading() as connection:
        return tuple(sorted(connection.execute(query).scalars()))


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of a tournament's matches that are stored, covered by its standings, and so far could not be played."""

    played: int
    rated: int
    void: int


def count(store: Store, tournament: StoredTournament) -> Counts:
    """Return the counts now. They differ from earlier counts whenever data derived from results has changed."""
    with store.reading() as connection:
        played, void = (
            int(connection.execute(select(func.count()).select_from(table).where(table.c.tournament_id == tournament.id)).scalar_one())
            for table in (MATCH, VOID)
        )
        rated: int = connection.execute(select(TOURNAMENT.c.rated).where(TOURNAMENT.c.id == tournament.id)).scalar_one()
    return Counts(played, rated, void)


def tournaments_of(store: Store, bot: str) -> tuple[tuple[str, str], ...]:
    """Return the tournaments that a bot of that name has entered, oldest first, each with the hash of its version there."""
    query = (
        select(TOURNAMENT.c.name, VERSION.c.digest)
        .join(ENTRANT, ENTRANT.c.tournament_id == TOURNAMENT.c.id)
        .join(VERSION, VERSION.c.id == ENTRANT.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .where(BOT.c.name == bot)
        .order_by(TOURNAMENT.c.id)
    )
    with store.reading() as connection:
        return tuple((row.name, row.digest) for row in connection.execute(query))


RECENT_SECONDS = 60.0
"""The time over which the rate of a run is measured."""


@dataclass(frozen=True, slots=True)
class BlockCount:
    """Stored matches, the blocks they belong to, and how many of those blocks are complete."""

    matches: int
    blocks: int
    complete: int


def count_blocks(store: Store, tournament: StoredTournament, seatings: Mapping[int, int]) -> BlockCount:
    """Return the counts of all rounds together; ``seatings`` has the matches in a block by number of seats."""
    blocks = _blocks(tournament)
    query = select(func.coalesce(func.sum(blocks.c.matches), 0), func.count(), func.coalesce(func.sum(_whole(blocks, seatings)), 0))
    with store.reading() as connection:
        return BlockCount(*map(int, connection.execute(query.select_from(blocks)).one()))


def count_rounds(store: Store, tournament: StoredTournament, seatings: Mapping[int, int], rounds: range) -> dict[int, BlockCount]:
    """Return the counts of each of these rounds that has matches, in order; rounds count from 0. Other rounds cost nothing."""
    blocks = _blocks(tournament, MATCH.c.round >= rounds.start, MATCH.c.round < rounds.stop)
    query = (
        select(blocks.c.round, func.sum(blocks.c.matches), func.count(), func.sum(_whole(blocks, seatings)))
        .group_by(blocks.c.round)
        .order_by(blocks.c.round)
    )
    with store.reading() as connection:
        return {row[0]: BlockCount(*map(int, row[1:])) for row in connection.execute(query)}


def _blocks(tournament: StoredTournament, *conditions: ColumnElement[bool]) -> Subquery:
    """Return the blocks of the tournament, or of the given rounds; the query reads only an index."""
    return (
        select(MATCH.c.round, MATCH.c.players, func.count().label("matches"))
        .where(MATCH.c.tournament_id == tournament.id, *conditions)
        .group_by(MATCH.c.round, MATCH.c.players, MATCH.c.block_key)
        .subquery()
    )


def _whole(blocks: Subquery, seatings: Mapping[int, int]) -> ColumnElement[int]:
    """Return 1 for a complete block, else 0."""
    is_whole = case(*((blocks.c.players == players, blocks.c.matches >= number) for players, number in seatings.items()), else_=False)
    return case((is_whole, 1), else_=0)


def recent_rate(store: Store, tournament: StoredTournament) -> float:
    """Return the matches stored per second over the last minute, or since the first match within it."""
    now = datetime.now(UTC)
    recent = (MATCH.c.tournament_id == tournament.id) & (MATCH.c.finished > now - timedelta(seconds=RECENT_SECONDS))
    with store.reading() as connection:
        number, first = connection.execute(select(func.count(), func.min(MATCH.c.finished)).where(recent)).one()
    if not number:
        return 0.0
    return float(number / max((now - first).total_seconds(), 1.0))
