"""The table of runs: one row for the newest run of each tournament, kept up to date by the run's driver.

Rows are only shown to the host; nothing else depends on them.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, select

from leaderboard.errors import StoreError
from leaderboard.records.running import ClockStep, Ending, RunRecord, WorkerRecord
from leaderboard.records.stored import StoredTournament
from leaderboard.storage.database import Database
from leaderboard.storage.inserts import insert_or_replace
from leaderboard.storage.tables import RUN, TOURNAMENT


def write_run(database: Database, tournament: StoredTournament, run: RunRecord) -> None:
    """Store the run in place of the tournament's previous one."""
    values = {key: getattr(run, key) for key in ("host", "process", "place", "began", "seen", "matches", "reason")}
    values |= {
        "tournament_id": tournament.id,
        "workers": json.dumps([[each.name, each.matches, each.seen.timestamp()] for each in run.workers]),
        "stepped": None if run.step is None else run.step.moment,
        "step": 0.0 if run.step is None else run.step.seconds,
        "ending": str(run.ending),
    }
    with database.writing() as connection:
        connection.execute(insert_or_replace(connection, RUN), values)


def runs(database: Database) -> dict[str, RunRecord]:
    """Return the newest run of each tournament by name, latest heartbeat first. Raises StoreError for a damaged row."""
    query = select(RUN, TOURNAMENT.c.name).join(TOURNAMENT, TOURNAMENT.c.id == RUN.c.tournament_id).order_by(RUN.c.seen.desc())
    with database.reading() as connection:
        rows = connection.execute(query).all()
    try:
        return {row.name: _run(row) for row in rows}
    except (ValueError, TypeError, OverflowError) as error:
        raise StoreError(f"the table of runs in {database.name} is damaged: {error}") from None


def _run(row: Row[Any]) -> RunRecord:
    return RunRecord(
        host=row.host,
        process=row.process,
        place=row.place,
        began=in_utc(row.began),
        seen=in_utc(row.seen),
        matches=row.matches,
        workers=tuple(WorkerRecord(name, matches, datetime.fromtimestamp(seen, UTC)) for name, matches, seen in json.loads(row.workers)),
        step=None if row.stepped is None else ClockStep(in_utc(row.stepped), row.step),
        ending=Ending(row.ending),
        reason=row.reason,
    )


def in_utc(moment: datetime) -> datetime:
    """Return a stored moment, which SQLite gives without a time zone, in UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
