"""Chances and key moments in words, the same everywhere in the program."""

from __future__ import annotations

from math import floor
from typing import Final

from arena.analysis.key_moments import Turn
from arena.analysis.match_analysis import MatchFigures, Moment, MomentKind, Unit
from engine.text import figure

_KIND_WORDS: Final = {MomentKind.GAIN: "strong move", MomentKind.LUCK: "mostly luck"}
"""The names of moments that differ from the name of their kind."""
_DIGITS: Final = 4
"""The digits of a chance in the viewer, so that it and the terminal round the same figures."""


def percent(chance: float) -> int:
    """Return a chance in whole per cent, as in all graphs, lists and sentences."""
    return floor(100 * round(chance, _DIGITS) + 0.5)


def worth(figures: MatchFigures, value: float) -> str:
    """Return a chance in per cent, or points."""
    return f"{percent(value)} %" if figures.unit is Unit.CHANCE else figure(round(value, 1))


def amount(figures: MatchFigures, change: float) -> str:
    """Return a change in words: ``+12 pp``, percentage points of the chance to win, or ``-3 points`` of a game's own."""
    if figures.unit is Unit.CHANCE:
        return f"{round(100 * change):+d} pp"
    points = figure(abs(round(change, 1)))
    return f"{'+' if change >= 0 else '-'}{points} point{'' if points == '1' else 's'}"


def kind_words(moment: Moment) -> str:
    """Return the name of a moment, without an article."""
    return _KIND_WORDS.get(moment.kind, moment.kind.value)


def decisions_words(turn: Moment | Turn) -> str:
    """Return which decisions a turn consists of, counted from 1: ``decision 29``, or ``decisions 101 to 103``."""
    return f"decision {turn.first + 1}" if turn.first == turn.last else f"decisions {turn.first + 1} to {turn.last + 1}"


def moment_title(figures: MatchFigures, moment: Moment) -> str:
    """Return the decisions of a moment, its player and its name: ``Decision 29, Ann: blunder``."""
    at = "" if moment.first == moment.last else f" {'after' if moment.kind is MomentKind.LUCK else 'at'} {moment.index + 1}"
    return f"{decisions_words(moment).capitalize()}, {figures.player(moment)}: {kind_words(moment)}{at}"


def changed_words(figures: MatchFigures, moment: Moment) -> str:
    """Return what a moment changed, the winner first, then the other seat that it changed most: ``Ann 48 % to 67 %, Bob 41 % to 28 %``."""
    winner = figures.winners[0]
    others = sorted((seat for seat in range(figures.players) if seat != winner), key=lambda seat: -abs(moment.change[seat]))
    shown = [winner] if figures.players <= 2 else [winner, others[0]]
    return ", ".join(
        f"{figures.names[seat]} {worth(figures, moment.before[seat])} to {worth(figures, moment.after[seat])}" for seat in shown
    )
