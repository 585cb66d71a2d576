"""Seasons: the file that each began with, the tournaments of its stages, and the submitted versions that enter them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime

from sqlalchemy import insert, select, union, update

from leaderboard.errors import StoreError
from leaderboard.records.stored import Order, OrderKind
from leaderboard.storage.database import Database
from leaderboard.storage.runs import in_utc
from leaderboard.storage.submissions import Submission
from leaderboard.storage.tables import BOT, ORDER, SEASON, SEASON_ENTRY, SEASON_STAGE, SUBMISSION, TOURNAMENT, UPLOAD, VERSION
from leaderboard.storage.uploads import UploadState


@dataclass(frozen=True, slots=True)
class StoredStage:
    """The tournament of a stage, begun or not, and its secret as 64 hex digits, with the commitment to it.

    ``extension`` is the newest order that moved its deadline.
    """

    tournament: str
    commitment: str
    secret: str = field(repr=False)
    extension: Order | None = None


@dataclass(frozen=True, slots=True)
class StoredSeason:
    """A season with its stages in order; ``text`` is its file, ``published`` when its results were published, None until then."""

    name: str
    text: str
    begun: datetime
    published: datetime | None
    stages: tuple[StoredStage, ...]


@dataclass(frozen=True, slots=True)
class SeasonEntry:
    """A submitted version for a stage; ``round`` and ``problem`` are as in ``SeasonEntryRow``."""

    version: int
    label: str
    author: str | None
    arrived: datetime
    round: int | None
    problem: str


def seasons(database: Database) -> tuple[StoredSeason, ...]:
    """Return all seasons, newest first."""
    with database.reading() as connection:
        rows = connection.execute(select(SEASON).order_by(SEASON.c.begun.desc(), SEASON.c.name)).all()
        if not rows:
            return ()
        columns = [ORDER.c[each.name] for each in fields(Order)]
        extensions = select(TOURNAMENT.c.name, *columns).join(ORDER).where(ORDER.c.kind == OrderKind.EXTEND).order_by(ORDER.c.number)
        newest = {name: Order(*order) for name, *order in connection.execute(extensions)}
        stages: dict[str, list[StoredStage]] = {}
        for each in connection.execute(select(SEASON_STAGE).order_by(SEASON_STAGE.c.number)):
            stage = StoredStage(each.tournament, each.commitment, each.secret, newest.get(each.tournament))
            stages.setdefault(each.season, []).append(stage)
    return tuple(
        StoredSeason(row.name, row.text, in_utc(row.begun), row.published and in_utc(row.published), tuple(stages.get(row.name, ())))
        for row in rows
    )


def add_season(database: Database, name: str, text: str, begun: datetime, stages: Sequence[StoredStage]) -> None:
    """Store a season that begins. Raises StoreError if one of its tournaments or secrets exists already, or is part of another season."""
    names = [each.tournament for each in stages]
    with database.writing() as connection:
        there = union(select(TOURNAMENT.c.name), select(SEASON_STAGE.c.tournament)).subquery()
        taken = connection.execute(select(there.c.name).where(there.c.name.in_(names))).scalars().first()
        if taken is not None:
            raise StoreError(f"{database.name} already has a tournament '{taken}', which is no stage of this season; rename the season")
        known = union(select(TOURNAMENT.c.commitment), select(SEASON_STAGE.c.commitment)).subquery()
        commitments = [each.commitment for each in stages]
        if connection.execute(select(known.c.commitment).where(known.c.commitment.in_(commitments))).first() is not None:
            raise StoreError(f"another tournament in {database.name} has the secret of a stage; make a new secret with 'arena secret FILE'")
        connection.execute(insert(SEASON).values(name=name, text=text, begun=begun))
        for number, each in enumerate(stages):
            values = {"tournament": each.tournament, "season": name, "number": number}
            connection.execute(insert(SEASON_STAGE).values(values | {"commitment": each.commitment, "secret": each.secret}))


def mark_published(database: Database, name: str, published: datetime) -> None:
    """Record that a season's results have been published."""
    with database.writing() as connection:
        connection.execute(update(SEASON).where(SEASON.c.name == name).values(published=published))


def add_entry(database: Database, tournament: str, submission: Submission, arrived: datetime) -> None:
    """Queue a version for the first round of a stage that begins after it arrived. Idempotent."""
    version = select(SUBMISSION.c.bot_version_id).join(BOT, BOT.c.id == SUBMISSION.c.bot_id)
    with database.writing() as connection:
        key = connection.execute(version.where(BOT.c.name == submission.name, SUBMISSION.c.number == submission.number)).scalar_one()
        is_same = (SEASON_ENTRY.c.tournament == tournament) & (SEASON_ENTRY.c.bot_version_id == key)
        if connection.execute(select(SEASON_ENTRY.c.round).where(is_same)).first() is None:
            connection.execute(insert(SEASON_ENTRY).values(tournament=tournament, bot_version_id=key, arrived=arrived))


def season_entries(database: Database, tournament: str) -> tuple[SeasonEntry, ...]:
    """Return the versions that have been submitted to a stage and passed their checks, in the order in which they arrived."""
    columns = [SEASON_ENTRY.c.bot_version_id, BOT.c.name, SUBMISSION.c.number, SUBMISSION.c.author]
    columns += [SEASON_ENTRY.c[key] for key in ("arrived", "round", "problem")]
    query = (
        select(*columns)
        .join(VERSION, VERSION.c.id == SEASON_ENTRY.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .join(SUBMISSION, SUBMISSION.c.bot_version_id == VERSION.c.id)
        .where(SEASON_ENTRY.c.tournament == tournament)
        .order_by(SEASON_ENTRY.c.arrived, BOT.c.name, SUBMISSION.c.number)
    )
    with database.reading() as connection:
        return tuple(
            SeasonEntry(row.bot_version_id, f"{row.name}@{row.number}", row.author, in_utc(row.arrived), row.round, row.problem)
            for row in connection.execute(query)
        )


def settle_entry(database: Database, tournament: str, entry: SeasonEntry, number: int, entrant: str, problem: str) -> None:
    """Store the round before which a version has entered and its name, or why it has not entered, for its author to see."""
    is_same = (SEASON_ENTRY.c.tournament == tournament) & (SEASON_ENTRY.c.bot_version_id == entry.version)
    is_sent = (UPLOAD.c.ladder == tournament) & (UPLOAD.c.label == entry.label)
    with database.writing() as connection:
        connection.execute(update(SEASON_ENTRY).where(is_same).values(round=number, problem=problem))
        connection.execute(update(UPLOAD).where(is_sent).values(entrant=entrant, reason=problem, note=""))


def unjudged(database: Database, ladder: str, before: datetime) -> tuple[str, ...]:
    """Return the ids of uploads to a ladder that arrived before then and have no verdict yet."""
    is_open = UPLOAD.c.state.in_((UploadState.WAITING, UploadState.CHECKING))
    query = select(UPLOAD.c.id).where(UPLOAD.c.ladder == ladder, is_open, UPLOAD.c.sent < before)
    with database.reading() as connection:
        return tuple(connection.execute(query).scalars())
