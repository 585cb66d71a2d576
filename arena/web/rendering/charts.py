"""Small charts as inline SVG, whose classes the style sheet colours for light and dark mode."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Final

from markupsafe import Markup

from engine.render.svg import number, text

SPARK: Final = (168.0, 48.0)
CHART: Final = (640.0, 240.0)
_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 24.0, 10.0, 26.0
INTERVAL: Final = (240.0, 32.0)
STEPS: Final = 9
"""Shades of a share: from ``share0``, always lost, by way of the middle to ``share8``, always won."""


def sparkline(values: Sequence[float], low: float, high: float) -> Markup:
    """Return a line through the values without axes, from ``low`` to ``high``, where it stays, for a row of text.

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
    width, height = CHART
    if not numbers:
        return Markup("")
    low = [m - 3 * s for m, s in zip(mu, sigma, strict=True)]
    high = [m + 3 * s for m, s in zip(mu, sigma, strict=True)]
    marks = ticks(min(low), max(high), 5)
    ys = (min(*low, marks[0]), max(*high, marks[-1]))
    xs = (float(numbers[0]), float(max(numbers[-1], numbers[0] + 1)))
    box = (_LEFT, _TOP, width - _LEFT - _RIGHT, height - _TOP - _BOTTOM)
    band = _points(numbers, high, xs, ys, box) + _points(numbers, low, xs, ys, box)[::-1]
    parts = []
    for mark in marks:
        y = box[1] + box[3] * (1 - (mark - ys[0]) / (ys[1] - ys[0]))
        parts.append(f'<path class="rule" d="M{_LEFT:g} {number(y)}H{number(width - _RIGHT)}"/>')
        parts.append(text(f"{mark:g}", (_LEFT - 6, y + 4), 12, "currentColor", 'text-anchor="end"'))
    for mark in ticks(xs[0], xs[1], 6):
        if mark == int(mark) and xs[0] <= mark <= xs[1]:
            x = box[0] + box[2] * (mark - xs[0]) / (xs[1] - xs[0])
            parts.append(text(f"{mark:g}", (x, height - 8), 12, "currentColor", 'text-anchor="middle"'))
    return Markup(  # noqa: S704  # numbers of our own; the label is escaped
        f'<svg class="chart" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{{label}}">{"".join(parts)}'
        f'<polygon class="band" points="{" ".join(band)}"/>'
        f'<polyline class="line" points="{" ".join(_points(numbers, mu, xs, ys, box))}"/></svg>'
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


def _points(
    xs: Sequence[float], ys: Sequence[float], across: tuple[float, float], up: tuple[float, float], box: tuple[float, float, float, float]
) -> list[str]:
    """Return the points of a curve within the box (x, y, width, height)."""
    x0, y0, width, height = box
    wide, tall = max(across[1] - across[0], 1e-9), max(up[1] - up[0], 1e-9)
    return [
        f"{number(x0 + width * (x - across[0]) / wide)},{number(y0 + height * (1 - (y - up[0]) / tall))}"
        for x, y in zip(xs, ys, strict=True)
    ]


def _rounded(points: Sequence[str]) -> list[str]:
    return [",".join(str(round(float(each))) for each in point.split(",")) for point in points]
