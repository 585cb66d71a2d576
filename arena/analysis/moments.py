"""The key moments of a match: the turns that changed most, each by its main cause (``moments_of``).

Chances in the middle of a turn say little, since what the turn is about may be still to come: a turn that goes up and comes back is one
small change. So graphs and moments go from the end of one turn to the end of the next (``drawn_frames``).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.analysis.match_analysis import DecisionAnalysis, Grade, MatchAnalysis, Moment, MomentKind, Unit, Vector, grade_of
from arena.analysis.skill_and_luck import plus
from engine.text import figure

MOMENTS: Final = 5
"""The most key moments."""
LEAST_MOMENT: Final = 0.01
"""The least change that makes a moment: of a chance, or as a share of the points in the end."""
KIND_WORDS: Final = {
    MomentKind.INACCURACY: "an inaccuracy",
    MomentKind.MISTAKE: "a mistake",
    MomentKind.BLUNDER: "a blunder",
    MomentKind.SETBACK: "a setback",
    MomentKind.GAIN: "a strong move",
    MomentKind.MOVE: "a move",
    MomentKind.LUCK: "luck",
}
"""What a moment is called."""
_BY_GRADE: Final = {
    Grade.INACCURACY: MomentKind.INACCURACY,
    Grade.MISTAKE: MomentKind.MISTAKE,
    Grade.BLUNDER: MomentKind.BLUNDER,
}
LEAST_SHOWN: Final = 0.005
"""The least change of a chance that is not rounded to nothing."""
LEAST_APART: Final = 0.05
"""How much of a moment's change has another cause before that is said: of a chance, or as a share of the points in the end."""


class _Cause(NamedTuple):
    """Something that changed chances in a turn: the seat's decisions, or chance after them, with the one that did most."""

    effect: Vector
    decision: DecisionAnalysis
    kind: MomentKind


def moments_of(analysis: MatchAnalysis) -> tuple[Moment, ...]:
    """Return the turns that changed most, at most ``MOMENTS``, in their order."""
    ending = _ending(analysis)
    least = LEAST_MOMENT * _scale(analysis)
    found = []
    for turn in _turns(analysis.decisions):
        change = _change(analysis, turn, ending)
        cause = max(_causes(analysis, turn, ending), key=lambda each: _share(each.effect, change))
        if _size(change) >= least and _size(cause.effect) >= least:
            found.append((_size(change), _moment(analysis, cause, change)))
    found.sort(key=lambda entry: -entry[0])
    return tuple(sorted((moment for _, moment in found[:MOMENTS]), key=lambda moment: moment.index))


def drawn_frames(analysis: MatchAnalysis) -> list[int]:
    """Return the frames between which a graph has straight lines: the start, the end of each turn, and the one before the match ends."""
    last = len(analysis.chances) - 1
    if len(analysis.decisions) < analysis.total or analysis.players == 1:
        return list(range(last + 1))
    ends = {turn[-1].index + 1 for turn in _turns(analysis.decisions)}
    ending = _ending(analysis)
    is_apart = not any(any(each.luck) for each in analysis.decisions[ending:])
    return sorted({0, *ends, last} | ({ending} if is_apart else set()))


def drawn_chances(analysis: MatchAnalysis, frame: int) -> Vector:
    """Return what a graph shows at a frame that is known."""
    frames = drawn_frames(analysis)
    after = bisect_left(frames, frame)
    if frames[after] == frame:
        return analysis.chances[frame]
    low, high = frames[after - 1], frames[after]
    share = (frame - low) / (high - low)
    return tuple(one + share * (other - one) for one, other in zip(analysis.chances[low], analysis.chances[high], strict=True))


def kind_words(moment: Moment) -> str:
    """Return what a moment is called, without an article, as a list has it."""
    return KIND_WORDS[moment.kind].removeprefix("an ").removeprefix("a ")


def moment_words(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return what happened, and what that changed for whom."""
    return f"{moment.words} ({changed_words(analysis, moment)}{_apart(analysis, moment)})"


def changed_words(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return for whom a moment changed how much.

    That is the seat that decided, and at a table of more than two also those that lost and gained most.
    """
    changed = moment.change
    seats = range(len(changed))
    if len(changed) <= 2:
        shown = {moment.seat}
    else:
        shown = {min(seats, key=changed.__getitem__), max(seats, key=changed.__getitem__)}
        if moment.kind not in {MomentKind.LUCK, MomentKind.MOVE}:
            shown.add(moment.seat)
    told = [
        f"{analysis.names[seat]} {signed(analysis, changed[seat])}"
        for seat in sorted(shown, key=lambda seat: -abs(changed[seat]))
        if analysis.unit is Unit.POINTS or abs(changed[seat]) >= LEAST_SHOWN
    ]
    return ", ".join(told)


def _mover(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return whose moment it was: the seat's player, or its substitute."""
    name = analysis.names[moment.seat]
    return f"{name}'s substitute" if moment.is_substitute else name


def titled(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return what a moment is called with whose it was: ``a strong move by Ann``."""
    by = "after a move" if moment.kind is MomentKind.LUCK else ""
    return " ".join(filter(None, (KIND_WORDS[moment.kind], by, "by", _mover(analysis, moment))))


def _apart(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return how much of a turn's change the cause is not, if that is of weight."""
    rest = moment.change[moment.seat] - moment.effect[moment.seat]
    if abs(rest) < LEAST_APART * _scale(analysis):
        return ""
    other = "the moves" if moment.kind is MomentKind.LUCK else "luck"
    is_against = rest * moment.change[moment.seat] < 0
    return f"; {'in spite of' if is_against else 'of that'} {signed(analysis, rest)} by {other}"


def player(analysis: MatchAnalysis, decision: DecisionAnalysis) -> str:
    """Return who decided: the seat's player, or its substitute."""
    name = analysis.names[decision.seat]
    return f"{name}'s substitute" if decision.is_substitute else name


def amount(analysis: MatchAnalysis, change: float) -> str:
    """Return a change as people read it: ``+12 points`` of a hundred that are a sure win, or ``-3`` of a game's own points."""
    told = signed(analysis, change)
    if analysis.unit is Unit.POINTS:
        return told
    return f"{told} point" if told in {"+1", "-1"} else f"{told} points"


def signed(analysis: MatchAnalysis, change: float) -> str:
    """Return a change as a figure alone."""
    if analysis.unit is Unit.POINTS:
        return f"{'+' if change >= 0 else '-'}{figure(abs(round(change, 1)))}"
    return f"{round(100 * change):+d}"


def _ending(analysis: MatchAnalysis) -> int:
    """Return the first decision of those that only end the match, whose chances jump to the result; all secret choices of the end count."""
    if len(analysis.decisions) < analysis.total or analysis.unit is Unit.POINTS:
        return analysis.total
    first = analysis.total - 1
    while first > 0 and analysis.chances[first - 1] == analysis.chances[first]:
        first -= 1
    return first


def _turns(decisions: Sequence[DecisionAnalysis]) -> list[list[DecisionAnalysis]]:
    """Return the decisions in runs of one seat, or of its substitute; of a seat alone, one by one."""
    turns: list[list[DecisionAnalysis]] = []
    for decision in decisions:
        last = turns[-1][-1] if turns else None
        is_same = last is not None and (last.seat, last.is_substitute) == (decision.seat, decision.is_substitute)
        if is_same and len(decision.skill) > 1:
            turns[-1].append(decision)
        else:
            turns.append([decision])
    return turns


def _scale(analysis: MatchAnalysis) -> float:
    return 1.0 if analysis.unit is Unit.CHANCE else max(1.0, *map(abs, analysis.scores))


def _size(change: Vector) -> float:
    """Return how much of the chances (points) went from some seats to others."""
    return sum(map(abs, change)) / 2 if len(change) > 1 else abs(change[0])


def _share(effect: Vector, change: Vector) -> float:
    """Return how far an effect goes the way of a change."""
    return sum(one * other for one, other in zip(effect, change, strict=True))


def _change(analysis: MatchAnalysis, turn: Sequence[DecisionAnalysis], ending: int) -> Vector:
    """Return what a turn changed, without what only ended the match."""
    parts = [plus(each.skill, each.luck) for each in turn if _counts(analysis, each, ending)]
    return plus(*parts) if parts else (0.0,) * analysis.players


def _counts(analysis: MatchAnalysis, decision: DecisionAnalysis, ending: int) -> bool:
    """Return whether a decision did more than end the match: one of the end does if a better one was there, or if chance followed."""
    return decision.index < ending or any(decision.luck) or grade_of(decision.loss / _scale(analysis)) is not Grade.FINE


def _causes(analysis: MatchAnalysis, turn: Sequence[DecisionAnalysis], ending: int) -> list[_Cause]:
    """Return what changed chances in a turn: its decisions together, and chance after all of them.

    What only ended the match is no cause.
    """
    luckiest = max(turn, key=lambda each: _size(each.luck))
    causes = [_Cause(plus(*(each.luck for each in turn)), luckiest, MomentKind.LUCK)]
    scale = _scale(analysis)
    counted = [each for each in turn if _counts(analysis, each, ending)]
    if not counted:
        return causes
    seat = turn[0].seat
    skill = plus(*(each.skill for each in counted))
    worst = max(counted, key=lambda each: each.loss)
    grade = grade_of(worst.loss / scale)
    if skill[seat] < 0 and grade in _BY_GRADE and worst.best is not None:
        return [*causes, _Cause(skill, worst, _BY_GRADE[grade])]
    if abs(skill[seat]) < LEAST_MOMENT * scale:
        return [*causes, _Cause(skill, max(counted, key=lambda each: _size(each.skill)), MomentKind.MOVE)]
    if skill[seat] < 0:
        return [*causes, _Cause(skill, min(counted, key=lambda each: each.skill[seat]), MomentKind.SETBACK)]
    return [*causes, _Cause(skill, max(counted, key=lambda each: each.skill[seat]), MomentKind.GAIN)]


def _moment(analysis: MatchAnalysis, cause: _Cause, change: Vector) -> Moment:
    decision = cause.decision
    words = _words(analysis, decision, cause.kind)
    return Moment(decision.index, decision.seat, cause.kind, change, words, cause.effect, decision.is_substitute)


def _words(analysis: MatchAnalysis, decision: DecisionAnalysis, kind: MomentKind) -> str:
    """Return what happened, without figures."""
    did = f"{player(analysis, decision)} {decision.played.words}"
    if kind in _BY_GRADE.values() and decision.best is not None:
        return f"{did}; better: {decision.best.words}"
    if kind is MomentKind.LUCK:
        return f"{did}: {', '.join(decision.events) or 'chance decides'}"
    return did
