"""The database tables: first those of tournaments, then those of servers. Each class defines a table, and its instances are rows.

``leaderboard.storage.store`` and the other modules in this package read and write the tables.
"""

# No "from __future__ import annotations": SQLModel reads the annotations of relationships.

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hmac import compare_digest
from math import isfinite
from secrets import token_urlsafe
from typing import Any, Final

import msgspec
from sqlalchemy import BigInteger, Dialect, Double, Index, Integer, String, Table, text
from sqlalchemy.orm import defer
from sqlalchemy.sql.base import ExecutableOption
from sqlalchemy.types import TypeDecorator, TypeEngine
from sqlmodel import Field, Relationship, SQLModel, UniqueConstraint

from engine.core import Score, exact_score
from engine.records import Fault, convert, decode
from leaderboard.names import shown_name, version_name
from leaderboard.records import Ending, Order, OrderKind

# PostgreSQL's integers have 32 bits and its texts sort by locale; SQLite's integers have 64 and its texts sort by code point.
BIG: Final[TypeEngine[int]] = BigInteger().with_variant(Integer(), "sqlite")
EXACT: Final[TypeEngine[str]] = String().with_variant(String(collation="C"), "postgresql")


class ScoreType(TypeDecorator[Score]):
    """The type of a column of scores. A whole score is read as an integer. (SQLite stores fractions unchanged, even in INTEGER columns.)"""

    impl = Double
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the column type for the database."""
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else Double())

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # a damaged database may contain anything
        """Return the stored value; whole numbers become integers."""
        return exact_score(value) if type(value) is float and isfinite(value) else value


class JsonType(TypeDecorator[Any]):
    """The type of a column with values of type ``kind``, stored as JSON text. Reading an invalid text raises ValueError."""

    impl = String
    cache_ok = True

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Return the text to store."""
        return msgspec.json.encode(value).decode()

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Return the value parsed from the stored text."""
        return decode(value, self.kind)


class ChoiceType(TypeDecorator[StrEnum]):
    """The type of a column with members of an enum, stored as text. Reading a text that is not a member raises ValueError."""

    impl = String
    cache_ok = True

    def __init__(self, choices: type[StrEnum]) -> None:
        super().__init__()
        self.choices = choices

    def process_bind_param(self, value: StrEnum | None, dialect: Dialect) -> str | None:
        """Return the text to store."""
        return None if value is None else str(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> StrEnum:
        """Return the member with the stored text."""
        return self.choices(value)


_ZERO: Final = {"server_default": "0"}
_ONE: Final = {"server_default": "1"}
_JOINED: Final = {"lazy": "joined", "innerjoin": True}
GIVEN: Final = {"autoincrement": False}
_FAULTY: Final = text("fault IS NOT NULL")


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def without(*columns: Any) -> list[ExecutableOption]:
    """Return options with which a query loads rows without these columns; reading such a column from a row raises an error."""
    return [defer(each, raiseload=True) for each in columns]


class PublicPerson(SQLModel):
    """The part of a person's data that others may see. Names are not stored in any other table; a deleted person has no name.

    ``linked`` is when the current token was created; ``why`` is the host's reason for deleting the person.
    """

    id: str = Field(primary_key=True, sa_type=EXACT)
    name: str | None = None
    created: datetime = Field(default_factory=now)
    linked: datetime | None = None
    deleted: datetime | None = None
    why: str = ""


class Person(PublicPerson, table=True):
    """An author of bots, with a random id.

    ``key`` is the normalised name, used to compare names; ``token`` is the hex SHA-256 of the token that the person signs in with.
    """

    __tablename__ = "person"
    key: str | None = Field(default=None, unique=True, sa_type=EXACT)
    token: str | None = Field(default=None, unique=True, repr=False)

    @property
    def shown(self) -> str:
        """The name or, if the person was deleted, the pseudonym."""
        return shown_name(self.id, self.name)


class Bot(SQLModel, table=True):
    """A bot, which has a name and one or more versions."""

    __tablename__ = "bot"
    id: int = Field(default=None, primary_key=True)
    name: str = Field(unique=True, sa_type=EXACT)


class Version(SQLModel, table=True):
    """An immutable version of a bot. ``digest`` is the hex SHA-256 of its content; ``origin`` is the file or module it came from.

    ``match_seconds`` is how long a match takes, as measured by the newest check or trial of the version, or None if not measured.
    """

    __tablename__ = "bot_version"
    __table_args__ = (UniqueConstraint("bot_id", "digest"),)
    id: int = Field(default=None, primary_key=True)
    bot_id: int = Field(foreign_key="bot.id")
    digest: str
    origin: str
    created: datetime = Field(default_factory=now)
    match_seconds: float | None = None

    bot: Bot = Relationship(sa_relationship_kwargs=_JOINED)


class Tournament(SQLModel, table=True):
    """A tournament, with its complete spec as canonical JSON.

    ``rated`` is the number of matches that its standings cover. If decks and seeds are derived from a ``secret`` (64 hex digits, known only
    to the host until the tournament is over), ``seed`` is 0; the ``commitment`` is published before the first match, and ``public_value``
    is mixed in, if it is given.
    """

    __tablename__ = "tournament"
    id: int = Field(default=None, primary_key=True)
    name: str = Field(unique=True, sa_type=EXACT)
    game: str
    seed: int = Field(sa_type=BIG)
    spec: str
    total: int = Field(sa_type=BIG)
    created: datetime = Field(default_factory=now)
    rated: int = Field(default=0, sa_type=BIG, sa_column_kwargs=_ZERO)
    commitment: str | None = Field(default=None, unique=True)
    secret: str | None = None
    public_value: str | None = None


class EntrantRow(SQLModel, table=True):
    """A bot's version in a tournament; for ``joined``, see ``leaderboard.records.Entrant``."""

    __tablename__ = "entrant"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True)
    joined: int = Field(default=0, sa_column_kwargs=_ZERO)


class OrderRow(SQLModel, table=True):
    """An order to a ladder (see ``leaderboard.records.Order``). Only its ``round`` is ever changed, and only once."""

    __tablename__ = "ladder_order"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    number: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    kind: str
    bot: str | None = None
    detail: str
    why: str
    by: str
    given: str
    after: int
    round: int

    @property
    def order(self) -> Order:
        """The order. Raises msgspec.ValidationError if a value has the wrong type, which SQLite does not prevent."""
        return convert(self, Order, from_attributes=True)


class Match(SQLModel, table=True):
    """A match that has been played; ``id`` is the id of its ticket.

    ``replay`` is JSON text compressed with zlib; ``isolation`` is the isolation level of the bots. ``round`` counts from 0, and is always 0
    in formats without rounds. Matches have the same ``block_key`` if and only if they belong to the same block. ``link`` is the number of
    the first seal that covers the match.
    """

    __tablename__ = "match"
    __table_args__ = (
        Index("ix_match_list", "tournament_id", "finished", "id", "players", "block", "end", "seconds"),
        Index("ix_match_round", "tournament_id", "round", "players", "block_key", "link"),
    )
    id: str = Field(primary_key=True, sa_type=EXACT)
    tournament_id: int = Field(foreign_key="tournament.id")
    players: int
    block: int
    rotation: int
    seed: int = Field(sa_type=BIG)
    end: str
    decisions: int
    seconds: float
    digest: str
    replay: bytes
    isolation: str
    finished: datetime = Field(default_factory=now)
    round: int = Field(default=0, sa_column_kwargs=_ZERO)
    block_key: int = Field(default=0, sa_type=BIG, sa_column_kwargs=_ZERO)
    link: int = Field(default=1, sa_column_kwargs=_ONE)


class SeatRow(SQLModel, table=True):
    """The result of a seat of a match. ``fault`` is the kind of fault, or None; ``fault_index`` is the number of decisions before it.

    ``seconds`` is wall time; ``charged_seconds`` excludes the time for which the bot waited for a CPU.
    """

    __tablename__ = "seat"
    __table_args__ = (
        Index("ix_seat_fault", "bot_version_id", "match_id", sqlite_where=_FAULTY, postgresql_where=_FAULTY),
        Index("ix_seat_bots", "match_id", "bot_version_id", "seat"),
    )
    match_id: str = Field(foreign_key="match.id", primary_key=True, sa_type=EXACT)
    seat: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    bot_version_id: int = Field(foreign_key="bot_version.id", index=True)
    score: Score = Field(sa_type=ScoreType)
    rank: int
    fault: str | None = None
    fault_index: int | None = None
    fault_detail: str | None = None
    decisions: int
    seconds: float
    cpu_seconds: float
    charged_seconds: float
    peak_memory: int | None = Field(default=None, sa_type=BIG)


class SeatLogRow(SQLModel, table=True):
    """A seat's log for the bot's author, as JSON compressed with zlib. Seats without output or messages have no row.

    It has the end of the bot's output and, if the bot failed, the last messages and the traceback.
    """

    __tablename__ = "seat_log"
    match_id: str = Field(foreign_key="match.id", primary_key=True, sa_type=EXACT)
    seat: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    kept: bytes


class Void(SQLModel, table=True):
    """A match that could not be played because of the machine, and the reason. The row is removed when the match has been played."""

    __tablename__ = "void"
    match_id: str = Field(primary_key=True, sa_type=EXACT)
    tournament_id: int = Field(foreign_key="tournament.id", index=True)
    seats: str
    reason: str
    happened: datetime = Field(default_factory=now)
    link: int = Field(default=1, sa_column_kwargs=_ONE)


class SubmissionState(StrEnum):
    """The states of a submission. Accepted and retired submissions are versions of a bot."""

    WAITING = "waiting"
    CHECKING = "checking"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    RETIRED = "retired"


class PublicSubmission(SQLModel):
    """The data of a submitted bot that its author and the host can see.

    - ``id``: a random id that can't be guessed; ``author``: a person's id, or None if unknown
    - ``players``: if there is no ``ladder``, the numbers of players to check it with, separated by spaces; empty for the usual numbers
    - ``sent``: when the upload was complete
    - ``reason``: why it was refused, why it has not entered its ladder, or why its check was interrupted
    - ``planned``, ``done``, ``failed``: how many matches of the check were planned, how many are over, and in how many the bot failed
    - ``seconds``: how long all attempts of the check took; ``stage``: the current step of the check
    - ``number``: the number of the bot's version, from 1, or None if it is not a version
    - ``entrant``: its name in the ladder; in a season, ``note``: when it will enter; ``round``: the round (from 0) before which it entered
    """

    id: str = Field(default_factory=lambda: token_urlsafe(16), primary_key=True, sa_type=EXACT)
    name: str = Field(sa_type=EXACT)
    author: str | None = Field(default=None, foreign_key="person.id", sa_type=EXACT)
    sent: datetime = Field(default_factory=now)
    state: SubmissionState = Field(default=SubmissionState.WAITING, sa_type=ChoiceType(SubmissionState))
    digest: str
    ladder: str = ""
    game: str = ""
    players: str = ""
    reason: str = ""
    seconds: float = 0.0
    stage: str = ""
    done: int = 0
    planned: int = 0
    failed: int = 0
    decisions: int = 0
    number: int | None = None
    entrant: str = ""
    round: int | None = None
    note: str = ""


class Submission(PublicSubmission, table=True):
    """A submitted bot. Refused submissions are kept for some time, and versions forever.

    ``content`` is everything needed to play the bot, compressed with zlib; it is empty after a refusal. ``report`` is the report of the
    check, as JSON. ``replays`` are the replays of matches that the bot failed in during the check, by number of players and seat, as JSON
    compressed with zlib. ``content`` and ``replays`` are the last columns, because lists are faster if they don't read them.
    """

    __tablename__ = "submission"
    __table_args__ = (UniqueConstraint("name", "number"),)
    bot_version_id: int | None = Field(default=None, foreign_key="bot_version.id", unique=True)
    report: str = ""
    content: bytes = Field(default=b"", repr=False)
    replays: bytes = Field(default=b"", repr=False)

    person: Person | None = Relationship(sa_relationship_kwargs={"lazy": "joined", "viewonly": True})

    @property
    def is_over(self) -> bool:
        """Whether the check is over."""
        return self.state not in {SubmissionState.WAITING, SubmissionState.CHECKING}

    @property
    def is_retired(self) -> bool:
        """Whether the host has retired it, so that it can't play in new tournaments."""
        return self.state is SubmissionState.RETIRED

    @property
    def by(self) -> str:
        """The author's name for display, or an empty string if the author is unknown."""
        return "" if self.person is None else self.person.shown

    @property
    def label(self) -> str:
        """The version's name in tournament files, or an empty string if it is not a version."""
        return "" if self.number is None else f"{self.name}@{self.number}"

    @property
    def entry_name(self) -> str:
        """The version's name in ladders. Other authors can't submit a bot with this name."""
        assert self.number is not None
        return version_name(self.name, self.number)


class Content(SQLModel, table=True):
    """The packed content of a version that was not submitted, compressed with zlib. For submitted versions, see ``submission``.

    Installed modules have no stored content.
    """

    __tablename__ = "content"
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True, sa_column_kwargs=GIVEN)
    content: bytes


class Standing(SQLModel, table=True):
    """A version's newest rating in a tournament, and the totals over its rated matches. All can be recomputed from the results."""

    __tablename__ = "standing"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True)
    matches: int
    mu: float
    sigma: float
    wins: float
    places: int = Field(sa_type=BIG)
    points: Score = Field(sa_type=ScoreType)
    faults: int
    decisions: int = Field(sa_type=BIG)
    seconds: float


class Run(SQLModel, table=True):
    """The newest run of a tournament. The row is updated every few seconds for the host to see. It is not covered by seals.

    - ``host``, ``process``: the machine and the process id of the run's driver; ``seen``: the time of its last heartbeat
    - ``place``: a description of where matches are played
    - ``matches``: how many matches the run has stored
    - ``reason``: why the run paused or failed
    """

    __tablename__ = "run"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True, sa_column_kwargs=GIVEN)
    host: str
    process: int
    place: str
    began: datetime
    seen: datetime
    matches: int = Field(default=0, sa_type=BIG)
    ending: Ending = Field(default=Ending.OPEN, sa_type=ChoiceType(Ending))
    reason: str = ""


class SealLink(SQLModel, table=True):
    """A seal of a tournament (``leaderboard.seal_format``): its JSON text, the digest of the text, and the host's signature, if any."""

    __tablename__ = "seal_link"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    number: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    digest: str
    body: str
    signature: str | None = None


class BrowserSession(SQLModel, table=True):
    """A browser in which a person has signed in. ``digest`` is the hex SHA-256 of the secret in the browser's cookie."""

    __tablename__ = "session"
    digest: str = Field(primary_key=True)
    person: str = Field(foreign_key="person.id", index=True, sa_type=EXACT)
    expires: datetime


class Stage(StrEnum):
    """The stages of a game between people and bots."""

    LOBBY = "lobby"
    PLAYING = "playing"
    OVER = "over"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat of a table, for a bot or a person.

    ``bot`` is the bot's label (empty for a person), and ``digest`` is the content hash of its version. ``key`` is the digest of a secret
    that is stored only in the person's browser; it is empty until somebody has taken the seat.
    """

    name: str = ""
    bot: str = ""
    digest: str = ""
    key: str = ""

    @property
    def is_person(self) -> bool:
        """Whether the seat is for a person."""
        return not self.bot

    @property
    def is_free(self) -> bool:
        """Whether a person can still take the seat."""
        return not self.name

    def belongs_to(self, key: str) -> bool:
        """Return whether the person with this key has taken the seat."""
        return bool(key) and compare_digest(self.key, key)


@dataclass(frozen=True, slots=True)
class Line:
    """A chat message from the person in ``seat``; ``at`` is the time in seconds since 1970."""

    seat: int
    name: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class HumanMatchSeat:
    """The result of a seat in a match with people. ``version`` is the content hash of the bot, or empty for a person."""

    name: str
    version: str
    score: Score
    rank: int
    fault: str | None = None


class StoredTable(SQLModel, table=True):
    """A table at which people play, outside of tournaments, and its match when it is ``finished``.

    - ``options``: the game's options, as JSON
    - ``seed``, ``ticket`` (the id of the match): secret until the match is finished
    - ``maker``: the seat of the person who created the table; ``browser``: the digest of that person's key
    - ``moves``: in the game's notation; ``faults``: the faults of seats that a substitute has taken over, by seat
    - ``chat``: the last messages; ``touched``: the time of the last change
    - ``continues``: the position in another match that this match starts from, as ``ID@DECISION``, or empty
    - ``replay``: JSON text compressed with zlib

    When the match is finished, ``chairs``, ``moves`` and ``chat`` are emptied, and ``seats`` has the results.
    """

    __tablename__ = "play_table"
    __table_args__ = (Index("ix_play_table_finished", "finished"),)
    id: str = Field(primary_key=True, sa_type=EXACT)
    game: str
    options: str = "{}"
    seed: int = Field(sa_type=BIG)
    ticket: str = Field(unique=True, sa_type=EXACT)
    chairs: tuple[Chair, ...] = Field(default=(), sa_type=JsonType(tuple[Chair, ...]))
    faults: dict[int, Fault] = Field(default_factory=dict, sa_type=JsonType(dict[int, Fault]))
    moves: tuple[str, ...] = Field(default=(), sa_type=JsonType(tuple[str, ...]))
    chat: tuple[Line, ...] = Field(default=(), sa_type=JsonType(tuple[Line, ...]))
    maker: int = 0
    browser: str = ""
    listed: bool = False
    stage: Stage = Field(default=Stage.LOBBY, sa_type=ChoiceType(Stage))
    problem: str = ""
    since: datetime
    continues: str = ""
    touched: datetime = Field(default_factory=now)
    seats: tuple[HumanMatchSeat, ...] = Field(default=(), sa_type=JsonType(tuple[HumanMatchSeat, ...]))
    end: str = ""
    decisions: int = 0
    digest: str = ""
    isolation: str = ""
    finished: datetime | None = None
    replay: bytes = Field(default=b"", repr=False)


_EXTENSIONS: Final = {
    "secondary": "tournament",
    "primaryjoin": "StoredStage.tournament == foreign(Tournament.name)",
    "secondaryjoin": f"and_(foreign(Tournament.id) == OrderRow.tournament_id, OrderRow.kind == '{OrderKind.EXTEND}')",
    "order_by": "OrderRow.number",
    "viewonly": True,
    "lazy": "selectin",
}


class StoredStage(SQLModel, table=True):
    """A stage of a season: the name of its tournament, its secret as 64 hex digits, and the commitment to the secret.

    The secret is generated when the season begins, so that the commitment can be published at once. ``number`` counts the stages from 0.
    """

    __tablename__ = "season_stage"
    tournament: str = Field(primary_key=True, sa_type=EXACT)
    season: str = Field(foreign_key="season.name", index=True, sa_type=EXACT)
    number: int
    commitment: str
    secret: str = Field(repr=False)

    extensions: list[OrderRow] = Relationship(sa_relationship_kwargs=_EXTENSIONS)

    @property
    def extension(self) -> Order | None:
        """The newest order that moved the stage's deadline."""
        return self.extensions[-1].order if self.extensions else None


class StoredSeason(SQLModel, table=True):
    """A season (docs/season.md): its stages in order, the text of its file when it began, and when its results were published."""

    __tablename__ = "season"
    name: str = Field(primary_key=True, sa_type=EXACT)
    text: str
    begun: datetime
    published: datetime | None = None

    stages: list[StoredStage] = Relationship(sa_relationship_kwargs={"lazy": "selectin", "order_by": "StoredStage.number"})


WITHHELD: Final = {
    "bot_version": ("origin", "created"),
    "match": ("finished", "seconds"),
    "seat": ("seconds", "cpu_seconds", "charged_seconds", "peak_memory", "fault_detail"),
    "standing": ("seconds",),
    "submission": ("sent",),
    "void": ("reason", "happened"),
}
"""By table, the columns that are empty in a bundle. One digest of their values is in the same row or, for seats, in their match's row."""
PUBLISHED: Final = {"submission": ("bot_version_id", "name", "number", "author", "sent", "content")}
"""The columns in a bundle, by table, beginning with the primary key; tables that are not listed have all columns."""


def table_of(model: type[SQLModel]) -> Table:
    """Return the table of a class, for use with SQLAlchemy Core."""
    return SQLModel.metadata.tables[str(model.__tablename__)]
