"""The ratings of several bots over time in one chart, as inline SVG; ``static/ratings.js`` draws the same for those that are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from arena.web.rendering.charts import ticks
from engine.render.svg import number, text
from leaderboard.statistics.columns import RatingHistory

SIZE: Final = (960.0, 420.0)
BOX: Final = (44.0, 12.0, 730.0, 372.0)
"""Where the curves are: x, y, width, height; names stand to the right of it."""
BEST: Final = 10
"""How many bots are in the chart at first."""
STYLES: Final = 14
"""Curves that can be told apart: seven colours, each solid and dashed (``curve0`` to ``curve13`` in tournament.css)."""
_POINTS: Final = 48
_SETTLED: Final = 0.12
"""The share of the matches that is left out when the scale is chosen: every rating begins far below where it settles."""
_ROOM: Final = 0.08
_APART: Final = 17.0
_LONGEST: Final = 21


@dataclass(frozen=True, slots=True)
class Curve:
    """The score of a bot (mu less three sigma) after so many of its matches."""

    bot: str
    numbers: tuple[int, ...]
    scores: tuple[float, ...]

    @property
    def settled(self) -> tuple[float, ...]:
        """The scores by which the scale is chosen."""
        return tuple(score for at, score in zip(self.numbers, self.scores, strict=True) if at >= _SETTLED * self.numbers[-1])


def curve_of(history: RatingHistory) -> Curve:
    """Return the curve of a rating, thinned for drawing."""
    last = len(history.number) - 1
    kept = sorted({round(last * step / (_POINTS - 1)) for step in range(_POINTS)}) if last > 0 else [0]
    scores = tuple(round(history.mu[at] - 3 * history.sigma[at], 2) for at in kept)
    return Curve(history.bot, tuple(history.number[at] for at in kept), scores)


def overlay(curves: Sequence[Curve], *, label: str) -> Markup:
    """Return the chart: a line for each bot, its name at the end of it, and the part of the scale that the curves need once settled."""
    if not curves:
        return Markup("")
    x0, y0, width, height = BOX
    low, high = min(min(each.settled) for each in curves), max(max(each.settled) for each in curves)
    room = max(high - low, 1.0) * _ROOM
    low, high = low - room, high + room
    marks = ticks(low, high, 5)
    most = max(*(each.numbers[-1] for each in curves), 2)
    parts = []
    for mark in marks:
        y = y0 + height * (1 - (mark - low) / (high - low))
        parts.append(f'<path class="rule" d="M{x0:g} {number(y)}H{number(x0 + width)}"/>')
        parts.append(text(f"{mark:g}", (x0 - 6, y + 4), 13, "currentColor", 'text-anchor="end"'))
    for mark in ticks(1, most, 6):
        if mark == int(mark):
            x = x0 + width * (mark - 1) / (most - 1)
            parts.append(text(f"{mark:g}", (x, y0 + height + 20), 13, "currentColor", 'text-anchor="middle"'))
    lines = []
    ends = []
    for at, curve in enumerate(curves):
        points = [
            (width * (many - 1) / (most - 1), height * (1 - (score - low) / (high - low)))
            for many, score in zip(curve.numbers, curve.scores, strict=True)
        ]
        lines.append(f'<polyline class="curve{at % STYLES}" points="{" ".join(f"{number(x)},{number(y)}" for x, y in points)}"/>')
        ends.append(min(max(points[-1][1], 0), height))
    names = [
        Markup('<text class="name" x="{}" y="{}">{}</text>').format(number(x0 + width + 10), number(y0 + y + 4), _cut(curve.bot))
        for curve, y in zip(curves, apart(ends, _APART, height), strict=True)
    ]
    return Markup(  # noqa: S704  # numbers of our own; the label and the names are escaped
        f'<svg class="chart overlay" viewBox="0 0 {SIZE[0]:g} {SIZE[1]:g}" role="img" aria-label="{{label}}">{"".join(parts)}'
        f'<svg class="curves" x="{x0:g}" y="{y0:g}" width="{width:g}" height="{height:g}">{"".join(lines)}</svg>{{names}}</svg>'
    ).format(label=label, names=Markup("").join(names))


def apart(wanted: Sequence[float], least: float, most: float) -> list[float]:
    """Return where labels go that want to be at these heights but have to be at least so far apart, from 0 to ``most``."""
    order = sorted(range(len(wanted)), key=lambda at: (wanted[at], at))
    found = list(wanted)
    below = 0.0
    for at in order:
        found[at] = max(found[at], below)
        below = found[at] + least
    above = most
    for at in reversed(order):
        found[at] = min(found[at], above)
        above = found[at] - least
    return found


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
