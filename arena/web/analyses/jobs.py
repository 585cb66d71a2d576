"""The messages between the server and its analysis process, as JSON."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from arena.analysis.match_analysis import PositionAnalysis
from arena.web.viewer.schema import Mark
from arena.web.viewer.story import Story


class MatchJob(msgspec.Struct, frozen=True, tag="match"):
    """Analyse the match with this replay, within a number of CPU seconds."""

    replay: str
    seconds: float


class PositionJob(msgspec.Struct, frozen=True, tag="position"):
    """Find the chances and the best moves after ``moves``, in notation, from position ``at`` of the match with this replay."""

    replay: str
    at: int
    moves: tuple[str, ...]
    seconds: float


Job: TypeAlias = MatchJob | PositionJob


class MatchAnswer(msgspec.Struct, frozen=True, omit_defaults=True, tag="match"):
    """The part of an analysed match that the viewer's document lacks, and the text of its page, which the viewer does not need."""

    marks: list[Mark]
    evaluation: list[list[float]]
    story: Story | None = None


class PositionAnswer(msgspec.Struct, frozen=True, tag="position"):
    """The chances and the best moves in a position."""

    analysis: PositionAnalysis


class Failure(msgspec.Struct, frozen=True, tag="trouble"):
    """The reason why there is no analysis, in a sentence that visitors may read."""

    sentence: str


Answer: TypeAlias = MatchAnswer | PositionAnswer | Failure
