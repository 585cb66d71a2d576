"""All tables with their columns: those of tournaments first, then those of servers (uploads, people's tables, seasons).

``leaderboard.storage.store`` and the modules beside it read and write them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite
from typing import Any, Final

from sqlalchemy import BigInteger, Dialect, Double, Index, Integer, String, text
from sqlalchemy.types import TypeDecorator, TypeEngine
from sqlmodel import Field, SQLModel, UniqueConstraint

from engine.core import Score, exact_score

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


_ZERO: Final = {"server_default": "0"}
_ONE: Final = {"server_default": "1"}
GIVEN: Final = {"autoincrement": False}
_FAULTY: Final = text("fault IS NOT NULL")


def now() -> datetime:
    """Return the present moment, as columns of moments hold it."""
    return datetime.now(UTC)


class PersonRow(SQLModel, table=True):
    """An author of bots, by a random id. No other table has names; a deleted person has none.

    ``key`` is the form of the name in which names are compared, ``token`` the hex SHA-256 of the token to sign in with, which was made at
    ``linked``. ``why`` is the host's reason for deleting.
    """

    __tablename__ = "person"
    id: str = Field(primary_key=True, sa_type=EXACT)
    name: str | None = None
    key: str | None = Field(default=None, unique=True, sa_type=EXACT)
    token: str | None = Field(default=None, unique=True)
    created: datetime
    linked: datetime | None = None
    deleted: datetime | None = None
    why: str


class BotRow(SQLModel, table=True):
    """A bot by name. Its versions play."""

    __tablename__ = "bot"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True, sa_type=EXACT)


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
    created: datetime = Field(default_factory=now)
    match_seconds: float | None = None


class TournamentRow(SQLModel, table=True):
    """A tournament with its whole spec as canonical JSON, as it was when the run began.

    ``rated`` is the number of matches that its standings cover. ``seed`` is 0 if all decks and seeds follow from a ``secret`` instead: 64
    hex digits, known to the host alone until the tournament is over, with the ``commitment`` published before its first match and the
    ``public_value`` that is mixed in, if there is one.
    """

    __tablename__ = "tournament"
    id: int | None = Field(default=None, primary_key=True)
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
    """A host's order to a ladder, as ``leaderboard.records.stored.Order`` has it. Only ``round`` ever changes, once."""

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


class VoidRow(SQLModel, table=True):
    """A match that the machine could not play, and why. The row is removed once it has been played. ``link`` is as in ``match``."""

    __tablename__ = "void"
    match_id: str = Field(primary_key=True, sa_type=EXACT)
    tournament_id: int = Field(foreign_key="tournament.id", index=True)
    seats: str
    reason: str
    happened: datetime = Field(default_factory=now)
    link: int = Field(default=1, sa_column_kwargs=_ONE)


class SubmissionRow(SQLModel, table=True):
    """A submitted version with everything needed to play it (``content``, opaque here); ``number`` counts a bot's versions from 1."""

    __tablename__ = "submission"
    __table_args__ = (UniqueConstraint("bot_id", "number"),)
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True)
    bot_id: int = Field(foreign_key="bot.id")
    number: int
    author: str | None = Field(default=None, foreign_key="person.id", sa_type=EXACT)
    content: bytes
    submitted: datetime = Field(default_factory=now)
    retired: datetime | None = None


class ContentRow(SQLModel, table=True):
    """The packed content of a version that was not submitted, compressed by zlib; ``submission`` has that of submitted ones.

    An installed module has none; nor has a version that played before contents were kept.
    """

    __tablename__ = "content"
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True, sa_column_kwargs=GIVEN)
    content: bytes


class RatingRow(SQLModel, table=True):
    """A version's rating after a match of a tournament. ``number`` counts its rated matches from 1; not all have a row."""

    __tablename__ = "rating"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True)
    number: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    match_id: str = Field(foreign_key="match.id", sa_type=EXACT)
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
    places: int = Field(sa_type=BIG)
    points: Score = Field(sa_type=ScoreType)
    faults: int
    decisions: int = Field(sa_type=BIG)
    seconds: float


class RunRow(SQLModel, table=True):
    """The newest run of a tournament, written by its driver every few seconds; it contains no results, and no seal covers it.

    The columns are explained in ``leaderboard.records.running.RunRecord``. ``workers`` is JSON: name, matches and last answer (in seconds
    since 1970) of each. ``stepped`` is when the clock last jumped, by ``step`` seconds.
    """

    __tablename__ = "run"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True, sa_column_kwargs=GIVEN)
    host: str
    process: int
    place: str
    began: datetime
    seen: datetime
    matches: int = Field(sa_type=BIG)
    workers: str
    stepped: datetime | None = None
    step: float = 0.0
    ending: str
    reason: str


class SealLinkRow(SQLModel, table=True):
    """A link of a tournament's chain of seals (``leaderboard.seals.links``): its JSON text, the digest of it, and a host's signature."""

    __tablename__ = "seal_link"
    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    number: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    digest: str
    body: str
    signature: str | None = None


class SessionRow(SQLModel, table=True):
    """A browser in which a person has signed in. ``digest`` is the hex SHA-256 of the secret in the browser's cookie."""

    __tablename__ = "session"
    digest: str = Field(primary_key=True)
    person: str = Field(foreign_key="person.id", index=True, sa_type=EXACT)
    expires: datetime


class UploadRow(SQLModel, table=True):
    """A bot that a contestant has sent to a server, until its verdict and for some time afterwards; ``id`` can't be guessed. Without a
    ladder, ``players`` are the sizes of tables at which it wants to be checked, separated by spaces; empty for the usual ones.

    ``planned`` is the number of the check's matches, ``done`` how many are over, ``seconds`` how long all attempts took
    together. ``label`` is the version that was kept, ``entrant`` its name in the ladder. ``report`` is JSON. ``content`` is opaque here,
    compressed by zlib, and empty once there is a verdict; ``replays`` are those of matches of the check in which the bot failed, as JSON
    compressed by zlib, by players and seat. They are the last columns, so that nothing that lists uploads reads them.
    """

    __tablename__ = "upload"
    number: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True, sa_type=EXACT)
    author: str = Field(foreign_key="person.id", sa_type=EXACT)
    name: str
    ladder: str
    game: str
    players: str
    size: int = Field(sa_type=BIG)
    sent: datetime
    state: str
    reason: str
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
    content: bytes
    replays: bytes


class PlayTableRow(SQLModel, table=True):
    """A table at which people play, and its match once that is ``finished``; it belongs to no tournament.

    ``options``, ``chairs`` (with digests of people's keys and of bots' versions, until it is finished) and ``faults`` are JSON, and so is
    ``result``, with the seats of the finished match. ``ticket`` is the id of the match, ``replay`` is as in ``match``. The seed and the
    ticket are the server's secrets until the end.
    """

    __tablename__ = "play_table"
    __table_args__ = (Index("ix_play_table_finished", "finished"),)
    id: str = Field(primary_key=True, sa_type=EXACT)
    game: str
    options: str
    seed: int = Field(sa_type=BIG)
    ticket: str = Field(unique=True, sa_type=EXACT)
    chairs: str
    faults: str
    maker: int
    browser: str
    listed: int
    stage: str
    problem: str
    rematch: str
    since: datetime
    continues: str
    touched: datetime
    result: str = "[]"
    end: str = ""
    decisions: int = 0
    digest: str = ""
    isolation: str = ""
    finished: datetime | None = None
    replay: bytes = b""


class PlayMoveRow(SQLModel, table=True):
    """A decision at a table, in the game's notation, by its number from 0."""

    __tablename__ = "play_move"
    table_id: str = Field(foreign_key="play_table.id", primary_key=True, sa_type=EXACT)
    number: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    move: str


class PlayLineRow(SQLModel, table=True):
    """A line that somebody wrote at a table; ``at`` is in seconds since 1970."""

    __tablename__ = "play_line"
    table_id: str = Field(foreign_key="play_table.id", primary_key=True, sa_type=EXACT)
    number: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    seat: int | None = None
    name: str
    text: str
    at: int = Field(sa_type=BIG)


class SeasonRow(SQLModel, table=True):
    """A season (docs/season.md): the text of its file when it began, and when its results were published, if they were."""

    __tablename__ = "season"
    name: str = Field(primary_key=True, sa_type=EXACT)
    text: str
    begun: datetime
    published: datetime | None = None


class SeasonStageRow(SQLModel, table=True):
    """The tournament of a season's stage, and its secret, made when the season began so that the commitment could be published then."""

    __tablename__ = "season_stage"
    tournament: str = Field(primary_key=True, sa_type=EXACT)
    season: str = Field(foreign_key="season.name", index=True, sa_type=EXACT)
    number: int
    commitment: str
    secret: str


class SeasonEntryRow(SQLModel, table=True):
    """A submitted version that has passed its check for a stage. It ``arrived`` at that time, and entered before ``round``, counted from 0.

    ``round`` is None until its round begins. ``problem`` says why it did not enter, or is empty.
    """

    __tablename__ = "season_entry"
    tournament: str = Field(foreign_key="season_stage.tournament", primary_key=True, sa_type=EXACT)
    bot_version_id: int = Field(foreign_key="bot_version.id", primary_key=True, sa_column_kwargs=GIVEN)
    arrived: datetime
    round: int | None = None
    problem: str = ""


# The tables for queries that touch many rows (SQLAlchemy Core).
PERSON: Final = SQLModel.metadata.tables["person"]
BOT: Final = SQLModel.metadata.tables["bot"]
VERSION: Final = SQLModel.metadata.tables["bot_version"]
TOURNAMENT: Final = SQLModel.metadata.tables["tournament"]
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
RUN: Final = SQLModel.metadata.tables["run"]
SEAL_LINK: Final = SQLModel.metadata.tables["seal_link"]
SESSION: Final = SQLModel.metadata.tables["session"]
UPLOAD: Final = SQLModel.metadata.tables["upload"]
PLAY_TABLE: Final = SQLModel.metadata.tables["play_table"]
PLAY_MOVE: Final = SQLModel.metadata.tables["play_move"]
PLAY_LINE: Final = SQLModel.metadata.tables["play_line"]
SEASON: Final = SQLModel.metadata.tables["season"]
SEASON_STAGE: Final = SQLModel.metadata.tables["season_stage"]
SEASON_ENTRY: Final = SQLModel.metadata.tables["season_entry"]
