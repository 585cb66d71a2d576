"""Charts as inline SVG, whose classes the style sheet colours for light and dark mode."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Final, TypeAlias

from markupsafe import Markup

from engine.render.svg import number, text

Span: TypeAlias = tuple[float, float]
Rectangle: TypeAlias = tuple[float, float, float, float]
"""x, y, width, height."""
HISTORY: Final = (640.0, 240.0)
HISTORY_BOX: Final = (44.0, 10.0, 572.0, 204.0)
"""The box of the curve."""
INTERVAL: Final = (240.0, 32.0)
STEPS: Final = 9
"""Shades of a share: from ``share0``, always lost, by way of the middle to ``share8``, always won."""


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
