"""Explains in one sentence why a match was won: what raised the winner's chance most, and which decision contributed most to that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.analysis.key_moments import game_points, turns_of
from arena.analysis.match_analysis import Account, DecisionAnalysis, MatchAnalysis, Method, Unit, rounded
from engine.records import Forfeit
from engine.text import counted, figure, listed, percent

MOST_WORDS: Final = 30
"""The maximum number of words in a sentence with a move; a longer sentence leaves the move's description out."""
LEAST_LUCK: Final = 0.1
"""The sentence mentions the winner's bad luck if it cost at least this much of the chance of winning."""
LEVEL: Final = 0.01
"""Causes are named together if they raised the winner's chance by less than this more than one another."""
FAR_BEHIND: Final = 0.4
"""The winner was far behind if its chance was at most this number divided by the number of players: 20% with two, 10% with four."""


def sentence_of(analysis: MatchAnalysis) -> str:
    """Return a sentence that says why the winner won. Like all text for readers, it counts decisions from 1; records count from 0."""
    if analysis.forfeits:
        return _forfeited(analysis)
    if analysis.unit is Unit.POINTS:
        return _alone(analysis)
    if len(analysis.winners) > 1:
        return f"{_who(analysis)} shared first place."
    if not analysis.is_split:
        return f"{_who(analysis)} won; the analysis ran out of time before it was clear why."
    winner = analysis.accounts[analysis.winners[0]]
    low = min(analysis.chances[turn.first][winner.seat] for turn in turns_of(analysis))
    behind = f" after its chance was down to {percent(low)}" if low * analysis.players <= FAR_BEHIND else ""
    despite = f", despite {round(-rounded(winner, Unit.CHANCE)['luck'])} lost by bad luck" if winner.luck <= -LEAST_LUCK else ""
    cause, words = _cause(analysis, winner)
    full, short = (f"{_who(analysis)} won{behind}: {cause}{more}{despite}." for more in (words and f" ({words})", ""))
    return full if len(full.split()) <= MOST_WORDS else short


def decisive(analysis: MatchAnalysis) -> DecisionAnalysis | None:
    """Return the decision that the sentence names, or None: in the turn that added most to the win's cause, the one that added most."""
    if analysis.forfeits or analysis.unit is Unit.POINTS or len(analysis.winners) > 1 or not analysis.is_split:
        return None
    winner = analysis.accounts[analysis.winners[0]]
    causes = _causes(winner)
    if causes == ["start"]:
        return None
    turns = [turn.decisions for turn in turns_of(analysis) if not turn.is_end] or [analysis.decisions]

    def gain(decision: DecisionAnalysis) -> float:
        is_cause = ("own" if decision.seat == winner.seat else "others") in causes
        return is_cause * decision.skill[winner.seat] + ("luck" in causes) * decision.luck[winner.seat]

    return max(max(turns, key=lambda turn: sum(map(gain, turn))), key=gain)


def forfeit_words(analysis: MatchAnalysis, forfeits: Sequence[Forfeit]) -> str:
    """Return who forfeited, at which decisions and why."""
    return listed([f"{analysis.names[each.seat]} forfeited at decision {each.index + 1} ({each.reason})" for each in forfeits])


def _causes(winner: Account) -> list[str]:
    """Return the largest part of the winner's sum, and those less than a percentage point behind it."""
    parts = {"own": winner.own, "others": winner.rivals, "luck": winner.luck, "start": winner.setup}
    return [part for part, raised in parts.items() if raised > max(parts.values()) - LEVEL]


def _cause(analysis: MatchAnalysis, winner: Account) -> tuple[str, str]:
    """Return the causes of the win with the decision that contributed most, also in words."""
    causes, most = _causes(winner), decisive(analysis)
    others = f"{analysis.names[1 - winner.seat]}'s" if analysis.players == 2 else "the others'"
    told = {"own": "its own decisions", "others": f"{others} decisions", "luck": "luck", "start": "its starting position"}
    together = " together" if causes[1:] else ""
    shown = rounded(winner, Unit.CHANCE) | {"start": round(100 * winner.setup)}  # without the equal share
    cause = f"{listed([told[part] for part in causes])}{together} {_raised(analysis, round(sum(shown[part] for part in causes)))}"
    if most is None:
        return cause, ""
    if causes[0] == "luck":
        return f"{cause}, the most after {_named(analysis, most)}", ", ".join(most.events)
    is_clear = causes == ["own"] or (causes == ["others"] and analysis.players == 2)
    better = f"; better: {most.best.meaning or most.best.notation}" if most.seat != winner.seat and most.best is not None else ""
    where = f"decision {most.index + 1}" if is_clear else _named(analysis, most)
    return f"{cause}, the most at {where}", (most.played.meaning or most.played.notation) + better


def _named(analysis: MatchAnalysis, decision: DecisionAnalysis) -> str:
    return f"decision {decision.index + 1} by {analysis.player(decision)}"


def _forfeited(analysis: MatchAnalysis) -> str:
    """Return the sentence on a match with forfeits. They decided it if no rival was left, or if a seat that forfeited had more points."""
    if analysis.unit is Unit.POINTS:
        return f"{forfeit_words(analysis, analysis.forfeits)}; a substitute played on and ended with {game_points(analysis.scores[0])}."
    most = max(analysis.scores[seat] for seat in analysis.winners)
    is_last = analysis.players - len(analysis.forfeits) == len(analysis.winners)
    decisive = [each for each in analysis.forfeits if is_last or analysis.scores[each.seat] > most]
    came = "won" if len(analysis.winners) == 1 else "shared first place"
    return f"{_who(analysis)} {came} {'because' if decisive else 'after'} {forfeit_words(analysis, decisive or analysis.forfeits)}."


def _alone(analysis: MatchAnalysis) -> str:
    ended = f"{analysis.names[0]} ended with {game_points(analysis.accounts[0].result)}"
    worst = max(analysis.decisions, key=lambda decision: decision.loss, default=None)
    if worst is None or worst.best is None:
        return f"{ended}; no better move was found{'' if analysis.is_whole else ' before time ran out'}."
    lost = figure(round(worst.loss, 1))
    within = f"{lost} more {'was' if lost == '1' else 'were'} within reach at decision {worst.index + 1}"
    return f"{ended}; {within}: {worst.best.meaning or worst.best.notation}."


def _who(analysis: MatchAnalysis) -> str:
    return listed([analysis.names[seat] for seat in analysis.winners])


def _raised(analysis: MatchAnalysis, change: int) -> str:
    return f"raised the winner's chance by {'about ' if analysis.method is Method.PLAYOUTS else ''}{counted(change, 'point')}"
