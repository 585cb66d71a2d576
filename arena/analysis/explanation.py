"""Why the winner of a match won, in one sentence: who did what, and how much it changed (``sentence_of``).

Of a comeback it names the turn that brought it. Else the cause is the part of the winner's sum that contributed most: decisions of rivals,
its own, luck, or the starting position. A forfeit is named alone.
The sentence names the decisions that did most of it. Several wordings are tried, the most informative first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from arena.analysis.key_moments import Turn, turns_of
from arena.analysis.match_analysis import INACCURACY, Account, DecisionAnalysis, MatchFigures, Method, Unit, is_comeback
from arena.analysis.moment_words import decisions_words, percent
from arena.analysis.traits.base import rest_of
from engine.records import Forfeit
from engine.text import counted, figure, listed

MOST_WORDS: Final = 25
"""The most words of a sentence, if it can be shortened to that."""
LEAST_LUCK: Final = 0.1
"""The least change of the winner's chance by luck that is mentioned when luck is not the cause."""
LEAST_COMEBACK: Final = 0.3
"""The least change of the winner's chance by the turn that is named as having brought a comeback."""
_TOGETHER: Final = 1.5
"""Decisions of one kind are named instead of the worst single decision if together they gave away more by this factor."""


def sentence_of(figures: MatchFigures) -> str:
    """Return why the winner won. Decisions are counted from 1, as everywhere for readers; the records count them from 0."""
    ways = list(_sentences(figures))
    return next((way for way in ways if len(way.split()) <= MOST_WORDS), min(ways, key=lambda way: len(way.split())))


def forfeit_words(figures: MatchFigures, forfeits: Sequence[Forfeit], *, with_reasons: bool = True) -> str:
    """Return who forfeited, and at which decisions."""
    return listed(
        [
            f"{figures.names[each.seat]} forfeited at decision {each.index + 1}{f' ({each.reason})' if with_reasons else ''}"
            for each in forfeits
        ]
    )


def _sentences(figures: MatchFigures) -> Iterator[str]:
    """Yield sentences on why the match ended as it did, the most informative first."""
    if figures.forfeits:
        yield from _forfeited(figures)
        return
    if figures.unit is Unit.POINTS:
        yield from _alone(figures)
        return
    who = listed([figures.names[seat] for seat in figures.winners])
    if len(figures.winners) > 1:
        for _, clause in _given_away(figures, range(figures.players)) if figures.is_split else ():
            yield f"{who} shared first place: {clause}."
        yield f"{who} shared first place."
        return
    winner = figures.accounts[figures.winners[0]]
    if not figures.is_split:
        yield f"{who} won; time ran out before it was clear why."
        return
    for clause in _comeback(figures, winner):
        yield f"{who} won {clause}."
    for clause in _causes(figures, winner):
        for more in _luck_beside(figures, winner), "":
            yield f"{who} won: {clause}{more}."
    yield f"{who} won."


def _comeback(figures: MatchFigures, winner: Account) -> Iterator[str]:
    """Yield a clause on the turn that brought the winner's comeback, if there was one, and one turn brought it."""
    turns = [turn for turn in turns_of(figures) if not (turn.is_end and figures.method is Method.PLAYOUTS)]  # random games miss what wins
    chances = [figures.chances[turn.first][winner.seat] for turn in turns]
    low = min(chances, default=1.0)
    if not is_comeback(low, figures.players):
        return
    ends = [figures.chances[turn.last + 1][winner.seat] for turn in turns]
    at = max(range(chances.index(low), len(turns)), key=lambda each: ends[each] - chances[each])
    turn, after = turns[at], ends[at]
    if after - chances[at] < LEAST_COMEBACK:
        return
    if turn.is_end:
        yield f"from a chance of {percent(low)} %: only the end decided it, with {decisions_words(turn)}"
        return
    own = sum(each.skill[winner.seat] for each in turn.decisions if each.seat == winner.seat)
    rivals = sum(each.skill[winner.seat] for each in turn.decisions if each.seat != winner.seat)
    whose = listed(sorted({figures.names[each.seat] for each in turn.decisions if each.seat != winner.seat}))
    causes = {"its own moves": own, f"moves of {whose}": rivals, "luck": sum(each.luck[winner.seat] for each in turn.decisions)}
    cause = max(causes, key=lambda each: causes[each])
    yield f"from a chance of {percent(low)} %: {cause} in {decisions_words(turn)} brought it to {percent(after)} %"


def _causes(figures: MatchFigures, winner: Account) -> Iterator[str]:
    """Yield clauses for the part of the winner's sum that contributed most."""
    parts = {
        _by_decisions: winner.own + winner.rivals,
        _by_luck: winner.luck,
        _by_position: winner.setup,
    }
    yield from max(parts, key=lambda part: parts[part])(figures, winner)


def _by_decisions(figures: MatchFigures, winner: Account) -> Iterator[str]:
    """Yield clauses for what rivals gave away, or for the winner's best turn if that gained more."""
    given = _given_away(figures, [seat for seat in range(figures.players) if seat != winner.seat])
    turn = max(turns_of(figures), key=lambda each: _gain(each, winner.seat))
    gain = 0.0 if turn.is_end else _gain(turn, winner.seat)
    if gain > max((lost for lost, _ in given), default=0.0):
        yield from _one_turn(figures, turn, gain, winner.seat)
    yield from (clause for _, clause in given)
    if winner.own >= winner.rivals:
        yield f"its own moves gained {_chance(figures, winner.own)} in many small steps"
    yield f"moves of its rival{'s' if figures.players > 2 else ''} gave it {_chance(figures, winner.rivals)} in many small steps"


def _one_turn(figures: MatchFigures, turn: Turn, gain: float, seat: int) -> Iterator[str]:
    """Yield clauses for the turn with which the winner gained most: by one decision, or by several of a kind."""
    own = [each for each in turn.decisions if _is_own(each, seat)]
    best = max(own, key=lambda each: each.skill[seat])
    gained = f"it gained {_chance(figures, gain)}"
    alike = [each for each in own if each.kind == best.kind and each.skill[seat] > 0]
    if len(alike) > 1:
        yield f"{gained} in one turn, with {len(alike)} {best.kind} (decisions {own[0].index + 1} to {own[-1].index + 1})"
    elif best.played.traits.deed:
        yield f"{gained} by {best.played.traits.deed} (decision {best.index + 1})"
    yield f"{gained} at decision {best.index + 1}, with {best.played.notation}"
    yield f"{gained} at decision {best.index + 1}"


def _by_luck(figures: MatchFigures, winner: Account) -> Iterator[str]:
    luckiest = max(figures.decisions, key=lambda each: each.luck[winner.seat])
    where = f"luck gave it {_chance(figures, winner.luck)}, most after decision {luckiest.index + 1} by {figures.player(luckiest)}"
    if luckiest.events:
        yield f"{where} ({', '.join(luckiest.events)})"
        yield f"{where} ({luckiest.events[-1]})"
    yield where


def _by_position(figures: MatchFigures, winner: Account) -> Iterator[str]:
    yield f"its starting position was {_chance(figures, winner.setup)} better than an equal one"


def _forfeited(figures: MatchFigures) -> Iterator[str]:
    """Yield sentences on a match with forfeits: those that left one seat, or had more points than the winner, are why it won."""
    most = max(figures.scores[seat] for seat in figures.winners)
    is_last = figures.players - len(figures.forfeits) == len(figures.winners)
    decisive = [each for each in figures.forfeits if is_last or figures.scores[each.seat] > most]
    who = listed([figures.names[seat] for seat in figures.winners])
    for with_reasons in True, False:
        words = forfeit_words(figures, decisive or figures.forfeits, with_reasons=with_reasons)
        if figures.unit is Unit.POINTS:
            yield f"{words}; a substitute ended with {_game_points(figures.scores[0])}."
        else:
            yield f"{who} {'won' if len(figures.winners) == 1 else 'shared first place'} {'because' if decisive else 'after'} {words}."


def _luck_beside(figures: MatchFigures, winner: Account) -> str:
    """Return the words for luck as a secondary cause; empty if there was little luck."""
    others = max(winner.rivals + winner.own, winner.setup)
    if winner.luck <= -LEAST_LUCK:
        return f", despite {_points(-winner.luck)} lost by bad luck"
    return f", and luck added {_points(winner.luck)}" if LEAST_LUCK <= winner.luck < others else ""


# What was given away


def _given_away(figures: MatchFigures, seats: Sequence[int]) -> list[tuple[float, str]]:
    """Return clauses for the decisions with which these seats gave away most, each with the amount, the most informative first.

    A clause is about one decision, or about several of a seat that have something in common.
    """
    losing = [each for each in figures.decisions if each.seat in seats and each.loss >= INACCURACY and each.best is not None]
    if not losing:
        return []
    worst = max(losing, key=lambda each: each.loss)
    clauses = [(worst.loss, clause) for clause in _one_decision(figures, worst)]
    alike: dict[tuple[int, str, bool], list[DecisionAnalysis]] = defaultdict(list)
    for each in losing:
        alike[each.seat, each.kind, False].append(each)
        for habit in _own_habits(each):
            alike[each.seat, habit, True].append(each)
    lost = {key: _missed(group) for key, group in alike.items() if len(group) > 1}
    habits = {key: each for key, each in lost.items() if key[2] and each >= _TOGETHER * worst.loss}
    kinds = {key: each for key, each in lost.items() if not key[2] and each >= _TOGETHER**2 * worst.loss}
    if groups := habits or kinds:
        seat, words, is_habit = most = max(groups, key=lambda key: groups[key])
        where = f"{len(alike[most])} decisions by {words}" if is_habit else f"{len(alike[most])} {words}"
        gave = f"{figures.names[seat]} gave away {_chance(figures, groups[most])} in {where}"
        clauses.insert(0, (groups[most], gave))
        at = max(alike[most], key=lambda each: each.loss)
        if not is_habit and at.played.traits.deed:  # a kind alone does not say what was wrong
            clauses.insert(0, (groups[most], f"{gave}, most by {at.played.traits.deed} (decision {at.index + 1})"))
    return clauses


def _missed(decisions: Sequence[DecisionAnalysis]) -> float:
    """Return how much decisions gave away together: a better move that stayed available counts once."""
    most: dict[str, float] = defaultdict(float)
    for each in decisions:
        assert each.best is not None, "something better was found"
        most[each.best.notation] = max(most[each.best.notation], each.loss)
    return sum(most.values())


def _own_habits(decision: DecisionAnalysis) -> list[str]:
    """Return the habits of the move played that the better one does not have."""
    better = () if decision.best is None else decision.best.traits.habits
    return [habit for habit in decision.played.traits.habits if habit not in better]


def _one_decision(figures: MatchFigures, decision: DecisionAnalysis) -> Iterator[str]:
    assert decision.best is not None, "something better was found"
    lost = f"{figures.names[decision.seat]} gave away {_chance(figures, decision.loss)}"
    where = f"decision {decision.index + 1}"
    played, best = decision.played.traits.deed, decision.best.traits.deed
    if played and best:
        yield (
            f"{lost} by {played} badly ({where})" if played == best else f"{lost} by {played} instead of {rest_of(played, best)} ({where})"
        )
    if played:
        yield f"{lost} by {played} ({where})"
    yield f"{lost} at {where}, with {decision.played.notation} instead of {decision.best.notation}"
    yield f"{lost} at {where}"


# One seat alone


def _alone(figures: MatchFigures) -> Iterator[str]:
    name, result = figures.names[0], figures.accounts[0].result
    ended = f"{name} ended with {_game_points(result)}"
    worst = max(figures.decisions, key=lambda decision: decision.loss, default=None)
    if worst is None or worst.best is None:
        yield f"{ended}; no better move was found" + ("." if figures.is_whole else " before time ran out.")
        return
    lost = figure(round(worst.loss, 1))
    more = f"{ended}; {lost} more {'was' if lost == '1' else 'were'} within reach at decision {worst.index + 1}"
    played, best = worst.played.traits.deed, worst.best.traits.deed
    if played and best:
        yield f"{more}, by {best} {'elsewhere' if played == best else f'instead of {rest_of(best, played)}'}."
    if best:
        yield f"{more}, by {best}."
    yield f"{more}: {worst.best.words}."
    yield f"{more}, with {worst.best.notation}."
    yield f"{more}."


# Words


def _is_own(decision: DecisionAnalysis, seat: int) -> bool:
    return decision.seat == seat


def _gain(turn: Turn, seat: int) -> float:
    """Return what the seat's own decisions of a turn changed for it."""
    return sum(each.skill[seat] for each in turn.decisions if _is_own(each, seat))


def _points(change: float) -> str:
    return str(round(100 * change))


def _chance(figures: MatchFigures, change: float) -> str:
    """Return a change of a chance in percentage points."""
    about = "about " if figures.method is Method.PLAYOUTS else ""
    return f"{about}{counted(round(100 * change), 'point')} of chance"


def _game_points(points: float) -> str:
    """Return points of the game: ``1 point``, ``2.5 points``."""
    return f"{figure(round(points, 1))} point{'' if points == 1 else 's'}"


# Figures for tables


def has_luck(figures: MatchFigures) -> bool:
    """Return whether chance affected the match; also true where luck and play could not be separated."""
    return any(any(decision.luck) for decision in figures.decisions) or not figures.is_split


def compared_decisions(figures: MatchFigures, seat: int) -> list[DecisionAnalysis]:
    """Return the seat's own decisions whose moves were compared with others."""
    return [each for each in figures.decisions if each.seat == seat and each.legal > 1 and each.is_searched]
