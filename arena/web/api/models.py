"""The responses of the JSON API, besides records that it returns as they are."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from pydantic import BaseModel


class Problem(BaseModel):
    """What went wrong, in one sentence."""

    error: str


class WrongField(BaseModel):
    """A field that can't be used, and why."""

    field: str
    message: str


class Refusal(Problem):
    """What can't be used, field by field."""

    fields: list[WrongField] = []


class Item(BaseModel):
    """A record as the API returns it."""

    @classmethod
    def of(cls, source: object, **more: object) -> Self:
        """Return the item with the attributes of a record, apart from ``more``."""
        return cls.model_validate({name: getattr(source, name) for name in cls.model_fields if name not in more} | more)


class TournamentItem(Item):
    """A tournament; ``total`` is null while the number of its matches is not known."""

    name: str
    game: str
    bots: list[str]
    played: int
    total: int | None
    is_running: bool


class FaultItem(Item):
    """A bot's fault, and its decision.

    ``detail`` is empty for visitors until the match's block is over; the bot's own text is for its author alone.
    """

    kind: str
    index: int
    detail: str


class SeatItem(Item):
    """How one seat did."""

    bot: str
    score: int | float
    rank: int
    decisions: int
    seconds: float
    fault: FaultItem | None


class MatchItem(Item):
    """A match; ``seed`` is null until all matches on that seed have been played."""

    id: str
    tournament: str
    round: int
    block: int
    rotation: int
    seed: int | None
    end: str
    decisions: int
    seconds: float
    digest: str
    isolation: str
    finished: datetime
    seats: list[SeatItem]


class MatchPage(BaseModel):
    """A page of matches, newest first; give ``after`` to get the next page, null at the end."""

    matches: list[MatchItem]
    after: str | None


class VersionItem(Item):
    """A bot's version by its content hash; ``number`` counts those that were submitted."""

    version: str
    number: int | None
    author: str | None
    submitted: datetime | None
    retired: datetime | None


class BotItem(Item):
    """A bot with its versions, oldest first, and the tournaments it has entered."""

    name: str
    versions: list[VersionItem]
    tournaments: list[str]


class Limits(Item):
    """What this server accepts."""

    requests_per_minute: int
    upload_bytes: int
    uploads_per_hour: int
    check_seconds: float
    longest_name: int
    suffixes: list[str]
    allow_submissions: bool
    allow_play: bool
