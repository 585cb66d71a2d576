"""The printed form of an analysis: lines and tables as plain data, which ``arena.cli.results.analyse_view`` renders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.analysis.key_moments import changed, lost, turns_of
from arena.analysis.match_analysis import (
    BLUNDER,
    DIGITS,
    INACCURACY,
    MISTAKE,
    DecisionAnalysis,
    Grade,
    MatchAnalysis,
    Unit,
    grade_of,
    rounded,
)
from arena.analysis.sentence import forfeit_words
from engine.text import counted, figure, signed

WORST: Final = 8
"""The maximum number of decisions in the list of the largest losses."""
LEAST_LOSS: Final = 0.01
LEAST_POINTS: Final = 0.5
"""The least losses that are listed: ``LEAST_LOSS`` in chances of winning, ``LEAST_POINTS`` in points (solo play)."""

_GRADES: Final = f"an inaccuracy from {100 * INACCURACY:.0f} pp, a mistake from {100 * MISTAKE:.0f}, a blunder from {100 * BLUNDER:.0f}"

_ROWS: Final = {
    "start": "at the start",
    "own": "own decisions",
    "others": "decisions of others",
    "luck": "luck of draws and dice",
    "unsplit": "not separated (no time)",
    "forfeits": "the forfeit",
    "result": "result",
}
_ALWAYS: Final = {"start", "own", "others", "luck", "result"}
_SPLIT: Final = {"own", "others", "luck"}
"""The parts of the sum that are known only for decisions whose skill and luck were separated."""


class SumRow(NamedTuple):
    """A row of the table that shows each seat's result as a sum: the part's key, its label, and a figure for each seat."""

    field: str
    title: str
    figures: tuple[str, ...]


def headline(analysis: MatchAnalysis) -> str:
    """Return a line with the game, the number of decisions, any forfeits, and each player's place and points."""
    order = sorted(range(analysis.players), key=lambda seat: (analysis.ranks[seat], seat))
    who = ", ".join(f"{analysis.ranks[seat]}. {analysis.names[seat]} {figure(analysis.scores[seat])}" for seat in order)
    then = f", then {forfeit_words(analysis, analysis.forfeits)}" if analysis.forfeits else ""
    return f"{analysis.title}, {counted(analysis.total, 'decision')}{then}: {who}"


def sum_rows(analysis: MatchAnalysis) -> list[SumRow]:
    """Return the rows of the table of sums. Figures are in seat order, and are rounded so that they add up."""
    columns = [rounded(account, analysis.unit) for account in analysis.accounts]
    rows = []
    has_luck = any(any(decision.luck) for decision in analysis.decisions) or not analysis.is_split
    titles = _ROWS if has_luck else _ROWS | {"luck": "luck (there was none)"}
    for field, title in titles.items():
        if field == "others" and analysis.unit is Unit.POINTS:
            continue
        if field in _SPLIT and analysis.total and not analysis.decisions:
            continue
        if field not in _ALWAYS and not any(column[field] for column in columns):
            continue
        is_total, digits = field in {"start", "result"}, DIGITS[analysis.unit]
        figures = tuple(f"{column[field]:.{digits}f}" if is_total else signed(column[field], digits) for column in columns)
        rows.append(SumRow(field, title, figures))
    return rows


def worst_decisions(analysis: MatchAnalysis, seat: int | None = None, most: int = WORST) -> list[DecisionAnalysis]:
    """Return up to ``most`` decisions of ``seat``, or of all seats, that lost most, the largest loss first; small losses are left out."""
    least = LEAST_LOSS if analysis.unit is Unit.CHANCE else LEAST_POINTS
    losing = [decision for decision in analysis.decisions if decision.loss >= least and seat in {None, decision.seat}]
    return sorted(losing, key=lambda decision: (-decision.loss, decision.index))[:most]


def none_lost(analysis: MatchAnalysis, seat: int | None = None) -> str:
    """Return the sentence to show if no decision lost much; if time ran out, it says how many decisions were compared."""
    whose = "" if seat is None else f" of {analysis.names[seat]}"
    asked = [each for each in analysis.decisions if each.legal > 1 and seat in {None, each.seat}]
    compared = sum(each.is_searched for each in asked)
    is_all = compared == len(asked) and len(analysis.decisions) == analysis.total
    if not compared and not is_all:
        return f"Time ran out before the search for better moves{whose} began."
    only = "" if is_all else f" among the {compared} compared before time ran out"
    least = "one percentage point" if analysis.unit is Unit.CHANCE else "half a point"
    return f"No decision{whose}{only} gave away more than {least}, compared with the best move found."


def loss_words(analysis: MatchAnalysis, decision: DecisionAnalysis) -> str:
    """Return the change of the decision's turn, how much the decision lost, and the grade of that, in words."""
    if analysis.unit is Unit.POINTS:
        return f"{analysis.player(decision)}: {lost(analysis, decision.loss)} fewer than with the best move found"
    turn = next(each for each in turns_of(analysis) if decision.index <= each.last)
    grade = grade_of(decision.loss)
    called = f", {'an' if grade is Grade.INACCURACY else 'a'} {grade.value}" if grade is not Grade.FINE else ""
    return f"{changed(analysis, turn, decision.seat)}, {lost(analysis, decision.loss)} worse than the best move found{called}"


def given_away(analysis: MatchAnalysis) -> SumRow:
    """Return the row that shows what each seat's decisions gave away on average, compared with the best moves found."""
    scale = 100 if analysis.unit is Unit.CHANCE else 1
    compared = [each for each in analysis.decisions if each.legal > 1 and each.is_searched]
    losses = [[scale * each.loss for each in compared if each.seat == seat] for seat in range(analysis.players)]
    so_far = "" if analysis.is_whole else ", so far"
    figures = tuple(f"{sum(each) / len(each):.1f}" if each else "" for each in losses)
    return SumRow("given away", f"given away per decision{so_far}", figures)


LEGEND: Final = (
    "The chances are estimates, which may be off by a few pp. Own decisions: how much a player's moves raised or lowered the player's "
    f"chance (in solo play, points). Given away: how far a move fell short of the best found ({_GRADES}). A move that raises the chance "
    "may give something away; one that lowers it may be the best."
)
"""A note for readers on what the figures of an analysis mean."""


class Bar(NamedTuple):
    """A player's result as a sum of effects, drawn as a bar that extends to both sides of 0.

    ``parts`` has the effects on the result, in percentage points (solo play: points), by kind: ``own``, ``others``, ``luck`` and ``rest``
    (``forfeits`` and ``unsplit`` of ``Account``). ``words`` has the whole sum as text.
    """

    name: str
    parts: dict[str, float]
    words: str

    @property
    def ends(self) -> tuple[float, float]:
        """The left and the right end of the bar; 0 lies between them."""
        return sum(min(0.0, part) for part in self.parts.values()), sum(max(0.0, part) for part in self.parts.values())


def bars(analysis: MatchAnalysis) -> list[Bar]:
    """Return a bar for each seat, the winner's first, with the figures of ``sum_rows``."""
    accounts = sorted(analysis.accounts, key=lambda account: (analysis.ranks[account.seat], account.seat))
    return [_bar(analysis.names[each.seat], rounded(each, analysis.unit), analysis.unit) for each in accounts]


def _bar(name: str, sums: dict[str, float], unit: Unit) -> Bar:
    each = {"own": sums["own"], "others": sums["others"], "luck": sums["luck"], "rest": sums["unsplit"] + sums["forfeits"]}
    left_out, digits = {"others"} if unit is Unit.POINTS else set(), DIGITS[unit]
    parts = {kind: part for kind, part in each.items() if kind not in left_out and (part or kind != "rest")}
    told = [f"start {sums['start']:.{digits}f}", *(f"{kind} {signed(part, digits)}" for kind, part in parts.items())]
    return Bar(name, parts, f"{', '.join(told)} = {sums['result']:.{digits}f}")


def longest_side(shown: Sequence[Bar]) -> float:
    """Return the farthest that any bar extends from 0 to either side, in the unit of the bars' parts, but at least 1."""
    return max([1.0, *(max(-bar.ends[0], bar.ends[1]) for bar in shown)])
