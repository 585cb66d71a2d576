"""Charts as inline SVG, whose classes the style sheet colours for light and dark mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Final, TypeAlias

from markupsafe import Markup

from engine.render.svg import number, text
from leaderboard.statistics.columns import RatingHistory

Span: TypeAlias = tuple[float, float]
Rectangle: TypeAlias = tuple[float, float, float, float]
"""x, y, width, height."""
SPARK: Final = (168.0, 48.0)
HISTORY: Final = (640.0, 240.0)
HISTORY_BOX: Final = (44.0, 10.0, 572.0, 204.0)
"""The box of the curve."""
INTERVAL: Final = (240.0, 32.0)
STEPS: Final = 9
"""Shades of a share: from ``share0``, always lost, by way of the middle to ``share8``, always won."""
MULTIPLE: Final = (200.0, 116.0)
MULTIPLE_BOX: Final = (26.0, 6.0, 170.0, 92.0)
"""The box of the curves in each of several small charts."""
BEST: Final = 10
"""The number of bots in the chart of all ratings at first."""
MOST: Final = 14
"""The most bots that a visitor may choose."""
_POINTS: Final = 48
_SETTLED: Final = 0.12
"""The share of the matches that is left out when the scale is chosen: every rating begins far below where it settles."""
_ROOM: Final = 0.08


def sparkline(values: Sequence[float], low: float, high: float) -> Markup:
    """Return a line through the values without axes, clamped to ``low`` and ``high``, for a row of text.

    The style sheet gives it its size; a long table has many, so coordinates are whole numbers.
    """
    width, height = SPARK
    if not values:
        return Markup("")
    within = [min(max(value, low), high) for value in values]
    points = _rounded(_points(range(len(values)), within, (0, max(len(values) - 1, 1)), (low, high), (4, 6, width - 8, height - 12)))
    x, y = points[-1].split(",")
    return Markup(  # noqa: S704  # numbers of our own
        f'<svg class="spark" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="from {values[0]:.1f} to {values[-1]:.1f}">'
        f'<polyline points="{" ".join(points)}"/><circle cx="{x}" cy="{y}" r="5"/></svg>'
    )


def history(numbers: Sequence[int], mu: Sequence[float], sigma: Sequence[float], *, label: str) -> Markup:
    """Return the history of a rating: mu as a line in a band of three sigma, over the number of matches."""
    low = [m - 3 * s for m, s in zip(mu, sigma, strict=True)]
    high = [m + 3 * s for m, s in zip(mu, sigma, strict=True)]
    return band(numbers, mu, low, high, label=label)


def band(numbers: Sequence[int], values: Sequence[float], low: Sequence[float], high: Sequence[float], *, label: str) -> Markup:
    """Return values as a line in the band of their intervals, over the number of matches."""
    width, height = HISTORY
    if not numbers:
        return Markup("")
    marks = ticks(min(low), max(high), 5)
    xs = (float(numbers[0]), float(max(numbers[-1], numbers[0] + 1)))
    ys = (min(*low, marks[0]), max(*high, marks[-1]))
    around = _points(numbers, high, xs, ys, HISTORY_BOX) + _points(numbers, low, xs, ys, HISTORY_BOX)[::-1]
    axes = _axes(xs, ys, marks, HISTORY_BOX, 12, 18)
    return Markup(  # noqa: S704  # numbers of our own; the label is escaped
        f'<svg class="chart" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{{label}}">{axes}'
        f'<polygon class="band" points="{" ".join(around)}"/>'
        f'<polyline class="line" points="{" ".join(_points(numbers, values, xs, ys, HISTORY_BOX))}"/></svg>'
    ).format(label=label)


def interval(value: float, low: float, high: float, scale: tuple[float, float]) -> Markup:
    """Return a value as a dot on the bar of its interval; the same values stand next to it as text.

    ``scale`` is the range of the whole width, the same for all that are compared. The style sheet gives it its size and its rule.
    """
    width, height = INTERVAL
    span = max(scale[1] - scale[0], 1e-9)
    left, middle, right = (round(8 + (width - 16) * min(max((each - scale[0]) / span, 0), 1)) for each in (low, value, high))
    return Markup(  # noqa: S704  # numbers of our own
        f'<svg class="interval" viewBox="0 0 {width:g} {height:g}" aria-hidden="true">'
        f'<path d="M{left} {height / 2:g}H{right}"/><circle cx="{middle}" cy="{height / 2:g}" r="8"/></svg>'
    )


def progress(done: int, total: int) -> Markup:
    """Return a progress bar; the numbers are written next to it as text."""
    share = min(done / total, 1.0) if total else 0.0
    return Markup(  # noqa: S704  # numbers of our own
        '<svg class="progress" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="rest" width="1000" height="12"/>'
        f'<rect class="bar" width="{1000 * share:.0f}" height="12"/></svg>'
    )


def shade(share: float) -> str:
    """Return the class of a cell for a share from 0 to 1."""
    return f"share{min(max(round(share * (STEPS - 1)), 0), STEPS - 1)}"


def ticks(low: float, high: float, about: int) -> list[float]:
    """Return about ``about`` round numbers between ``low`` and ``high``, at least one."""
    span = max(high - low, 1e-9)
    raw = span / about
    power = 10 ** floor(log10(raw))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= raw)
    first = floor(low / step) + (0 if low % step == 0 else 1)
    marks = [round(at * step, 9) for at in range(first, floor(high / step) + 1)]
    return marks or [round(first * step, 9)]


@dataclass(frozen=True, slots=True)
class Curve:
    """The score of a bot (mu minus three sigma) after some of its matches."""

    bot: str
    numbers: tuple[int, ...]
    scores: tuple[float, ...]

    @property
    def settled(self) -> tuple[float, ...]:
        """The scores that determine the scale."""
        return tuple(score for at, score in zip(self.numbers, self.scores, strict=True) if at >= _SETTLED * self.numbers[-1])


def curve_of(history: RatingHistory) -> Curve:
    """Return the curve of a rating, thinned for drawing."""
    last = len(history.number) - 1
    kept = sorted({round(last * step / (_POINTS - 1)) for step in range(_POINTS)}) if last > 0 else [0]
    scores = tuple(round(history.mu[at] - 3 * history.sigma[at], 2) for at in kept)
    return Curve(history.bot, tuple(history.number[at] for at in kept), scores)


def multiples(curves: Sequence[Curve], *, label: str) -> Markup:
    """Return the ratings of several bots over time: a small chart for each, with its curve in front of the others', all on one scale.

    The scale covers the settled parts of the curves. ``static/ratings.js`` draws the same for the bots that a visitor chooses.
    """
    if not curves:
        return Markup("")
    x, y, width, height = MULTIPLE_BOX
    settled = [score for each in curves for score in each.settled]
    room = max(max(settled) - min(settled), 1.0) * _ROOM
    ys = min(settled) - room, max(settled) + room
    xs = (1, max(*(each.numbers[-1] for each in curves), 2))
    points = [" ".join(_points(each.numbers, each.scores, xs, ys, (0, 0, width, height))) for each in curves]
    within = f'<svg x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}">'
    pale = "".join(f'<polyline class="pale" points="{each}"/>' for each in points)
    rest = f'<g id="rest">{_axes(xs, ys, ticks(*ys, 3), MULTIPLE_BOX, 10, 13)}{within}{pale}</svg></g>'
    box = f'viewBox="0 0 {MULTIPLE[0]:g} {MULTIPLE[1]:g}" aria-hidden="true"'
    own = '<polyline class="line" points="{2}"/></svg>'
    small = Markup(  # noqa: S704  # numbers of our own; the names are escaped
        f'<li><bdi title="{{0}}">{{0}}</bdi> <b>{{1:.2f}}</b><svg class="chart" {box}><use href="#rest"/>{within}{own}</svg></li>'
    )
    shown = [small.format(each.bot, each.scores[-1], line) for each, line in zip(curves, points, strict=True)]
    whole = Markup('<ul class="multiples" aria-label="{}">{}</ul><svg class="unseen" aria-hidden="true"><defs>{}</defs></svg>')
    return whole.format(label, Markup("").join(shown), Markup(rest))  # noqa: S704  # our own


def _axes(xs: Span, ys: Span, marks: Sequence[float], box: Rectangle, size: float, below: float) -> str:
    """Return a rule and a number for each mark of the y axis, and round numbers ``below`` the x axis, in a font of this size."""
    x0, y0, width, height = box
    parts = []
    for mark in marks:
        y = y0 + height * (1 - (mark - ys[0]) / (ys[1] - ys[0]))
        parts.append(f'<path class="rule" d="M{x0:g} {number(y)}H{number(x0 + width)}"/>')
        parts.append(text(f"{mark:g}", (x0 - 6, y + 4), size, "currentColor", 'text-anchor="end"'))
    for mark in ticks(*xs, 6):
        if mark == int(mark) and xs[0] <= mark <= xs[1]:
            x = x0 + width * (mark - xs[0]) / (xs[1] - xs[0])
            parts.append(text(f"{mark:g}", (x, y0 + height + below), size, "currentColor", 'text-anchor="middle"'))
    return "".join(parts)


def _points(xs: Sequence[float], ys: Sequence[float], across: Span, up: Span, box: Rectangle) -> list[str]:
    """Return the points of a curve within the box."""
    x0, y0, width, height = box
    wide, tall = max(across[1] - across[0], 1e-9), max(up[1] - up[0], 1e-9)
    return [
        f"{number(x0 + width * (x - across[0]) / wide)},{number(y0 + height * (1 - (y - up[0]) / tall))}"
        for x, y in zip(xs, ys, strict=True)
    ]


def _rounded(points: Sequence[str]) -> list[str]:
    return [",".join(str(round(float(each))) for each in point.split(",")) for point in points]
