"""First answers to positions of the day, one for each browser and day."""

from __future__ import annotations

from sqlalchemy import Select, func, insert, select

from leaderboard.storage.database import Database
from leaderboard.storage.server_tables import DAILY_ANSWER


def add_answer(database: Database, day: str, visitor: str, match: str, at: int, *, solved: bool) -> None:
    """Store the answer of a browser, unless it has given one for that day."""
    values = {"day": day, "visitor": visitor, "match_id": match, "at": at, "solved": int(solved)}
    with database.writing() as connection:
        if connection.execute(_answer(day, visitor)).first() is None:
            connection.execute(insert(DAILY_ANSWER).values(values))


def has_answered(database: Database, day: str, visitor: str) -> bool:
    """Return whether the browser has given an answer for that day."""
    with database.reading() as connection:
        return connection.execute(_answer(day, visitor)).first() is not None


def _answer(day: str, visitor: str) -> Select[str]:
    return select(DAILY_ANSWER.c.day).where(DAILY_ANSWER.c.day == day, DAILY_ANSWER.c.visitor == visitor)


def asked_on(database: Database, day: str) -> tuple[str, int] | None:
    """Return the match and the decision that most answers of that day were about; None before the first answer."""
    asked = DAILY_ANSWER.c.match_id, DAILY_ANSWER.c.at
    query = select(*asked).where(DAILY_ANSWER.c.day == day).group_by(*asked).order_by(func.count().desc(), *asked).limit(1)
    with database.reading() as connection:
        row = connection.execute(query).first()
    return None if row is None else (row.match_id, row.at)


def share_of(database: Database, day: str) -> tuple[int, int]:
    """Return how many answers of that day were right, and how many there are."""
    query = select(func.coalesce(func.sum(DAILY_ANSWER.c.solved), 0), func.count()).where(DAILY_ANSWER.c.day == day)
    with database.reading() as connection:
        solved, answers = connection.execute(query).one()
    return int(solved), int(answers)
