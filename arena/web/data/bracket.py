"""A knockout as the columns of a bracket, including the stages whose bots are not known yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arena.formats.knockout import title_of
from arena.web.data.course import Course, Meeting, RoundView

_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Side:
    """A bot, or, while that is open, the bots that may get there."""

    bot: str | None
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tie:
    """A place of the bracket: its bots, and their matches (None before it begins). A bye has one side."""

    sides: tuple[Side, ...]
    meeting: Meeting | None = None

    @property
    def is_bye(self) -> bool:
        """Whether its bot advances without playing."""
        return len(self.sides) == 1

    @property
    def winner(self) -> Side:
        """The bot that advances from here, if known."""
        if self.is_bye:
            return self.sides[0]
        if self.meeting is not None and self.meeting.ranked:
            return Side(self.meeting.ranked[0])
        return Side(None, tuple(name for side in self.sides for name in ((side.bot,) if side.bot else side.of)))


@dataclass(frozen=True, slots=True)
class Column:
    """A stage of the bracket from its top down."""

    title: str
    ties: tuple[Tie, ...]
    is_over: bool = False
    has_begun: bool = False


def columns(course: Course) -> tuple[Column, ...]:
    """Return the stages of a knockout; at tables of two also those to come."""
    if course.players != _PAIR:
        return tuple(_tables(stage) for stage in course.rounds)
    stages = [Column(_title(stage), ties, stage.is_over, has_begun=True) for stage in course.rounds if (ties := _pairs(stage))]
    while stages and len(stages[-1].ties) > 1:
        sides = [tie.winner for tie in stages[-1].ties]
        ties = tuple(Tie(pair) for pair in zip(sides[::2], sides[1::2], strict=True))
        stages.append(Column(title_of(len(ties)).capitalize(), ties))
    return tuple(stages)


def decided_by(meeting: Meeting, seeds: Mapping[str, int]) -> str:
    """Return the tie-break between the last bot that advances and the first that does not; empty if blocks won decided."""
    if not meeting.ranked or meeting.kept >= len(meeting.ranked):
        return ""
    last, first = meeting.ranked[meeting.kept - 1], meeting.ranked[meeting.kept]
    if meeting.won[last] != meeting.won[first]:
        return ""
    if meeting.points[last] != meeting.points[first]:
        return "as many blocks won, more points"
    return f"tied: seed {seeds[last]} goes before seed {seeds[first]}" if {last, first} <= seeds.keys() else "tied"


def _pairs(stage: RoundView) -> tuple[Tie, ...]:
    met = {frozenset(each.bots): each for each in stage.meetings}
    bracket = stage.stage.bracket
    pairs = [tuple(bot for bot in pair if bot is not None) for pair in zip(bracket[::2], bracket[1::2], strict=True)]
    return tuple(Tie(tuple(Side(bot) for bot in pair), met.get(frozenset(pair))) for pair in pairs)


def _tables(stage: RoundView) -> Column:
    ties = [Tie(tuple(Side(bot) for bot in each.bots), each) for each in stage.meetings]
    byes = [Tie((Side(bot),)) for bot in stage.stage.byes]
    return Column(_title(stage), (*ties, *byes), stage.is_over, has_begun=True)


def _title(stage: RoundView) -> str:
    return stage.stage.title.capitalize()
