"""What an analysis prints of chances, turns and key moments, in words that are alike wherever people read them."""

from __future__ import annotations

from math import floor
from typing import Final

from arena.analysis.match_analysis import DecisionAnalysis, MatchAnalysis, Moment, MomentKind, Unit, Vector
from arena.analysis.turns import Turn, scale_of
from engine.text import figure

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
_LEAST_APART: Final = 0.05
"""How much of a moment's change has another cause before that is said: of a chance, or as a share of the points in the end."""
_DIGITS: Final = 4
"""Those that the viewer is told of a chance: it and the terminal round the same figures."""


def percent(chance: float) -> int:
    """Return a chance in whole per cent, as all graphs, lists and sentences have it."""
    return floor(100 * round(chance, _DIGITS) + 0.5)


def worth(analysis: MatchAnalysis, value: float) -> str:
    """Return a chance in per cent, or points."""
    return f"{percent(value)} %" if analysis.unit is Unit.CHANCE else figure(round(value, 1))


def from_to(analysis: MatchAnalysis, before: float, after: float) -> str:
    """Return a change as ``48 % to 67 %``, or in points as ``12 to 17``."""
    return f"{worth(analysis, before)} to {worth(analysis, after)}"


def signed(analysis: MatchAnalysis, change: float) -> str:
    """Return a change as a figure alone."""
    if analysis.unit is Unit.POINTS:
        return f"{'+' if change >= 0 else '-'}{figure(abs(round(change, 1)))}"
    return f"{round(100 * change):+d}"


def amount(analysis: MatchAnalysis, change: float) -> str:
    """Return a change as people read it: ``+12 pp``, percentage points of the chance to win, or ``-3 points`` of a game's own."""
    told = signed(analysis, change)
    if analysis.unit is Unit.CHANCE:
        return f"{told} pp"
    return f"{told} point" if told in {"+1", "-1"} else f"{told} points"


def kind_words(moment: Moment) -> str:
    """Return what a moment is called, without an article, as a list has it."""
    return KIND_WORDS[moment.kind].removeprefix("an ").removeprefix("a ")


def span_words(turn: Moment | Turn) -> str:
    """Return which decisions a turn consists of, counted from 1: ``29``, or ``101 to 103``."""
    return str(turn.first + 1) if turn.first == turn.last else f"{turn.first + 1} to {turn.last + 1}"


def decisions_words(turn: Moment | Turn) -> str:
    """Return the same as ``decision 29``, or ``decisions 101 to 103``."""
    return f"decision{'' if turn.first == turn.last else 's'} {span_words(turn)}"


def player(analysis: MatchAnalysis, decided: DecisionAnalysis | Moment) -> str:
    """Return who decided: the seat's player, or its substitute."""
    name = analysis.names[decided.seat]
    return f"{name}'s substitute" if decided.is_substitute else name


def titled(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return what a moment is called with whose it was: ``a strong move by Ann``."""
    by = "after a move by" if moment.kind is MomentKind.LUCK else "by"
    return f"{KIND_WORDS[moment.kind]} {by} {player(analysis, moment)}"


def where_words(moment: Moment) -> str:
    """Return which decision of a longer turn it was: `` after 102`` for luck, `` at 102`` for all else; nothing if there is only one."""
    if moment.first == moment.last:
        return ""
    return f" {'after' if moment.kind is MomentKind.LUCK else 'at'} {moment.index + 1}"


def moment_words(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return what a moment was, what happened, what that changed for others than the winner, and what of it had another cause."""
    added = [words for words in (changed_words(analysis, moment.before, moment.after, moment), _apart(analysis, moment)) if words]
    told = f"{kind_words(moment)}{where_words(moment)}: {moment.words}"
    return f"{told} ({'; '.join(added)})" if added else told


def changed_words(analysis: MatchAnalysis, before: Vector, after: Vector, moment: Moment | None = None) -> str:
    """Return, at a table of more than two, which seats lost and gained most, from where to where, and the same of the one that decided.

    The winner is left out: whoever uses these words tells it in any case.
    """
    seats = range(len(before))
    if len(before) <= 2:
        return ""
    change = [after[seat] - before[seat] for seat in seats]
    shown = {min(seats, key=change.__getitem__), max(seats, key=change.__getitem__)}
    if moment is not None and moment.kind not in {MomentKind.LUCK, MomentKind.MOVE}:
        shown.add(moment.seat)
    told = [
        f"{analysis.names[seat]} {from_to(analysis, before[seat], after[seat])}"
        for seat in sorted(shown - {analysis.winners[0]}, key=lambda seat: -abs(change[seat]))
        if percent(before[seat]) != percent(after[seat])
    ]
    return ", ".join(told)


def _apart(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return how much of a turn's change the cause is not, for the seat that decided, if that is of weight."""
    rest = moment.change[moment.seat] - moment.effect[moment.seat]
    if abs(rest) < _LEAST_APART * scale_of(analysis):
        return ""
    is_shared = any(each.seat != moment.seat for each in analysis.decisions[moment.first : moment.last + 1])
    other = "the moves" if moment.kind is MomentKind.LUCK else "luck and others' choices" if is_shared else "luck"
    return f"{other} alone: {amount(analysis, rest)} for {analysis.names[moment.seat]}"
