"""A replay with its analysis, as the viewer gets it: chances, marks of decisions, better moves drawn over the board."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.analysis.match_analysis import DecisionAnalysis, Grade, MatchAnalysis, Unit, grade_of
from arena.web.viewer.documents import document_of
from arena.web.viewer.schema import Better, Document, Mark
from engine.render import drawing
from engine.render.scene import Box, Sketch
from engine.render.svg import arrow
from engine.replay.verifier import ReplayTimeline
from engine.text import figure

_LEAST_POINTS: Final = 20.0
"""In solo play, losses are graded as shares of the seat's points, or of this number if it has fewer."""
_SHORT: Final = 26.0
"""The distance from the better place at which an arrow to it ends, in units of the board."""
_DIGITS: Final = 4


def analysis_document(timeline: ReplayTimeline, analysis: MatchAnalysis) -> Document:
    """Return the document of the replay with its analysis."""
    return msgspec.structs.replace(document_of(timeline), marks=marks_of(timeline, analysis), evaluation=evaluation_of(analysis))


def evaluation_of(analysis: MatchAnalysis) -> list[list[float]]:
    """Return the chances of the seats by frame, as far as they are known; nothing where a seat plays alone."""
    if analysis.unit is Unit.POINTS:
        return []
    return [[round(chance, _DIGITS) for chance in chances] for chances in analysis.chances]


def marks_of(timeline: ReplayTimeline, analysis: MatchAnalysis) -> list[Mark]:
    """Return the marks of decisions that lost something; losses in solo play are graded as shares of the seat's points."""
    whole = 1.0 if analysis.unit is Unit.CHANCE else max(_LEAST_POINTS, analysis.scores[0])
    return [mark for decision in analysis.decisions if (mark := _mark(timeline, decision, whole)) is not None]


def _mark(timeline: ReplayTimeline, decision: DecisionAnalysis, whole: float) -> Mark | None:
    """Return the mark of a decision; None for one that lost next to nothing."""
    loss = decision.loss
    grade = grade_of(loss / whole)
    if grade is Grade.FINE or decision.best is None:
        return None
    lost = f"{round(100 * loss)} percentage points of winning chance" if whole == 1 else f"{figure(round(loss, 1))} points"
    better = _better(timeline, decision.index, decision.best.notation, decision.best.meaning or decision.best.notation)
    return Mark(decision.index, grade, round(loss, _DIGITS), f"{grade.value}: {lost}", better)


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
