"""All tables, one class each, which is also the record of a row: those of tournaments first, then those of servers.

``leaderboard.storage.store`` and the modules beside it read and write them.
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
    """A score: read as an integer if it is whole. In SQLite an integer column keeps fractions unchanged."""

    impl = Double
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type of the column."""
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else Double())

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # a damaged database may hold anything
        """Return the stored value, a whole number as an integer."""
        return exact_score(value) if type(value) is float and isfinite(value) else value


class JsonType(TypeDecorator[Any]):
    """A value of the given type as JSON text. Reading it raises ValueError if the text is no such value."""

    impl = String
    cache_ok = True

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Return the text."""
        return msgspec.json.encode(value).decode()

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Return the value."""
        return decode(value, self.kind)


class ChoiceType(TypeDecorator[StrEnum]):
    """A member of the enum, stored as its text. Reading another text raises ValueError."""

    impl = String
    cache_ok = True

    def __init__(self, choices: type[StrEnum]) -> None:
        super().__init__()
        self.choices = choices

    def process_bind_param(self, value: StrEnum | None, dialect: Dialect) -> str | None:
        """Return the text."""
        return None if value is None else str(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> StrEnum:
        """Return the member."""
        return self.choices(value)


_ZERO: Final = {"server_default": "0"}
_ONE: Final = {"server_default": "1"}
_JOINED: Final = {"lazy": "joined", "innerjoin": True}
GIVEN: Final = {"autoincrement": False}
_FAULTY: Final = text("fault IS NOT NULL")


def now() -> datetime:
    """Return the present moment, as columns of moments hold it."""
    return datetime.now(UTC)


def without(*columns: Any) -> list[ExecutableOption]:
    """Return options of a query for rows without these columns, which can't be read from them."""
    return [defer(each, raiseload=True) for each in columns]


class PublicPerson(SQLModel):
    """What others than the person may know of them: no other table has names, and a deleted person has none.

    ``linked`` is when the present token was made, ``why`` the host's reason for deleting.
    """

    id: str = Field(primary_key=True, sa_type=EXACT)
    name: str | None = None
    created: datetime = Field(default_factory=now)
    linked: datetime | None = None
    deleted: datetime | None = None
    why: str = ""


class Person(PublicPerson, table=True):
    """An author of bots, by a random id.

    ``key`` is the form of the name in which names are compared, ``token`` the hex SHA-256 of the token to sign in with.
    """

    __tablename__ = "person"
    key: str | None = Field(default=None, unique=True, sa_type=EXACT)
    token: str | None = Field(default=None, unique=True, repr=False)

    @property
    def shown(self) -> str:
        """The name, or the pseudonym of somebody deleted."""
        return shown_name(self.id, self.name)


class Bot(SQLModel, table=True):
    """A bot by name. Its versions play."""

    __tablename__ = "bot"
    id: int = Field(default=None, primary_key=True)
    name: str = Field(unique=True, sa_type=EXACT)


class Version(SQLModel, table=True):
    """An immutable version of a bot. ``digest`` is the hex SHA-256 of its content, ``origin`` the file or module it came from.

    ``match_seconds`` is what its newest check or trial has measured, if there was one.
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
    """A tournament with its whole spec as canonical JSON, as it was when the run began.

    ``rated`` is the number of matches that its standings cover. ``seed`` is 0 if all decks and seeds follow from a ``secret`` instead: 64
    hex digits, known to the host alone until the tournament is over, with the ``commitment`` published before its first match and the
    ``public_value`` that is mixed in, if there is one.
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
    """A bot's version in a tournament; ``joined`` is the round before which it joined, 0 for those there from the start."""

    __tablename__ = "entrant"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True)
    joined: int = Field(default=0, sa_column_kwargs=_ZERO)


class OrderRow(SQLModel, table=True):
    """A host's order to a ladder, as ``leaderboard.records.Order`` has it. Only ``round`` ever changes, once."""

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
        """The order. Raises msgspec.ValidationError if a column has a value of another type, which SQLite does not prevent."""
        return convert(self, Order, from_attributes=True)


class Match(SQLModel, table=True):
    """A match that has been played, by ticket id. ``replay`` is the JSON text, compressed by zlib; ``isolation`` the level of its bots.

    ``round`` counts from 0 and stays 0 in formats without rounds. The matches of a block share a ``block_key`` that no others have.
    ``link`` is the number of the first seal that covers the match.
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
    """The result of one seat of a match. ``fault`` is None, or the kind of fault with the index of the decision and a detail.

    ``seconds`` is wall time; ``charged_seconds`` leaves out what the bot waited for a processor.
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
    """The log kept for a bot's author: its end and, if the bot failed, the last messages, as JSON compressed by zlib.

    Seats with neither have no row.
    """

    __tablename__ = "seat_log"
    match_id: str = Field(foreign_key="match.id", primary_key=True, sa_type=EXACT)
    seat: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    kept: bytes


class Void(SQLModel, table=True):
    """A match that the machine could not play, and why. The row is removed once it has been played. ``link`` is as in ``match``."""

    __tablename__ = "void"
    match_id: str = Field(primary_key=True, sa_type=EXACT)
    tournament_id: int = Field(foreign_key="tournament.id", index=True)
    seats: str
    reason: str
    happened: datetime = Field(default_factory=now)
    link: int = Field(default=1, sa_column_kwargs=_ONE)


class SubmissionState(StrEnum):
    """The states of a submission. One that is accepted is a version of a bot, also when its host has retired it."""

    WAITING = "waiting"
    CHECKING = "checking"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    RETIRED = "retired"


class PublicSubmission(SQLModel):
    """What the author and the host see of a submitted bot; ``id`` can't be guessed, ``author`` is a person's id, if it is known.

    Without a ``ladder``, ``players`` are the sizes of tables at which it is to be checked, separated by spaces; empty for the usual ones.
    It counts as ``sent`` when its body has arrived. ``reason`` says why it was refused or has not entered its ladder, or why its check was
    interrupted. Of the ``planned`` matches of its check, ``done`` are over and the bot failed in ``failed``; all attempts took ``seconds``.
    ``number`` counts a bot's versions from 1, None if it is none. ``entrant`` is its name in the ladder, ``round`` the one before which it
    entered the stage of a season, counted from 0, and ``note`` says when it will.
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
    """A submitted bot, from its arrival on. Refused ones are kept for some time, versions forever.

    ``content`` is everything needed to play it, compressed by zlib and opaque here; empty for one that was refused. ``report`` is that of
    its check, as JSON; ``replays`` are those of matches of the check in which it failed, as JSON compressed by zlib, by players and seat.
    Lists leave both contents and replays out, and as the last columns they are not read for the others.
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
        """Whether it has been accepted or refused."""
        return self.state not in {SubmissionState.WAITING, SubmissionState.CHECKING}

    @property
    def is_retired(self) -> bool:
        """Whether no new tournament can enter it."""
        return self.state is SubmissionState.RETIRED

    @property
    def by(self) -> str:
        """The author's name to be shown; empty if the author is not known."""
        return "" if self.person is None else self.person.shown

    @property
    def label(self) -> str:
        """The version as a tournament file names it; empty if it is none."""
        return "" if self.number is None else f"{self.name}@{self.number}"

    @property
    def entry_name(self) -> str:
        """The name under which a version enters a ladder. Nobody else can submit a bot under this name."""
        assert self.number is not None
        return version_name(self.name, self.number)


class Content(SQLModel, table=True):
    """The packed content of a version that was not submitted, compressed by zlib; ``submission`` has that of submitted ones.

    An installed module has none; nor has a version that played before contents were kept.
    """

    __tablename__ = "content"
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True, sa_column_kwargs=GIVEN)
    content: bytes


class Standing(SQLModel, table=True):
    """A version's newest rating in a tournament, and the totals over its rated matches. All of it follows from the results."""

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
    """The newest run of a tournament, for the host, written by its driver every few seconds; it contains no results, and no seal covers it.

    The driver is the ``process`` on ``host``, whose last heartbeat was at ``seen``. ``place`` describes where matches are played,
    ``matches`` is the number that the run has stored, ``reason`` why it paused or failed.
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
    """A link of a tournament's chain of seals (``leaderboard.seal_format``): its JSON text, the digest of it, and a host's signature."""

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
    """The stages of a table at which people play."""

    LOBBY = "lobby"
    PLAYING = "playing"
    OVER = "over"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat of a table: a bot by its label and the digest of its version, or a person, who has sat down once there is a ``key``: the
    digest of a secret that only their browser has.
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
        """Whether a person may still sit down: nobody has, and nobody has left during the match."""
        return not self.name

    def belongs_to(self, key: str) -> bool:
        """Return whether the person with this key sits here."""
        return bool(key) and compare_digest(self.key, key)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table's chat that the person in that seat wrote, ``at`` a time in seconds since 1970."""

    seat: int
    name: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class HumanMatchSeat:
    """A seat and its result. ``version`` is the content hash of a bot, empty for a person."""

    name: str
    version: str
    score: Score
    rank: int
    fault: str | None = None


class StoredTable(SQLModel, table=True):
    """A table at which people play, and its match once that is ``finished``; it belongs to no tournament.

    ``options`` is JSON, ``browser`` the digest of its maker's key, ``touched`` the time of the last change, ``maker`` the seat of the
    person who starts the match. ``moves`` are in the game's notation, and ``faults`` are those of the seats for which the substitute
    plays. Of the ``chat`` the last lines are kept. ``continues`` is the match that it goes on with, as ``ID@DECISION``, or empty.
    ``ticket`` is the id of the match, ``replay`` is as in ``match``. The seed and the ticket are the server's secrets until the end.

    Once the match is finished there are no ``chairs``, ``moves`` and ``chat``, but ``seats``.
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
    """The tournament of a season's stage, begun or not, and its secret as 64 hex digits, with the commitment to it.

    The secret is made when the season begins, so that the commitment can be published then. ``number`` counts a season's stages from 0.
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
    """A season (docs/season.md) with its stages in order: the text of its file when it began, and when its results were published."""

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
"""By table, the columns that are empty in a bundle, with one digest for those of a row; for those of seats it is in their match."""
PUBLISHED: Final = {"submission": ("bot_version_id", "name", "number", "author", "sent", "content")}
"""By table, the columns that a bundle has, first its key, if these are not all."""


def table_of(model: type[SQLModel]) -> Table:
    """Return the table of a class, for statements of SQLAlchemy's Core."""
    return SQLModel.metadata.tables[str(model.__tablename__)]
