"""Requests about tables that arrive at a server that does not play them, stored as rows for the server that does.

One server at a time plays the tables of a database, and says so in one row, with its news of the tables for the others. Contents are opaque
here. Rows are removed at most a minute after the request.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update

from leaderboard.storage.database import Database
from leaderboard.storage.server_tables import PLAY_REQUEST, PLAY_SERVER


@dataclass(frozen=True, slots=True)
class Mailbox:
    """The server that plays the tables (empty: none yet), its news, and the answers to requests by their ids."""

    owner: str
    news: bytes
    answers: Mapping[str, bytes]


def read_mailbox(database: Database, requests: Collection[str]) -> Mailbox:
    """Return who plays the tables, and the answers to these requests so far."""
    answered = select(PLAY_REQUEST.c.id, PLAY_REQUEST.c.answer).where(PLAY_REQUEST.c.id.in_(requests), PLAY_REQUEST.c.answer.is_not(None))
    with database.reading() as connection:
        server = connection.execute(select(PLAY_SERVER.c.owner, PLAY_SERVER.c.news)).one_or_none()
        rows = connection.execute(answered).all() if requests else ()
    owner, news = ("", b"") if server is None else server
    return Mailbox(owner, news, {row.id: row.answer for row in rows})


def send_requests(database: Database, owner: str, requests: Mapping[str, bytes], done: Collection[str]) -> None:
    """Store requests for the server ``owner``, also such as were sent to another one before, and remove those that are ``done``."""
    with database.writing() as connection:
        connection.execute(delete(PLAY_REQUEST).where(PLAY_REQUEST.c.id.in_([*done, *requests])))
        if requests:
            connection.execute(insert(PLAY_REQUEST), [{"id": key, "owner": owner, "request": text} for key, text in requests.items()])


def read_requests(database: Database, owner: str) -> Mapping[str, bytes] | None:
    """Return the requests that wait for this server, or None if it no longer plays the tables."""
    waiting = select(PLAY_REQUEST.c.id, PLAY_REQUEST.c.request).where(PLAY_REQUEST.c.owner == owner, PLAY_REQUEST.c.answer.is_(None))
    with database.reading() as connection:
        if connection.execute(select(PLAY_SERVER.c.owner)).scalar_one_or_none() != owner:
            return None
        return {row.id: row.request for row in connection.execute(waiting)}


def write_answers(database: Database, owner: str, answers: Mapping[str, bytes], news: bytes | None, old: Collection[str]) -> None:
    """Store answers, and news if there are any, unless another server plays the tables by now; remove ``old`` answers that nobody took."""
    with database.writing() as connection:
        if connection.execute(select(PLAY_SERVER.c.owner)).scalar_one_or_none() != owner:
            return
        for key, answer in answers.items():
            connection.execute(update(PLAY_REQUEST).where(PLAY_REQUEST.c.id == key).values(answer=answer))
        if news is not None:
            connection.execute(update(PLAY_SERVER).values(news=news))
        if old:
            connection.execute(delete(PLAY_REQUEST).where(PLAY_REQUEST.c.id.in_(old)))
