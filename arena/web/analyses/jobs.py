"""What the server and the process that analyses for it say to each other, as JSON."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from arena.analysis.bot_analysis import BotAnalysis
from arena.analysis.drama import Drama
from arena.web.viewer.schema import Analysis
from arena.web.viewer.story import Story


class MatchJob(msgspec.Struct, frozen=True, tag="match"):
    """Analyse the match with this replay, within a number of CPU seconds."""

    replay: str
    seconds: float


class BotJob(msgspec.Struct, frozen=True, tag="bot"):
    """Analyse these matches of a bot of the tournament, by their ids, as far as there is time."""

    db: str
    tournament: str
    bot: str
    matches: tuple[str, ...]
    seconds: float


class DramaJob(msgspec.Struct, frozen=True, tag="drama"):
    """Say how dramatic these matches were, by their ids, as far as there is time."""

    db: str
    matches: tuple[str, ...]
    seconds: float


Job: TypeAlias = MatchJob | BotJob | DramaJob


class MatchAnswer(msgspec.Struct, frozen=True, omit_defaults=True, tag="match"):
    """What the viewer's document lacks of an analysed match, and what its page says of it, which the viewer does not need."""

    analysis: Analysis
    evaluation: list[list[float]]
    story: Story | None = None


class BotAnswer(msgspec.Struct, frozen=True, tag="bot"):
    """What was gathered of a bot."""

    analysis: BotAnalysis


class DramaAnswer(msgspec.Struct, frozen=True, tag="drama"):
    """How dramatic matches were; None for those of which it can't be said."""

    dramas: dict[str, Drama | None]


class Failure(msgspec.Struct, frozen=True, tag="trouble"):
    """Why there is no analysis, in a sentence that visitors may read."""

    sentence: str


Answer: TypeAlias = MatchAnswer | BotAnswer | DramaAnswer | Failure
