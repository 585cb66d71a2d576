"""Chances, turns, key moments and the winner's way to the result in words, the same wherever people read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor
from typing import Final

from arena.analysis.key_moments import Turn, turns_of
from arena.analysis.match_analysis import MatchAnalysis, MatchFigures, Moment, MomentKind, Unit, Vector
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
"""The least change by another cause that a moment mentions: of a chance, or as a share of the final points."""
_DIGITS: Final = 4
"""Digits of a chance in the viewer: it and the terminal round the same figures."""
ENDED: Final = "the match ended, and the result took the place of the chances"
"""What the last turn is called where it is no key moment."""
_NUMBERS: Final = ("no", "one", "two", "three", "four", "five")


def percent(chance: float) -> int:
    """Return a chance in whole per cent, as all graphs, lists and sentences have it."""
    return floor(100 * round(chance, _DIGITS) + 0.5)


def worth(figures: MatchFigures, value: float) -> str:
    """Return a chance in per cent, or points."""
    return f"{percent(value)} %" if figures.unit is Unit.CHANCE else figure(round(value, 1))


def from_to(figures: MatchFigures, before: float, after: float) -> str:
    """Return a change as ``48 % to 67 %``, or in points as ``12 to 17``."""
    return f"{worth(figures, before)} to {worth(figures, after)}"


def signed(figures: MatchFigures, change: float) -> str:
    """Return a change as a figure alone."""
    if figures.unit is Unit.POINTS:
        return f"{'+' if change >= 0 else '-'}{figure(abs(round(change, 1)))}"
    return f"{round(100 * change):+d}"


def amount(figures: MatchFigures, change: float) -> str:
    """Return a change as people read it: ``+12 pp``, percentage points of the chance to win, or ``-3 points`` of a game's own."""
    change_text = signed(figures, change)
    if figures.unit is Unit.CHANCE:
        return f"{change_text} pp"
    return f"{change_text} point" if change_text in {"+1", "-1"} else f"{change_text} points"


def kind_words(moment: Moment) -> str:
    """Return the name of a moment, without an article, for lists."""
    return KIND_WORDS[moment.kind].removeprefix("an ").removeprefix("a ")


def span_words(turn: Moment | Turn) -> str:
    """Return which decisions a turn consists of, counted from 1: ``29``, or ``101 to 103``."""
    return str(turn.first + 1) if turn.first == turn.last else f"{turn.first + 1} to {turn.last + 1}"


def decisions_words(turn: Moment | Turn) -> str:
    """Return the same as ``decision 29``, or ``decisions 101 to 103``."""
    return f"decision{'' if turn.first == turn.last else 's'} {span_words(turn)}"


def titled(figures: MatchFigures, moment: Moment) -> str:
    """Return the name of a moment with its player: ``a strong move by Ann``."""
    by = "after a move by" if moment.kind is MomentKind.LUCK else "by"
    return f"{KIND_WORDS[moment.kind]} {by} {figures.player(moment)}"


def where_words(moment: Moment) -> str:
    """Return which decision of a longer turn it was: `` after 102`` for luck, `` at 102`` otherwise; empty if there is only one."""
    if moment.first == moment.last:
        return ""
    return f" {'after' if moment.kind is MomentKind.LUCK else 'at'} {moment.index + 1}"


def moment_words(figures: MatchFigures, moment: Moment) -> str:
    """Return a moment in words: its name, the event, the change for others than the winner, and any share of another cause."""
    added = [words for words in (changed_words(figures, moment.before, moment.after, moment), _apart(figures, moment)) if words]
    words_of_moment = f"{kind_words(moment)}{where_words(moment)}: {moment.words}"
    return f"{words_of_moment} ({'; '.join(added)})" if added else words_of_moment


def changed_words(figures: MatchFigures, before: Vector, after: Vector, moment: Moment | None = None) -> str:
    """Return, at a table of more than two, which seats lost and gained most, from where to where, and the same of the one that decided.

    The winner is left out, since callers add it.
    """
    seats = range(len(before))
    if len(before) <= 2:
        return ""
    change = [after[seat] - before[seat] for seat in seats]
    shown = {min(seats, key=change.__getitem__), max(seats, key=change.__getitem__)}
    if moment is not None and moment.kind not in {MomentKind.LUCK, MomentKind.MOVE}:
        shown.add(moment.seat)
    changes = [
        f"{figures.names[seat]} {from_to(figures, before[seat], after[seat])}"
        for seat in sorted(shown - {figures.winners[0]}, key=lambda seat: -abs(change[seat]))
        if percent(before[seat]) != percent(after[seat])
    ]
    return ", ".join(changes)


def _apart(figures: MatchFigures, moment: Moment) -> str:
    """Return how much of a turn's change the cause is not, for the seat that decided, if that is of weight."""
    rest = moment.change[moment.seat] - moment.effect[moment.seat]
    if abs(rest) < _LEAST_APART * figures.scale:
        return ""
    is_shared = any(each.seat != moment.seat for each in figures.decisions[moment.first : moment.last + 1])
    other = "the moves" if moment.kind is MomentKind.LUCK else "luck and others' choices" if is_shared else "luck"
    return f"{other} alone: {amount(figures, rest)} for {figures.names[moment.seat]}"


def end_turn(figures: MatchFigures, moments: Sequence[Moment]) -> Turn | None:
    """Return the last turn if it changed the winner's chance (chances become the result) but is not one of the moments."""
    if not figures.is_split or figures.unit is Unit.POINTS:
        return None
    end = turns_of(figures)[-1]
    is_moment = any(moment.last == end.last for moment in moments)
    return None if is_moment or not _gained(figures, [end]) else end


def way_words(analysis: MatchAnalysis) -> str:
    """Return the winner's first and last chance, and the gains from the key moments and from all other turns, by decisions and by luck.

    Figures are rounded so that they add up. The result is empty if there are no moments, or not everything is known.
    """
    figures = analysis
    if not analysis.moments or not figures.is_split:
        return ""
    winner = figures.winners[0]
    end = end_turn(figures, analysis.moments)
    first_decisions = {moment.first for moment in analysis.moments}
    turns = turns_of(figures)
    key_turns = [turn for turn in turns if turn.first in first_decisions]
    rest = [turn for turn in turns if turn.first not in first_decisions and turn != end]
    lucky = [_luck(figures, key_turns), 0 if end is None else _luck(figures, [end])]
    others = _luck(figures, turns) - sum(lucky)
    is_chance = figures.unit is Unit.CHANCE
    word = "turn" if is_chance else "decision"
    these = f"this {word}" if len(key_turns) == 1 else f"these {_NUMBERS[len(key_turns)]} {word}s"
    parts = [_part(figures, _gained(figures, key_turns), lucky[0], f"in {these}")]
    if end is not None:
        parts.append(_part(figures, _gained(figures, [end]), lucky[1], "at the end"))
    if rest:
        other = f"the other {word}" if len(rest) == 1 else f"the other {len(rest)} {word}s"
        parts.append(_part(figures, _gained(figures, rest), others, f"in {other}"))
    first, last = (figures.chances[frame][winner] for frame in (0, -1))
    what = "chance" if is_chance else "points"
    unit = " percentage points (pp)" if is_chance else ""
    whole = f"From the start to the end {figures.names[winner]}'s {what} went from {from_to(figures, first, last)}"
    forfeits = figures.accounts[winner].forfeits
    then = f" The rules on forfeits made it {worth(figures, figures.accounts[winner].result)}." if forfeits else ""
    return f"{whole}, {_gained(figures, turns):+d}{unit}: {', '.join(parts)}.{then}"


def _part(figures: MatchFigures, change: int, luck: int, where: str) -> str:
    """Return a part of the gain, split into decisions and luck if there was luck in the match."""
    is_apart = any(any(each.luck) for each in figures.decisions)
    return f"{change:+d} {where}" + (f" (decisions {change - luck:+d}, luck {luck:+d})" if is_apart else "")


def _gained(figures: MatchFigures, turns: Iterable[Turn]) -> int:
    """Return the change of the winner's chance in these turns, from the rounded figures before and after each of them."""
    winner = figures.winners[0]
    figure_of = percent if figures.unit is Unit.CHANCE else round
    return sum(figure_of(figures.chances[each.last + 1][winner]) - figure_of(figures.chances[each.first][winner]) for each in turns)


def _luck(figures: MatchFigures, turns: Iterable[Turn]) -> int:
    """Return the winner's luck in these turns, as a rounded figure."""
    winner = figures.winners[0]
    scale = 100 if figures.unit is Unit.CHANCE else 1
    return round(scale * sum(each.luck[winner] for turn in turns for each in turn.decisions))
