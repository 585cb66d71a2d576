"""The tables of servers, in the same databases: uploads, sessions, tables at which people play, seasons."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from leaderboard.storage.tables import BIG, EXACT, GIVEN


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


SESSION: Final = SQLModel.metadata.tables["session"]
UPLOAD: Final = SQLModel.metadata.tables["upload"]
PLAY_TABLE: Final = SQLModel.metadata.tables["play_table"]
PLAY_MOVE: Final = SQLModel.metadata.tables["play_move"]
PLAY_LINE: Final = SQLModel.metadata.tables["play_line"]
SEASON: Final = SQLModel.metadata.tables["season"]
SEASON_STAGE: Final = SQLModel.metadata.tables["season_stage"]
SEASON_ENTRY: Final = SQLModel.metadata.tables["season_entry"]
