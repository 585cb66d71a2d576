"""The winner's way from the first chance to the result: how much of it the key moments are, and what the rest is (``way_words``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.analysis.match_analysis import MatchAnalysis, Unit
from arena.analysis.moment_words import from_to, percent, worth
from arena.analysis.turns import Turn, turns_of

ENDED: Final = "the match ended, and the result took the place of the chances"
"""What the last turn is called where it is no key moment."""
_NUMBERS: Final = ("no", "one", "two", "three", "four", "five")


def end_turn(analysis: MatchAnalysis) -> Turn | None:
    """Return the last turn of a match if it is no key moment but changed the winner's chance, since chances become the result."""
    if len(analysis.decisions) < analysis.total or analysis.unit is Unit.POINTS:
        return None
    end = turns_of(analysis)[-1]
    is_told = any(moment.last == end.last for moment in analysis.moments)
    return None if is_told or not _gained(analysis, [end]) else end


def way_words(analysis: MatchAnalysis) -> str:
    """Return what the winner's chance was first and last, and what the key moments and all other turns gave it, by decisions and by luck.

    Figures are whole ones, and add up as they stand there. Nothing is returned where there are no moments, or not all is known.
    """
    if not analysis.moments or len(analysis.decisions) < analysis.total:
        return ""
    winner = analysis.winners[0]
    end = end_turn(analysis)
    chosen = {moment.first for moment in analysis.moments}
    turns = turns_of(analysis)
    told = [turn for turn in turns if turn.first in chosen]
    rest = [turn for turn in turns if turn.first not in chosen and turn != end]
    lucky = [_luck(analysis, told), 0 if end is None else _luck(analysis, [end])]
    others = _luck(analysis, turns) - sum(lucky)
    is_chance = analysis.unit is Unit.CHANCE
    word = "turn" if is_chance else "decision"
    these = f"this {word}" if len(told) == 1 else f"these {_NUMBERS[len(told)]} {word}s"
    parts = [_part(analysis, _gained(analysis, told), lucky[0], f"in {these}")]
    if end is not None:
        parts.append(_part(analysis, _gained(analysis, [end]), lucky[1], "at the end"))
    if rest:
        other = f"the other {word}" if len(rest) == 1 else f"the other {len(rest)} {word}s"
        parts.append(_part(analysis, _gained(analysis, rest), others, f"in {other}"))
    first, last = (analysis.chances[frame][winner] for frame in (0, -1))
    what = "chance" if is_chance else "points"
    unit = " percentage points (pp)" if is_chance else ""
    whole = f"From the start to the end {analysis.names[winner]}'s {what} went from {from_to(analysis, first, last)}"
    forfeits = analysis.accounts[winner].forfeits
    then = f" The rules on forfeits made it {worth(analysis, analysis.accounts[winner].result)}." if forfeits else ""
    return f"{whole}, {_gained(analysis, turns):+d}{unit}: {', '.join(parts)}.{then}"


def _part(analysis: MatchAnalysis, change: int, luck: int, where: str) -> str:
    """Return a part of the way, with what decisions and luck did in it if there was luck in the match."""
    is_apart = any(any(each.luck) for each in analysis.decisions)
    return f"{change:+d} {where}" + (f" (decisions {change - luck:+d}, luck {luck:+d})" if is_apart else "")


def _gained(analysis: MatchAnalysis, turns: Iterable[Turn]) -> int:
    """Return what these turns changed for the winner, by the whole figures before and after each of them."""
    winner = analysis.winners[0]
    figure_of = percent if analysis.unit is Unit.CHANCE else round
    return sum(figure_of(analysis.chances[each.last + 1][winner]) - figure_of(analysis.chances[each.first][winner]) for each in turns)


def _luck(analysis: MatchAnalysis, turns: Iterable[Turn]) -> int:
    """Return what chance changed for the winner in these turns, as a whole figure."""
    winner = analysis.winners[0]
    scale = 100 if analysis.unit is Unit.CHANCE else 1
    return round(scale * sum(each.luck[winner] for turn in turns for each in turn.decisions))
