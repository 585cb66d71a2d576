"""The tables: names and types of all columns. ``leaderboard.storage.store`` reads and writes them."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite
from typing import Any, Final

from sqlalchemy import BigInteger, Connection, Dialect, Double, Index, Integer, String, text
from sqlalchemy.types import TypeDecorator, TypeEngine
from sqlmodel import Field, SQLModel, UniqueConstraint

from engine.core import Score, exact_score

SCHEMA_VERSION: Final = 12
"""The number of the newest revision in ``migrations/versions``; the first is 12, that of release 0.1.0."""

# PostgreSQL's integers have 32 bits and its texts sort by locale; SQLite's integers have 64 and its texts sort by code point.
_BIG: Final[TypeEngine[int]] = BigInteger().with_variant(Integer(), "sqlite")
_EXACT: Final[TypeEngine[str]] = String().with_variant(String(collation="C"), "postgresql")


class ScoreType(TypeDecorator[Score]):
    """A score: read as an integer if it is whole. In SQLite a column of integers keeps a number with a fraction as it is."""

    impl = Double
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type of the column."""
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else Double())

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # a damaged database may hold anything
        """Return the stored value, a whole number as an integer."""
        return exact_score(value) if type(value) is float and isfinite(value) else value


_ZERO: Final = {"server_default": "0"}
_ONE: Final = {"server_default": "1"}
_GIVEN: Final = {"autoincrement": False}
_FAULTY: Final = text("fault IS NOT NULL")


def _now() -> datetime:
    return datetime.now(UTC)


class SchemaRow(SQLModel, table=True):
    """The version of the tables, in a single row, which also marks the database as ours."""

    __tablename__ = "arena_schema"
    version: int = Field(primary_key=True, sa_column_kwargs=_GIVEN)


class PersonRow(SQLModel, table=True):
    """An author of bots or a host, by a random id. No other table has names or mail; a deleted person has neither.

    ``key`` is the form of the name in which names are compared, ``token`` the hex SHA-256 of the token to sign in with, which was made at
    ``linked``. ``why`` is the host's reason for deleting.
    """

    __tablename__ = "person"
    id: str = Field(primary_key=True, sa_type=_EXACT)
    name: str | None = None
    key: str | None = Field(default=None, unique=True, sa_type=_EXACT)
    mail: str | None = None
    role: str
    token: str | None = Field(default=None, unique=True)
    created: datetime
    linked: datetime | None = None
    deleted: datetime | None = None
    why: str


class BotRow(SQLModel, table=True):
    """A bot by name. What plays is one of its versions."""

    __tablename__ = "bot"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True, sa_type=_EXACT)


class BotVersionRow(SQLModel, table=True):
    """An immutable version of a bot. ``digest`` is the hex SHA-256 of its content, ``origin`` the file or module it came from.

    ``match_seconds`` is what its newest check or trial has measured, if there was one.
    """

    __tablename__ = "bot_version"
    __table_args__ = (UniqueConstraint("bot_id", "digest"),)
    id: int | None = Field(default=None, primary_key=True)
    bot_id: int = Field(foreign_key="bot.id")
    digest: str
    origin: str
    created: datetime = Field(default_factory=_now)
    match_seconds: float | None = None


class TournamentRow(SQLModel, table=True):
    """A tournament with its whole spec as canonical JSON, as it was when the run began.

    ``rated`` is the number of matches that its standings cover; ``seed`` is 0 if it has a secret instead.
    """

    __tablename__ = "tournament"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True, sa_type=_EXACT)
    game: str
    seed: int = Field(sa_type=_BIG)
    spec: str
    total: int = Field(sa_type=_BIG)
    created: datetime = Field(default_factory=_now)
    rated: int = Field(default=0, sa_type=_BIG, sa_column_kwargs=_ZERO)


class SecretRow(SQLModel, table=True):
    """The secret from which all decks and seeds of a part of a tournament follow, and the commitment published before its first match.

    ``secret`` is 64 hex digits, known to the host alone until the part is over; ``public_value`` is mixed in, if there is one. Parts count
    from 1; a tournament that was never extended after its end has one.
    """

    __tablename__ = "secret"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    part: int = Field(primary_key=True)
    commitment: str = Field(unique=True)
    secret: str
    public_value: str | None = None


class EntrantRow(SQLModel, table=True):
    """A bot's version in a tournament; ``joined`` is the round before which it joined, 0 for those there from the start."""

    __tablename__ = "entrant"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True)
    joined: int = Field(default=0, sa_column_kwargs=_ZERO)


class OrderRow(SQLModel, table=True):
    """A host's order to a ladder, as ``leaderboard.records.stored.Order`` has it. Only ``round`` ever changes, once."""

    __tablename__ = "ladder_order"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    number: int = Field(primary_key=True, sa_column_kwargs=_GIVEN)
    kind: str
    bot: str | None = None
    detail: str
    why: str
    by: str
    given: str
    after: int
    round: int


class MatchRow(SQLModel, table=True):
    """A match that has been played, by ticket id. ``replay`` is the JSON text, compressed by zlib; ``isolation`` the level of its bots.

    ``round`` counts from 0 and stays 0 in formats without rounds. The matches of a block share a ``block_key`` that no others have.
    ``link`` is the number of the first seal that covers the match.
    """

    __tablename__ = "match"
    __table_args__ = (
        Index("ix_match_list", "tournament_id", "finished", "id", "players", "block", "end", "seconds"),
        Index("ix_match_round", "tournament_id", "round", "players", "block_key", "link"),
    )
    id: str = Field(primary_key=True, sa_type=_EXACT)
    tournament_id: int = Field(foreign_key="tournament.id")
    players: int
    block: int
    rotation: int
    seed: int = Field(sa_type=_BIG)
    end: str
    decisions: int
    seconds: float
    digest: str
    replay: bytes
    isolation: str
    finished: datetime = Field(default_factory=_now)
    round: int = Field(default=0, sa_column_kwargs=_ZERO)
    block_key: int = Field(default=0, sa_type=_BIG, sa_column_kwargs=_ZERO)
    link: int = Field(default=1, sa_column_kwargs=_ONE)


class SeatRow(SQLModel, table=True):
    """The result of one seat of a match. ``fault`` is None, or the kind of fault with the index of the decision and a detail.

    ``seconds`` is wall time; ``charged_seconds`` leaves out what the bot waited for a processor.
    """

    __tablename__ = "seat"
    __table_args__ = (
        Index("ix_seat_fault", "bot_version_id", "match_id", sqlite_where=_FAULTY),
        Index("ix_seat_bots", "match_id", "bot_version_id", "seat"),
    )
    match_id: str = Field(foreign_key="match.id", primary_key=True, sa_type=_EXACT)
    seat: int = Field(primary_key=True, sa_column_kwargs=_GIVEN)
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
    peak_memory: int | None = Field(default=None, sa_type=_BIG)


class SeatLogRow(SQLModel, table=True):
    """The log kept for a bot's author: its end and, if the bot failed, the last messages, as JSON compressed by zlib.

    Seats that have neither have no row.
    """

    __tablename__ = "seat_log"
    match_id: str = Field(foreign_key="match.id", primary_key=True, sa_type=_EXACT)
    seat: int = Field(primary_key=True, sa_column_kwargs=_GIVEN)
    kept: bytes


class VoidRow(SQLModel, table=True):
    """A match that the machine could not play, and why. The row is removed once it has been played. ``link`` is as in ``match``."""

    __tablename__ = "void"
    match_id: str = Field(primary_key=True, sa_type=_EXACT)
    tournament_id: int = Field(foreign_key="tournament.id", index=True)
    seats: str
    reason: str
    happened: datetime = Field(default_factory=_now)
    link: int = Field(default=1, sa_column_kwargs=_ONE)


class SubmissionRow(SQLModel, table=True):
    """A submitted version with everything needed to play it (``content``, opaque here); ``number`` counts a bot's versions from 1.

    ``takes_challenges`` is the same for all versions of an author: whether other authors may challenge them.
    """

    __tablename__ = "submission"
    __table_args__ = (UniqueConstraint("bot_id", "number"),)
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True)
    bot_id: int = Field(foreign_key="bot.id")
    number: int
    author: str | None = Field(default=None, foreign_key="person.id", sa_type=_EXACT)
    content: bytes
    submitted: datetime = Field(default_factory=_now)
    retired: datetime | None = None
    takes_challenges: int = Field(default=0, sa_column_kwargs=_ZERO)


class ContentRow(SQLModel, table=True):
    """What it takes to play a version that was not submitted, as ``submission`` has it for those that were: packed, compressed by zlib.

    An installed module has none; nor has a version that played before contents were kept.
    """

    __tablename__ = "content"
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True, sa_column_kwargs=_GIVEN)
    content: bytes


class SessionRow(SQLModel, table=True):
    """A browser in which a person has signed in. ``digest`` is the hex SHA-256 of the secret in the browser's cookie."""

    __tablename__ = "session"
    digest: str = Field(primary_key=True)
    person: str = Field(foreign_key="person.id", index=True, sa_type=_EXACT)
    expires: datetime


class UploadRow(SQLModel, table=True):
    """A bot that a contestant has sent to a server, until its verdict and for some time afterwards; ``id`` can't be guessed. Without a
    ladder, ``players`` are the sizes of tables at which it wants to be checked, separated by spaces; empty for the usual ones.

    A challenge waits and is played like an upload, but has no content: bot ``name`` of a ladder plays ``against`` another one there.

    While it is checked, ``owner`` is the server that does so, ``tries`` the number of its attempt, and ``beat`` grows as long as that
    server lives. ``planned`` is the number of the check's matches, ``done`` how many are over, ``seconds`` how long all attempts took
    together. ``label`` is the version that was kept, ``entrant`` its name in the ladder. ``report`` is JSON. ``content`` is opaque here,
    compressed by zlib, and empty once there is a verdict; ``replays`` are those of matches of the check in which the bot failed, as JSON
    compressed by zlib, by players and seat. They are the last columns, so that nothing that lists uploads reads them.
    """

    __tablename__ = "upload"
    number: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True, sa_type=_EXACT)
    author: str = Field(foreign_key="person.id", sa_type=_EXACT)
    name: str
    ladder: str
    game: str
    players: str
    against: str
    is_source: int
    size: int = Field(sa_type=_BIG)
    sent: datetime
    state: str
    reason: str
    owner: str
    tries: int
    beat: int
    seconds: float
    stage: str
    done: int
    planned: int
    failed: int
    decisions: int
    label: str
    entrant: str
    note: str
    report: str
    build_log: str
    content: bytes
    replays: bytes


class HumanMatchRow(SQLModel, table=True):
    """A match played by people, which belongs to no tournament and is not rated; ``seats`` is JSON, ``replay`` is as in ``match``."""

    __tablename__ = "casual"
    __table_args__ = (Index("ix_casual_finished", "finished"),)
    id: str = Field(primary_key=True, sa_type=_EXACT)
    game: str
    seed: int = Field(sa_type=_BIG)
    seats: str
    end: str
    decisions: int
    digest: str
    replay: bytes
    isolation: str
    finished: datetime = Field(default_factory=_now)


class PlayTableRow(SQLModel, table=True):
    """A table at which people play, until some time after its match; ``owner`` is the server that plays it.

    ``options``, ``chairs`` (with digests of people's keys and of bots' versions) and ``faults`` are JSON. ``ticket`` is the id that the
    match will be stored by, and ``match`` that id once it is stored. The seed is the server's secret until then.
    """

    __tablename__ = "play_table"
    id: str = Field(primary_key=True, sa_type=_EXACT)
    owner: str
    game: str
    options: str
    seed: int = Field(sa_type=_BIG)
    ticket: str
    chairs: str
    faults: str
    maker: int
    browser: str
    listed: int
    stage: str
    problem: str
    match: str
    rematch: str
    since: datetime
    continues: str
    touched: datetime


class PlayMoveRow(SQLModel, table=True):
    """A decision at a table, in the game's notation, by its number from 0."""

    __tablename__ = "play_move"
    table_id: str = Field(foreign_key="play_table.id", primary_key=True, sa_type=_EXACT)
    number: int = Field(primary_key=True, sa_column_kwargs=_GIVEN)
    move: str


class PlayLineRow(SQLModel, table=True):
    """A line that somebody wrote at a table; ``at`` is in seconds since 1970."""

    __tablename__ = "play_line"
    table_id: str = Field(foreign_key="play_table.id", primary_key=True, sa_type=_EXACT)
    number: int = Field(primary_key=True, sa_column_kwargs=_GIVEN)
    seat: int | None = None
    name: str
    text: str
    at: int = Field(sa_type=_BIG)


class PlayServerRow(SQLModel, table=True):
    """The server that plays the tables, in one row, and what the others need to know of these (``leaderboard.storage.play_requests``)."""

    __tablename__ = "play_server"
    owner: str = Field(primary_key=True, sa_type=_EXACT)
    news: bytes


class PlayRequestRow(SQLModel, table=True):
    """A request about tables that another server got, for ``owner``, which answers it; removed when the answer is taken."""

    __tablename__ = "play_request"
    id: str = Field(primary_key=True, sa_type=_EXACT)
    owner: str
    request: bytes
    answer: bytes | None = None


class RatingRow(SQLModel, table=True):
    """A version's rating after a match of a tournament, for plots. ``number`` counts its rated matches from 1; not all have a row."""

    __tablename__ = "rating"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True)
    number: int = Field(primary_key=True, sa_column_kwargs=_GIVEN)
    match_id: str = Field(foreign_key="match.id", sa_type=_EXACT)
    mu: float
    sigma: float


class StandingRow(SQLModel, table=True):
    """A version's newest rating in a tournament, and the totals over its rated matches. All of it follows from the results."""

    __tablename__ = "standing"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True)
    matches: int
    mu: float
    sigma: float
    wins: float
    places: int = Field(sa_type=_BIG)
    points: Score = Field(sa_type=ScoreType)
    faults: int
    decisions: int = Field(sa_type=_BIG)
    seconds: float


class RunRow(SQLModel, table=True):
    """The newest run of a tournament, as its driver writes it every few seconds; no result, and in no seal.

    The columns are explained in ``leaderboard.records.running.RunRecord``. ``workers`` is JSON: name, matches and last answer (in seconds
    since 1970) of each. ``stepped`` is when the clock jumped by ``step`` seconds, the last time that it did.
    """

    __tablename__ = "run"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True, sa_column_kwargs=_GIVEN)
    host: str
    process: int
    place: str
    began: datetime
    seen: datetime
    matches: int = Field(sa_type=_BIG)
    workers: str
    stepped: datetime | None = None
    step: float = 0.0
    ending: str
    reason: str


class SeasonRow(SQLModel, table=True):
    """A season (docs/season.md): the text of its file as it was when it began, and when its results were published, if they are."""

    __tablename__ = "season"
    name: str = Field(primary_key=True, sa_type=_EXACT)
    text: str
    begun: datetime
    published: datetime | None = None


class SeasonStageRow(SQLModel, table=True):
    """The tournament of a season's stage, and its secret, made when the season began so that the commitment could be published then."""

    __tablename__ = "season_stage"
    tournament: str = Field(primary_key=True, sa_type=_EXACT)
    season: str = Field(foreign_key="season.name", index=True, sa_type=_EXACT)
    number: int
    commitment: str
    secret: str


class SeasonEntryRow(SQLModel, table=True):
    """A submitted version that has passed its check for a stage. It ``arrived`` then, and entered before ``round``, counted from 0.

    ``round`` is None until its round begins. ``problem`` says why it did not enter, or is empty.
    """

    __tablename__ = "season_entry"
    tournament: str = Field(foreign_key="season_stage.tournament", primary_key=True, sa_type=_EXACT)
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True, sa_column_kwargs=_GIVEN)
    arrived: datetime
    round: int | None = None
    problem: str = ""


class EventRow(SQLModel, table=True):
    """Something that notices are about (docs/notices.md). ``key`` says what has happened, ``bot`` to which bot, or which one leads."""

    __tablename__ = "event"
    key: str = Field(primary_key=True, sa_type=_EXACT)
    kind: str
    tournament: str
    bot: str
    seen: datetime


class NoticeRow(SQLModel, table=True):
    """A message about an event to one target: the webhook of that name, or ``mail`` to a ``person``. ``id`` is the same at each try.

    It is tried again when it is ``due``. While a process sends it, that is when the process counts as dead; ``reason`` is why it was not
    sent the last time.
    """

    __tablename__ = "notice"
    __table_args__ = (Index("ix_notice_due", "state", "due"),)
    number: int | None = Field(default=None, primary_key=True)
    id: str
    event: str = Field(foreign_key="event.key", index=True, sa_type=_EXACT)
    target: str
    person: str | None = Field(default=None, foreign_key="person.id", index=True, sa_type=_EXACT)
    subject: str
    text: str
    path: str
    state: str
    tries: int
    due: datetime
    reason: str


class SealLinkRow(SQLModel, table=True):
    """A link of a tournament's chain of seals (``leaderboard.seals.links``): its JSON text, the digest of it, and a host's signature."""

    __tablename__ = "seal_link"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    number: int = Field(primary_key=True, sa_column_kwargs=_GIVEN)
    digest: str
    body: str
    signature: str | None = None


# The tables for queries that touch many rows (SQLAlchemy Core).
PERSON: Final = SQLModel.metadata.tables["person"]
BOT: Final = SQLModel.metadata.tables["bot"]
VERSION: Final = SQLModel.metadata.tables["bot_version"]
TOURNAMENT: Final = SQLModel.metadata.tables["tournament"]
SECRET: Final = SQLModel.metadata.tables["secret"]
ENTRANT: Final = SQLModel.metadata.tables["entrant"]
ORDER: Final = SQLModel.metadata.tables["ladder_order"]
MATCH: Final = SQLModel.metadata.tables["match"]
SEAT: Final = SQLModel.metadata.tables["seat"]
RATING: Final = SQLModel.metadata.tables["rating"]
STANDING: Final = SQLModel.metadata.tables["standing"]
SEAT_LOG: Final = SQLModel.metadata.tables["seat_log"]
VOID: Final = SQLModel.metadata.tables["void"]
SUBMISSION: Final = SQLModel.metadata.tables["submission"]
CONTENT: Final = SQLModel.metadata.tables["content"]
SESSION: Final = SQLModel.metadata.tables["session"]
UPLOAD: Final = SQLModel.metadata.tables["upload"]
HUMAN_MATCH: Final = SQLModel.metadata.tables["casual"]
PLAY_TABLE: Final = SQLModel.metadata.tables["play_table"]
PLAY_MOVE: Final = SQLModel.metadata.tables["play_move"]
PLAY_LINE: Final = SQLModel.metadata.tables["play_line"]
PLAY_SERVER: Final = SQLModel.metadata.tables["play_server"]
PLAY_REQUEST: Final = SQLModel.metadata.tables["play_request"]
RUN: Final = SQLModel.metadata.tables["run"]
SEAL_LINK: Final = SQLModel.metadata.tables["seal_link"]
SEASON: Final = SQLModel.metadata.tables["season"]
SEASON_STAGE: Final = SQLModel.metadata.tables["season_stage"]
SEASON_ENTRY: Final = SQLModel.metadata.tables["season_entry"]
EVENT: Final = SQLModel.metadata.tables["event"]
NOTICE: Final = SQLModel.metadata.tables["notice"]


def create_tables(connection: Connection) -> None:
    """Create all tables in an empty database."""
    [index] = (index for index in SEAT.indexes if index.name == "ix_seat_fault")
    index.dialect_options["postgresql"]["where"] = _FAULTY  # only here, since it loads the dialect, which reading SQLite does without
    SQLModel.metadata.create_all(connection)
