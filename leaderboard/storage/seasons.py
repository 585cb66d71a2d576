"""Seasons: the file that each began with, the tournaments of its stages, and the submitted versions that enter them."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import col, select, update

from leaderboard.errors import StoreError
from leaderboard.storage.database import Database
from leaderboard.storage.submissions import Submission
from leaderboard.storage.tables import SeasonEntry, StoredSeason, StoredStage, Tournament, Upload, UploadState, without

__all__ = ["SeasonEntry", "StoredSeason", "StoredStage"]


def seasons(database: Database) -> tuple[StoredSeason, ...]:
    """Return all seasons, newest first."""
    with database.session() as session:
        return tuple(session.exec(select(StoredSeason).order_by(col(StoredSeason.begun).desc(), StoredSeason.name)))


def add_season(database: Database, season: StoredSeason) -> None:
    """Store a season that begins. Raises StoreError if one of its tournaments or secrets exists already, or is part of another season."""
    names, commitments = [each.tournament for each in season.stages], [each.commitment for each in season.stages]
    with database.transaction() as session:
        kept = session.exec(select(StoredStage.tournament, StoredStage.commitment)).all()
        known = [*kept, *session.exec(select(Tournament.name, Tournament.commitment))]
        if taken := next((name for name, _ in known if name in names), None):
            raise StoreError(f"{database.name} already has a tournament '{taken}', which is no stage of this season; rename the season")
        if any(commitment in commitments for _, commitment in known):
            raise StoreError(f"another tournament in {database.name} has the secret of a stage; make a new secret with 'arena secret FILE'")
        session.add(season)


def mark_published(database: Database, name: str, published: datetime) -> None:
    """Record that a season's results have been published."""
    with database.transaction() as session:
        session.get_one(StoredSeason, name).published = published


def add_entry(database: Database, tournament: str, submission: Submission, arrived: datetime) -> None:
    """Queue a version for the first round of a stage that begins after it arrived. Idempotent."""
    with database.transaction() as session:
        if session.get(SeasonEntry, (tournament, submission.bot_version_id)) is None:
            session.add(SeasonEntry(tournament=tournament, bot_version_id=submission.bot_version_id, arrived=arrived))


def season_entries(database: Database, tournament: str) -> tuple[SeasonEntry, ...]:
    """Return the versions that have been submitted to a stage and passed their checks, in the order in which they arrived."""
    query = select(SeasonEntry).where(SeasonEntry.tournament == tournament)
    query = query.options(*without(Submission.content, of=SeasonEntry.submission))
    with database.session() as session:
        found = session.exec(query).all()
    return tuple(sorted(found, key=lambda each: (each.arrived, each.submission.name, each.submission.number)))


def settle_entry(database: Database, entry: SeasonEntry, number: int, entrant: str, problem: str) -> None:
    """Store the round before which a version has entered and its name, or why it has not entered, for its author to see."""
    with database.transaction() as session:
        stored = session.get_one(SeasonEntry, (entry.tournament, entry.bot_version_id))
        stored.round, stored.problem = number, problem
        is_sent = (col(Upload.ladder) == entry.tournament, col(Upload.label) == entry.submission.label)
        session.exec(update(Upload).where(*is_sent).values(entrant=entrant, reason=problem, note=""))


def unjudged(database: Database, ladder: str, before: datetime) -> tuple[str, ...]:
    """Return the ids of uploads to a ladder that arrived before then and have no verdict yet."""
    is_open = col(Upload.state).in_((UploadState.WAITING, UploadState.CHECKING))
    with database.session() as session:
        return tuple(session.exec(select(Upload.id).where(Upload.ladder == ladder, is_open, Upload.sent < before)))
