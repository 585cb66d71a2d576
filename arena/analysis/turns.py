"""The turns of a match, which graphs and key moments go by: from the end of one to the end of the next (``turns_of``, ``drawn_frames``).

Chances in the middle of a turn say little, since what the turn is about may be still to come: a turn that goes up and comes back is one
small change.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from arena.analysis.match_analysis import DecisionAnalysis, Grade, MatchAnalysis, Unit, Vector, grade_of
from arena.analysis.skill_and_luck import plus


class Turn(NamedTuple):
    """Decisions of one seat in a row, or of its substitute, or choices in secret that are revealed together.

    ``is_end``: they did no more than end the match, after which the chances are the result.
    """

    decisions: Sequence[DecisionAnalysis]
    is_end: bool

    @property
    def first(self) -> int:
        """The index of its first decision: the frame before the turn."""
        return self.decisions[0].index

    @property
    def last(self) -> int:
        """The index of its last decision; the frame after the turn is the next one."""
        return self.decisions[-1].index

    @property
    def change(self) -> Vector:
        """What it changed, by seat."""
        return plus(*(plus(each.skill, each.luck) for each in self.decisions))


def turns_of(analysis: MatchAnalysis) -> list[Turn]:
    """Return the turns of the decisions that are known; of a seat alone each is one decision."""
    ending = _ending(analysis)
    if any(_counts(analysis, each) for each in analysis.decisions[ending:]):
        ending = analysis.total
    turns = [Turn(run, is_end=False) for run in _runs(analysis.decisions[:ending])]
    return [*turns, Turn(analysis.decisions[ending:], is_end=True)] if ending < len(analysis.decisions) else turns


def drawn_frames(analysis: MatchAnalysis) -> list[int]:
    """Return the frames between which a graph has straight lines: the start and the end of each turn."""
    last = len(analysis.chances) - 1
    if len(analysis.decisions) < analysis.total or analysis.players == 1:
        return list(range(last + 1))
    return [0, *(turn.last + 1 for turn in turns_of(analysis))]


def drawn_chances(analysis: MatchAnalysis, frame: int) -> Vector:
    """Return what a graph shows at a frame that is known."""
    frames = drawn_frames(analysis)
    after = bisect_left(frames, frame)
    if frames[after] == frame:
        return analysis.chances[frame]
    low, high = frames[after - 1], frames[after]
    share = (frame - low) / (high - low)
    return tuple(one + share * (other - one) for one, other in zip(analysis.chances[low], analysis.chances[high], strict=True))


def scale_of(analysis: MatchAnalysis) -> float:
    """Return what changes are measured against: a sure win, or the points in the end."""
    return 1.0 if analysis.unit is Unit.CHANCE else max(1.0, *map(abs, analysis.scores))


def _ending(analysis: MatchAnalysis) -> int:
    """Return the first of the decisions with which chances jump to the result; all secret choices of the end are among them."""
    if len(analysis.decisions) < analysis.total or analysis.unit is Unit.POINTS:
        return analysis.total
    first = analysis.total - 1
    while first > 0 and analysis.chances[first - 1] == analysis.chances[first]:
        first -= 1
    return first


def _counts(analysis: MatchAnalysis, decision: DecisionAnalysis) -> bool:
    """Return whether a decision of the end did more than end the match: a better one was there, or chance followed."""
    return any(decision.luck) or grade_of(decision.loss / scale_of(analysis)) is not Grade.FINE


def _runs(decisions: Sequence[DecisionAnalysis]) -> list[list[DecisionAnalysis]]:
    """Return the decisions turn by turn."""
    runs: list[list[DecisionAnalysis]] = []
    for decision in decisions:
        last = runs[-1][-1] if runs else None
        if last is not None and (last.is_hidden or _goes_on(runs[-1], decision)):
            runs[-1].append(decision)
        else:
            runs.append([decision])
    return runs


def _goes_on(run: Sequence[DecisionAnalysis], decision: DecisionAnalysis) -> bool:
    """Return whether a decision belongs to a seat's turn; one in secret begins another, and after such a turn another begins."""
    last = run[-1]
    is_same = (last.seat, last.is_substitute) == (decision.seat, decision.is_substitute)
    return is_same and len(decision.skill) > 1 and not decision.is_hidden and not run[0].is_hidden
