"""Charts as inline SVG, whose classes the style sheet colours for light and dark mode."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

INTERVAL: Final = (240.0, 32.0)
STEPS: Final = 9
"""Shades of a share: from ``share0``, always lost, by way of the middle to ``share8``, always won."""


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
