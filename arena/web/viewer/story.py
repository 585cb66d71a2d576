"""A match analysis for a page without scripts: a summary, cards of the key moments with pictures, bars and tables."""

from __future__ import annotations

from typing import Final

from arena.analysis.chance_graph import order_of
from arena.analysis.key_moments import GRADED, changed_words, decisions_words, moment_title
from arena.analysis.match_analysis import MatchAnalysis, Moment, Unit
from arena.report.analysis_lines import LEGEND, bars, given_away, longest_side, loss_words, sum_rows, worst_decisions
from arena.web.viewer.documents import Record
from arena.web.viewer.small_board import RATIO, detail_of_board, picture_address
from engine.render import drawing
from engine.render.palette import SEAT_COLORS
from engine.render.scene import Box
from engine.replay.verifier import ReplayTimeline

_LEAST: Final = 0.5
"""A picture shows at least this share of the last board's width and height."""
_HALF: Final = 100.0
"""Half the width of the drawing of a bar."""


class Card(Record, frozen=True):
    """A key moment. ``at`` is the number of the position after its decision, ``picture`` an SVG document of the board around the move."""

    at: int
    title: str
    changed: str
    words: str
    picture: str

    @property
    def address(self) -> str:
        """The picture as a ``data:`` URL."""
        return picture_address(self.picture)


class Bar(Record, frozen=True):
    """A player's result as a sum. ``rectangles`` (class, x, width) show its parts in a drawing 200 wide, with zero in the middle."""

    name: str
    color: str
    rectangles: list[tuple[str, float, float]]
    words: str


class Loss(Record, frozen=True):
    """A decision that lost something; ``at`` is the number of the position before it."""

    at: int
    words: str
    played: str
    best: str


class Story(Record, frozen=True):
    """The content of a page about an analysed match. Each of ``rows`` is a title and a figure for each player, in seat order."""

    sentence: str
    unit: str
    notes: list[str]
    cards: list[Card]
    bars: list[Bar]
    names: list[str]
    rows: list[tuple[str, tuple[str, ...]]]
    losses: list[Loss]
    legend: str


def story_of(timeline: ReplayTimeline, analysis: MatchAnalysis) -> Story:
    """Return the story of an analysed match."""
    rows = [*sum_rows(analysis), given_away(analysis)]
    return Story(
        sentence=analysis.sentence,
        unit="percentage points of winning chance" if analysis.unit is Unit.CHANCE else "points",
        notes=list(analysis.notes),
        cards=[_card(timeline, analysis, moment) for moment in analysis.moments],
        bars=_bars(analysis) if analysis.decisions else [],
        names=list(analysis.names),
        rows=[(f"= {row.title}" if row.field == "result" else row.title, row.figures) for row in rows],
        losses=[
            Loss(each.index, loss_words(analysis, each), each.played.words, "" if each.best is None else each.best.words)
            for each in worst_decisions(analysis)
        ],
        legend=LEGEND if analysis.unit is Unit.CHANCE else "",
    )


def _card(timeline: ReplayTimeline, analysis: MatchAnalysis, moment: Moment) -> Card:
    over = "" if moment.first == moment.last else f" over {decisions_words(moment)}"
    return Card(
        moment.index + 1,
        moment_title(analysis, moment),
        f"{changed_words(analysis, moment)}{over}",
        moment.words,
        _picture(timeline, analysis, moment),
    )


def _picture(timeline: ReplayTimeline, analysis: MatchAnalysis, moment: Moment) -> str:
    """Return the board around the move, after the decision, with the better move drawn over it if the moment names one."""
    before, after, move = timeline.states[moment.index], timeline.states[moment.index + 1], timeline.moves[moment.index]
    best = analysis.decisions[moment.index].best
    better = drawing.sketch(before, before.game.parse(best.notation)) if best is not None and moment.kind in GRADED else None
    played = drawing.sketch(before, move)
    scene = drawing.scene(after, last=move, before=before)
    shown = [sketch.box for sketch in (played, better) if sketch is not None]
    part = _around(scene.box, shown, drawing.scene(timeline.states[-1]).box)
    return detail_of_board(scene, drawing.drawer(after).sheet, part, better.markup if better is not None else "")


def _around(board: Box, shown: list[Box], last: Box) -> Box:
    """Return the part of the board, 4 by 3, around these boxes, or the whole board if there are none; ``last`` is the final board's box.

    The part extends beyond the edge of the board only if it is larger than the board.
    """
    if not shown:
        return board
    around, whole = _enclosing(shown), _enclosing([board, *shown])
    width = max(around.width, min(_LEAST * last.width, whole.width))
    height = max(around.height, min(_LEAST * last.height, whole.height))
    width, height = max(width, height * RATIO), max(height, width / RATIO)
    x = _start(around.x + around.width / 2, width, whole.x, whole.width)
    return Box(x, _start(around.y + around.height / 2, height, whole.y, whole.height), width, height)


def _enclosing(boxes: list[Box]) -> Box:
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes)
    return Box(left, top, right - left, bottom - top)


def _start(middle: float, size: float, start: float, length: float) -> float:
    """Return the start of a frame: centred on ``middle`` but moved into the range, or centred on the range if the range is smaller."""
    if size > length:
        return start + (length - size) / 2
    return min(max(middle - size / 2, start), start + length - size)


def _bars(analysis: MatchAnalysis) -> list[Bar]:
    shown = bars(analysis)
    scale = _HALF / longest_side(shown)
    drawn = []
    for bar, seat in zip(shown, order_of(analysis), strict=True):
        ends = [_HALF, _HALF]  # its extent to the left and to the right
        rectangles = []
        for kind, part in bar.parts.items():
            width = round(abs(part) * scale, 1)
            if part < 0:
                ends[0] -= width
            rectangles.append((kind, round(ends[0] if part < 0 else ends[1], 1), width))
            if part > 0:
                ends[1] += width
        drawn.append(Bar(bar.name, SEAT_COLORS[seat % len(SEAT_COLORS)].hex, rectangles, bar.words))
    return drawn
