"""The outbox of notices: events (``event``), and each message to each target until it is sent (``notice``).

Any number of processes may find events and send messages. An event is stored once, with its messages, and only the process that has claimed
a message sends it. If that process is killed, the claim expires, and the message is sent again with the same id.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from sqlalchemy import Connection, insert, select, update

from leaderboard.chunks import chunks
from leaderboard.storage.database import Database
from leaderboard.storage.runs import in_utc
from leaderboard.storage.server_tables import EVENT, NOTICE
from leaderboard.storage.tables import PERSON

MAIL: Final = "mail"
"""The target of messages to persons; the others are webhooks, by their names."""
BEGUN: Final = "begun"
"""The key of the event that is stored first; earlier events are not reported."""
LEASE: Final = timedelta(minutes=10)
"""How long a claim holds: longer than sending a message, and than waiting for a database that is away."""
MOST_TRIES: Final = 34
"""A message is given up after this many tries, which take about 30 hours."""
_FIRST_PAUSE: Final = timedelta(seconds=5)
_LONGEST_PAUSE: Final = timedelta(hours=1)


class EventKind(StrEnum):
    """The kinds of events that notices are about."""

    VERDICT = "verdict"
    BENCHED = "benched"
    OVERTAKEN = "overtaken"
    STAGE = "stage"
    FREEZE = "freeze"
    OVER = "over"


class NoticeState(StrEnum):
    """The states of a message."""

    WAITING = "waiting"
    SENDING = "being sent"
    SENT = "sent"
    FAILED = "given up"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that has happened: ``key`` tells it from all other events, ``bot`` is as in ``EventRow``.

    With a ``subject`` it goes to webhooks, and by mail to ``people``, or to everybody if that is None. ``path`` is that of a page.
    """

    key: str
    kind: EventKind
    tournament: str
    bot: str = ""
    subject: str = ""
    text: str = ""
    path: str = ""
    people: Collection[str] | None = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """A message that is to be sent; the columns are explained in ``NoticeRow`` and ``EventRow``. ``mail`` is the person's address."""

    number: int
    id: str
    kind: str
    tournament: str
    bot: str
    seen: datetime
    target: str
    person: str | None
    mail: str | None
    subject: str
    text: str
    path: str
    tries: int


@dataclass(frozen=True, slots=True)
class Unsent:
    """A message that is not sent, to a webhook or to a ``person`` by name; ``due`` is when it is tried, or was tried for the last time."""

    target: str
    person: str | None
    subject: str
    state: NoticeState
    tries: int
    due: datetime
    reason: str


def known_events(database: Database, keys: Iterable[str]) -> frozenset[str]:
    """Return which of these events are stored."""
    with database.reading() as connection:
        found = [connection.execute(select(EVENT.c.key).where(EVENT.c.key.in_(chunk))).scalars() for chunk in chunks(keys)]
        return frozenset(key for each in found for key in each)


def add_events(database: Database, events: Iterable[Event], targets: Mapping[str, Collection[EventKind]], now: datetime) -> None:
    """Store those events that are new, and the messages about them to targets that want this kind, which are due at once."""
    with database.writing() as connection:
        for event in events:
            if connection.execute(select(EVENT.c.key).where(EVENT.c.key == event.key)).first() is not None:
                continue
            facts = {key: getattr(event, key) for key in ("key", "kind", "tournament", "bot")}
            connection.execute(insert(EVENT).values(facts | {"seen": now}))
            texts = {"event": event.key, "subject": event.subject, "text": event.text, "path": event.path}
            message = {"state": NoticeState.WAITING, "tries": 0, "due": now, "reason": "", **texts}
            for target in [each for each, kinds in targets.items() if event.subject and event.kind in kinds]:
                for person in _addressees(connection, event) if target == MAIL else (None,):
                    to = {"id": f"msg_{secrets.token_hex(12)}", "target": target, "person": person}
                    connection.execute(insert(NOTICE).values(message | to))


def _addressees(connection: Connection, event: Event) -> list[str]:
    everybody = connection.execute(select(PERSON.c.id).where(PERSON.c.mail.is_not(None)).order_by(PERSON.c.created, PERSON.c.id)).scalars()
    return [person for person in everybody if event.people is None or person in event.people]


def last_leader(database: Database, ladder: str) -> str:
    """Return the bot that led a ladder at the last check; empty before the first."""
    query = select(EVENT.c.bot).where(EVENT.c.kind == EventKind.OVERTAKEN, EVENT.c.tournament == ladder, EVENT.c.bot != "")
    with database.reading() as connection:
        return connection.execute(query.order_by(EVENT.c.seen.desc()).limit(1)).scalar_one_or_none() or ""


def claim(database: Database, targets: Collection[str], now: datetime) -> Notice | None:
    """Claim the message to one of these targets that is due longest; None if there is none."""
    columns = (next(table.c[name] for table in (NOTICE, EVENT, PERSON) if name in table.c) for name in Notice.__slots__)
    query = select(*columns).join(EVENT, EVENT.c.key == NOTICE.c.event).outerjoin(PERSON, PERSON.c.id == NOTICE.c.person)
    query = query.where(NOTICE.c.state.in_((NoticeState.WAITING, NoticeState.SENDING)), NOTICE.c.due <= now, NOTICE.c.target.in_(targets))
    query = query.order_by(NOTICE.c.due, NOTICE.c.number).limit(1)
    with database.reading() as connection:
        if connection.execute(query).first() is None:  # the usual case, in which a run that stores results need not wait
            return None
    with database.writing() as connection:
        row = connection.execute(query).first()
        if row is None:
            return None
        values = {"state": NoticeState.SENDING, "tries": row.tries + 1, "due": now + LEASE}
        connection.execute(update(NOTICE).where(NOTICE.c.number == row.number).values(values))
    return Notice(**row._asdict() | {"seen": in_utc(row.seen), "tries": row.tries + 1})


def settle(database: Database, notice: Notice, now: datetime, problem: str) -> None:
    """Record that a claimed message was sent, or the problem; in the latter case it is due again later, or given up.

    Does nothing if another process has claimed it since, or it was removed with its person.
    """
    state, due = NoticeState.SENT, now
    if problem and notice.tries >= MOST_TRIES:
        state = NoticeState.FAILED
    elif problem:
        state, due = NoticeState.WAITING, now + min(_LONGEST_PAUSE, _FIRST_PAUSE * 4 ** min(notice.tries - 1, 9))
    is_mine = (NOTICE.c.number == notice.number) & (NOTICE.c.tries == notice.tries) & (NOTICE.c.state == NoticeState.SENDING)
    with database.writing() as connection:
        connection.execute(update(NOTICE).where(is_mine).values(state=state, due=due, reason=problem))


def find_unsent(database: Database) -> tuple[Unsent, ...]:
    """Return the messages that are not sent, newest first."""
    columns = [PERSON.c.name.label(key) if key == "person" else NOTICE.c[key] for key in Unsent.__slots__]
    query = select(*columns).outerjoin_from(NOTICE, PERSON, PERSON.c.id == NOTICE.c.person).where(NOTICE.c.state != NoticeState.SENT)
    with database.reading() as connection:
        rows = connection.execute(query.order_by(NOTICE.c.number.desc())).all()
    return tuple(Unsent(**row._asdict() | {"due": in_utc(row.due), "state": NoticeState(row.state)}) for row in rows)
