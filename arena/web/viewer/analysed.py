"""A replay with its analysis, as the viewer gets it: chances, marks of decisions, better moves drawn over the board."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.analysis.match_analysis import Account as AnalysedAccount
from arena.analysis.match_analysis import DecisionAnalysis, Grade, MatchAnalysis, Method, Unit, grade_of
from arena.analysis.match_analysis import Moment as AnalysedMoment
from arena.analysis.moment_words import kind_words
from arena.report.analysis_lines import rounded
from arena.web.viewer.documents import document_of
from arena.web.viewer.schema import Account, Analysis, Better, Document, GradeName, Mark, Moment
from engine.render import drawing
from engine.render.scene import Box
from engine.render.sketch import Sketch, arrow
from engine.replay.verifier import ReplayTimeline
from engine.text import figure

_LEAST_POINTS: Final = 20.0
"""In solo play, losses are graded as shares of the seat's points, or of this number if it has fewer."""
_SHORT: Final = 26.0
"""The distance from the better place at which an arrow to it ends, in units of the board."""
_DIGITS: Final = 4
_GRADES: Final[dict[Grade, GradeName]] = {Grade.INACCURACY: "inaccuracy", Grade.MISTAKE: "mistake", Grade.BLUNDER: "blunder"}


def analysis_document(timeline: ReplayTimeline, analysis: MatchAnalysis) -> Document:
    """Return the document of the replay with its analysis."""
    return with_analysis(document_of(timeline), viewer_analysis(timeline, analysis), evaluation_of(analysis))


def with_analysis(document: Document, analysis: Analysis, evaluation: list[list[float]]) -> Document:
    """Return a replay's document with these parts."""
    return msgspec.structs.replace(document, analysis=analysis, evaluation=evaluation)


def evaluation_of(analysis: MatchAnalysis) -> list[list[float]]:
    """Return the chances of the seats by frame, as far as they are known; nothing where a seat plays alone."""
    if analysis.unit is Unit.POINTS:
        return []
    return [[round(chance, _DIGITS) for chance in chances] for chances in analysis.chances]


def viewer_analysis(timeline: ReplayTimeline, analysis: MatchAnalysis) -> Analysis:
    """Return the analysis as the viewer's record."""
    return Analysis(
        unit="points" if analysis.unit is Unit.POINTS else "chance",
        sentence=analysis.sentence,
        method=method_of(analysis),
        moments=[_moment(each) for each in analysis.moments],
        marks=[mark for decision in analysis.decisions if (mark := _mark(timeline, decision, _whole(analysis))) is not None],
        accounts=[_account(account, analysis.unit) for account in analysis.accounts],
    )


def _moment(moment: AnalysedMoment) -> Moment:
    before, after = ([round(each, _DIGITS) for each in values] for values in (moment.before, moment.after))
    return Moment(moment.index + 1, kind_words(moment), moment.words, (moment.first, moment.last + 1), before, after)


def method_of(analysis: MatchAnalysis) -> str:
    """Return, in a sentence, how the analysis was made, with its notes."""
    how = "random games to the end" if analysis.method is Method.PLAYOUTS else f"the value function {analysis.value}"
    asked = f"; better moves also by {analysis.bot}" if analysis.bot else ""
    return " ".join([f"Positions are valued by {how}{asked}.", *analysis.notes])


def _whole(analysis: MatchAnalysis) -> float:
    """Return the unit in which losses are graded: a whole chance, or, in solo play, the seat's points."""
    return 1.0 if analysis.unit is Unit.CHANCE else whole_of(analysis.scores[0])


def whole_of(points: float) -> float:
    """Return the points of which losses in solo play are shares, for a seat with these final points."""
    return max(_LEAST_POINTS, points)


def _mark(timeline: ReplayTimeline, decision: DecisionAnalysis, whole: float) -> Mark | None:
    """Return the mark of a decision; None for one that lost next to nothing."""
    loss = decision.loss
    grade = grade_of(loss / whole)
    if grade is Grade.FINE or decision.best is None:
        return None
    lost = f"{round(100 * loss)} percentage points of winning chance" if whole == 1 else f"{figure(round(loss, 1))} points"
    better = _better(timeline, decision.index, decision.best.notation, decision.best.meaning or decision.best.notation)
    return Mark(decision.index, _GRADES[grade], round(loss, _DIGITS), f"{grade.value}: {lost}", better)


def _better(timeline: ReplayTimeline, index: int, notation: str, words: str) -> Better:
    state = timeline.states[index]
    sketch = drawing.sketch(state, state.game.parse(notation))
    if sketch is None:
        return Better(notation, words)
    played = drawing.sketch(state, timeline.moves[index])
    way = arrow(played.at, sketch.at, short=_SHORT) if played is not None and not sketch.is_arrow else ""
    return Better(notation, words, f'<g class="better">{way}{sketch.markup}</g>', _room(timeline, index, sketch))


def _room(timeline: ReplayTimeline, index: int, sketch: Sketch) -> Box | None:
    """Return the part of the plane that shows the board after the decision and the sketch over it; None if the board's own box does."""
    board = drawing.scene(timeline.states[index + 1], last=timeline.moves[index], before=timeline.states[index]).box
    left, top = min(board.x, sketch.box.x), min(board.y, sketch.box.y)
    right = max(board.x + board.width, sketch.box.x + sketch.box.width)
    bottom = max(board.y + board.height, sketch.box.y + sketch.box.height)
    whole = Box(*(round(side, 1) for side in (left, top, right - left, bottom - top)))
    return None if whole == Box(*(round(side, 1) for side in board)) else whole


def _account(account: AnalysedAccount, unit: Unit) -> Account:
    """Return the parts of a sum as they are shown, with one digit, so that they add up as in the terminal."""
    scale = 1000 if unit is Unit.CHANCE else 10
    whole = rounded(account, scale)
    parts = {part: number / scale for part, number in whole.items()}
    return Account(
        start=parts["start"],
        setup=parts["setup"],
        own=parts["own"],
        others=parts["rivals"],
        luck=parts["luck"],
        result=parts["result"],
        rest=(whole["unsplit"] + whole["forfeits"]) / scale,
    )
