"""The key moments of a match: the turns that changed most, each by its main cause (``moments_of``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.analysis.match_analysis import DecisionAnalysis, Grade, MatchAnalysis, Moment, MomentKind, Vector, grade_of
from arena.analysis.moment_words import player
from arena.analysis.skill_and_luck import plus
from arena.analysis.turns import Turn, scale_of, turns_of

MOMENTS: Final = 5
"""The most key moments."""
LEAST_MOMENT: Final = 0.01
"""The least change that makes a moment: of a chance, or as a share of the points in the end."""
_BY_GRADE: Final = {
    Grade.INACCURACY: MomentKind.INACCURACY,
    Grade.MISTAKE: MomentKind.MISTAKE,
    Grade.BLUNDER: MomentKind.BLUNDER,
}


class _Cause(NamedTuple):
    """Something that changed chances in a turn: the seat's decisions, or chance after them, with the one that did most."""

    effect: Vector
    decision: DecisionAnalysis
    kind: MomentKind


def moments_of(analysis: MatchAnalysis) -> tuple[Moment, ...]:
    """Return the turns that changed most, at most ``MOMENTS``, in their order."""
    least = LEAST_MOMENT * scale_of(analysis)
    found = []
    for turn in turns_of(analysis):
        change = turn.change
        cause = max(_causes(analysis, turn), key=lambda each: _share(each.effect, change))
        if not turn.is_end and _size(change) >= least and _size(cause.effect) >= least:
            found.append((_size(change), _moment(analysis, turn, cause)))
    found.sort(key=lambda entry: -entry[0])
    return tuple(sorted((moment for _, moment in found[:MOMENTS]), key=lambda moment: moment.index))


def _size(change: Vector) -> float:
    """Return how much of the chances (points) went from some seats to others."""
    return sum(map(abs, change)) / 2 if len(change) > 1 else abs(change[0])


def _share(effect: Vector, change: Vector) -> float:
    """Return how far an effect goes the way of a change."""
    return sum(one * other for one, other in zip(effect, change, strict=True))


def _causes(analysis: MatchAnalysis, turn: Turn) -> list[_Cause]:
    """Return what changed chances in a turn: each seat's decisions together, and chance after all of them."""
    luckiest = max(turn.decisions, key=lambda each: _size(each.luck))
    luck = _Cause(plus(*(each.luck for each in turn.decisions)), luckiest, MomentKind.LUCK)
    seats = dict.fromkeys(each.seat for each in turn.decisions)
    return [luck, *(_decided(analysis, [each for each in turn.decisions if each.seat == seat]) for seat in seats)]


def _decided(analysis: MatchAnalysis, decisions: Sequence[DecisionAnalysis]) -> _Cause:
    """Return what decisions of one seat changed in a turn, named by what that meant for it."""
    seat = decisions[0].seat
    scale = scale_of(analysis)
    skill = plus(*(each.skill for each in decisions))
    worst = max(decisions, key=lambda each: each.loss)
    grade = grade_of(worst.loss / scale)
    if skill[seat] < 0 and grade in _BY_GRADE and worst.best is not None:
        return _Cause(skill, worst, _BY_GRADE[grade])
    if abs(skill[seat]) < LEAST_MOMENT * scale:
        return _Cause(skill, max(decisions, key=lambda each: _size(each.skill)), MomentKind.MOVE)
    if skill[seat] < 0:
        return _Cause(skill, min(decisions, key=lambda each: each.skill[seat]), MomentKind.SETBACK)
    return _Cause(skill, max(decisions, key=lambda each: each.skill[seat]), MomentKind.GAIN)


def _moment(analysis: MatchAnalysis, turn: Turn, cause: _Cause) -> Moment:
    decision = cause.decision
    return Moment(
        index=decision.index,
        seat=decision.seat,
        kind=cause.kind,
        first=turn.first,
        last=turn.last,
        before=analysis.chances[turn.first],
        after=analysis.chances[turn.last + 1],
        change=turn.change,
        effect=cause.effect,
        words=_words(analysis, decision, cause.kind),
        is_substitute=decision.is_substitute,
    )


def _words(analysis: MatchAnalysis, decision: DecisionAnalysis, kind: MomentKind) -> str:
    """Return what happened, without figures."""
    did = f"{player(analysis, decision)} {decision.played.words}"
    if kind in _BY_GRADE.values() and decision.best is not None:
        return f"{did}; better: {decision.best.words}"
    if kind is MomentKind.LUCK:
        return f"{did}: {', '.join(decision.events) or 'chance decides'}"
    return did
