"""Chances and key moments in words, the same everywhere in the program."""

from __future__ import annotations

from typing import Final

from arena.analysis.key_moments import Turn
from arena.analysis.match_analysis import MatchAnalysis, Moment, MomentKind, Unit
from engine.text import figure, percent, signed

_KIND_WORDS: Final = {MomentKind.GAIN: "strong move", MomentKind.LUCK: "mostly luck"}
"""The names of moments that differ from the name of their kind."""


def worth(analysis: MatchAnalysis, value: float) -> str:
    """Return a chance in per cent, or points."""
    return percent(value) if analysis.unit is Unit.CHANCE else figure(round(value, 1))


def amount(analysis: MatchAnalysis, change: float) -> str:
    """Return a change in words: ``+12 pp``, percentage points of the chance to win, or ``+3 points`` of a game's own."""
    return f"{signed(100 * change)} pp" if analysis.unit is Unit.CHANCE else f"{signed(change, 1)} points"


def decisions_words(turn: Moment | Turn) -> str:
    """Return which decisions a turn consists of, counted from 1: ``decision 29``, or ``decisions 101 to 103``."""
    return f"decision {turn.first + 1}" if turn.first == turn.last else f"decisions {turn.first + 1} to {turn.last + 1}"


def moment_title(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return the decisions of a moment, its player and its name: ``Decision 29, Ann: blunder``."""
    at = "" if moment.first == moment.last else f" {'after' if moment.kind is MomentKind.LUCK else 'at'} {moment.index + 1}"
    kind = _KIND_WORDS.get(moment.kind, moment.kind.value)
    return f"{decisions_words(moment).capitalize()}, {analysis.player(moment)}: {kind}{at}"


def changed_words(analysis: MatchAnalysis, moment: Moment) -> str:
    """Return what a moment changed, first for who moved, then for the other seat that it changed most: ``Ann 48 % to 67 %, Bob 41 % to
    28 %``; for a table of two the other one's change is the same.
    """
    others = sorted((seat for seat in range(analysis.players) if seat != moment.seat), key=lambda seat: -abs(moment.change[seat]))
    shown = [moment.seat] if analysis.players <= 2 else [moment.seat, others[0]]
    return ", ".join(
        f"{analysis.names[seat]} {worth(analysis, moment.before[seat])} to {worth(analysis, moment.after[seat])}" for seat in shown
    )
