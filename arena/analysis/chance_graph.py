"""The chances of all seats over a match, as a picture in SVG and as lines for a terminal, with the key moments marked by letters."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap
from typing import Final

from arena.analysis.key_moments import changed_words, decisions_words, drawn_chances, drawn_frames, moment_title
from arena.analysis.match_analysis import MatchAnalysis, Unit
from engine.render.palette import BLACK, SEAT_COLORS, WHITE
from engine.text import figure, percent

SHADES: Final = "█░▓▒▚·"
"""The characters that fill the seats' parts where there are no colours."""
ROWS: Final = 12
_MARGIN: Final = 6
_WIDTH, _HEIGHT = 960, 360
_LINE: Final = 18
_LEFT, _TOP, _RIGHT, _BOTTOM = 52, 64, 24, 58
_CHARACTERS: Final = 140
"""The most characters of a line below the picture."""
_LETTER: Final = 11
"""The least distance between two letters."""
_GREY: Final = "#767676"


def letter(number: int) -> str:
    """Return the letter that marks a key moment."""
    return "abc"[number]


def order_of(analysis: MatchAnalysis) -> list[int]:
    """Return the seats from the bottom of the graph up: by their ranks."""
    return sorted(range(analysis.players), key=lambda seat: (analysis.ranks[seat], seat))


def graph_lines(analysis: MatchAnalysis, width: int = 80, *, color: bool = True) -> list[str]:
    """Return the graph, at most ``width`` columns wide: a column shows the seats' chances at one time, the winner's at the bottom."""
    columns = max(10, width - _MARGIN - 1)
    cells = [_column(analysis, round(column * analysis.total / (columns - 1))) for column in range(columns)]
    labels = _labels(analysis)
    lines = []
    for row in range(ROWS):
        label = labels.get(row, "")
        lines.append(f"{label:>{_MARGIN - 1}} " + _painted([cell[ROWS - 1 - row] for cell in cells], color=color))
    lines.append(" " * _MARGIN + _marks(analysis, columns))
    end = str(analysis.total)
    lines.append(" " * _MARGIN + "0" + "decisions".center(columns - 1 - len(end)) + end)
    return lines


def _labels(analysis: MatchAnalysis) -> dict[int, str]:
    if analysis.unit is Unit.CHANCE:
        return {0: "100 %", ROWS // 2: "50 %", ROWS - 1: "0 %"}
    return {0: figure(round(_top(analysis))), ROWS - 1: "0"}


def _top(analysis: MatchAnalysis) -> float:
    return max(1.0, *(max(each) for each in analysis.chances))


def _column(analysis: MatchAnalysis, frame: int) -> list[int]:
    """Return the seat of each cell from the bottom up; -1 for none, and for cells not computed in time."""
    if frame >= len(analysis.chances):
        return [-1] * ROWS
    chances = drawn_chances(analysis, frame)
    if analysis.unit is Unit.POINTS:
        filled = round(ROWS * max(0.0, chances[0]) / _top(analysis))
        return [0] * filled + [-1] * (ROWS - filled)
    bounds = []
    reached = 0.0
    for seat in order_of(analysis):
        reached += chances[seat]
        bounds.append((reached, seat))
    return [next((seat for bound, seat in bounds if (row + 0.5) / ROWS <= bound), bounds[-1][1]) for row in range(ROWS)]


def _painted(seats: Sequence[int], *, color: bool) -> str:
    return "".join(_cell(seat, color=color) for seat in seats)


def _cell(seat: int, *, color: bool) -> str:
    if seat < 0:
        return " "
    shade = SHADES[seat % len(SHADES)]
    if not color:
        return shade
    paint = SEAT_COLORS[seat % len(SEAT_COLORS)].xterm
    return f"\x1b[38;5;{paint}m{shade}\x1b[0m"


def _marks(analysis: MatchAnalysis, columns: int) -> str:
    """Return a line with a letter below the end of each moment's turn, and a line to it from the turn's start."""
    marks = [" "] * columns
    ends = []
    for number, moment in enumerate(analysis.moments):
        at = round((moment.last + 1) * (columns - 1) / analysis.total)
        while at + 1 < columns and marks[at] != " ":
            at += 1
        marks[at] = letter(number)
        ends.append(at)
    for moment, end in zip(analysis.moments, ends, strict=True):
        for at in range(round(moment.first * (columns - 1) / analysis.total) + 1, end):
            if marks[at] == " ":
                marks[at] = "-"
    return "".join(marks).rstrip()


def graph_svg(analysis: MatchAnalysis) -> str:
    """Return the graph as a standalone SVG document."""
    title = escape(f"{analysis.title}: {' against '.join(analysis.names)}")
    legend = _legend_lines(analysis)
    height = _HEIGHT + _LINE * len(legend) + _LINE // 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" font-size="13" role="img">',
        f"<title>{title}</title><desc>{escape(analysis.sentence)}</desc>",
        f'<rect width="{_WIDTH}" height="{height}" fill="{WHITE}"/>',
        *_legend(analysis),
        *(_area(analysis, seat) for seat in order_of(analysis)),
        *_axes(analysis),
        *_moments(analysis),
        *(f'<text x="{_LEFT}" y="{_HEIGHT + _LINE * row + 14}" fill="{BLACK}">{escape(line)}</text>' for row, line in enumerate(legend)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(analysis: MatchAnalysis, frame: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * frame / max(1, analysis.total)


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share


def _area(analysis: MatchAnalysis, seat: int) -> str:
    """Return the part of one seat between those below and above it."""
    order = order_of(analysis)
    below = order[: order.index(seat)]
    scale = 1.0 if analysis.unit is Unit.CHANCE else _top(analysis)
    frames = drawn_frames(analysis)
    low = [sum(analysis.chances[frame][each] for each in below) / scale for frame in frames]
    high = [base + analysis.chances[frame][seat] / scale for base, frame in zip(low, frames, strict=True)]
    upper = [f"{_x(analysis, frame):.1f},{_y(each):.1f}" for frame, each in zip(frames, high, strict=True)]
    lower = [f"{_x(analysis, frame):.1f},{_y(each):.1f}" for frame, each in zip(frames, low, strict=True)]
    paint = SEAT_COLORS[seat % len(SEAT_COLORS)].hex
    return f'<polygon points="{" ".join(upper + lower[::-1])}" fill="{paint}" stroke="{BLACK}" stroke-width="0.5"/>'


def _legend(analysis: MatchAnalysis) -> list[str]:
    step = (_WIDTH - _LEFT - _RIGHT) / analysis.players
    parts = []
    for place, seat in enumerate(order_of(analysis)):
        paint = SEAT_COLORS[seat % len(SEAT_COLORS)]
        x = _LEFT + place * step
        words = escape(f"{analysis.names[seat]}, {figure(analysis.scores[seat])} points")
        parts.append(f'<rect x="{x:.1f}" y="16" width="18" height="18" fill="{paint.hex}"/>')
        parts.append(f'<text x="{x + 9:.1f}" y="29.5" text-anchor="middle" fill="{paint.ink}">{seat}</text>')
        parts.append(f'<text x="{x + 24:.1f}" y="29.5" fill="{BLACK}">{words}</text>')
    return parts


def _axes(analysis: MatchAnalysis) -> list[str]:
    is_chance = analysis.unit is Unit.CHANCE
    parts = []
    for share in (0.0, 0.5, 1.0):
        words = percent(share) if is_chance else figure(round(share * _top(analysis)))
        parts.append(f'<text x="{_LEFT - 6}" y="{_y(share) + 4:.1f}" text-anchor="end" fill="{BLACK}">{words}</text>')
        parts.append(f'<path d="M{_LEFT} {_y(share):.1f}H{_WIDTH - _RIGHT}" stroke="{BLACK}" stroke-opacity="0.4" stroke-dasharray="2 4"/>')
    end = analysis.total
    for frame in sorted({0, end // 4, end // 2, 3 * end // 4, end}):
        x = _x(analysis, frame)
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - 20}" text-anchor="middle" fill="{_GREY}">{frame}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    words = "decisions made; drawn from the end of one turn to the end of the next" if analysis.players > 1 else "decisions made"
    parts.append(f'<text x="{middle:.1f}" y="{_HEIGHT - 4}" text-anchor="middle" fill="{_GREY}">{words}</text>')
    parts.append(f'<text x="{_LEFT}" y="{_TOP - 8}" fill="{_GREY}">{"chance to win" if is_chance else "points"}</text>')
    return parts


def _moments(analysis: MatchAnalysis) -> list[str]:
    """Return the moments in the graph: a band over the whole turn, with its letter below."""
    parts = []
    reached = 0.0
    for number, moment in enumerate(analysis.moments):
        begin, end = _x(analysis, moment.first), _x(analysis, moment.last + 1)
        bottom = _HEIGHT - _BOTTOM + 6
        band = f"M{begin:.1f} {_y(1):.1f}H{end:.1f}V{bottom}H{begin:.1f}Z"
        parts.append(f'<path d="{band}" fill="{BLACK}" fill-opacity="0.2" stroke="{BLACK}"/>')
        reached = max((begin + end) / 2, reached + _LETTER)
        parts.append(
            f'<text x="{reached:.1f}" y="{bottom + 14}" text-anchor="middle" font-weight="bold" fill="{BLACK}">{letter(number)}'
            f"<title>{escape(f'{decisions_words(moment)}: {moment.words}')}</title></text>"
        )
    return parts


def _legend_lines(analysis: MatchAnalysis) -> list[str]:
    """Return the lines below the graph: what each moment changed."""
    lines = [
        f"{letter(number)}: {moment_title(analysis, moment)} ({changed_words(analysis, moment)})"
        for number, moment in enumerate(analysis.moments)
    ]
    return [part for line in lines for part in wrap(line, _CHARACTERS)]
