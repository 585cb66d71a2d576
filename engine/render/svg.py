"""Small pieces of SVG that the pictures of all games share. It knows no game."""

from __future__ import annotations

from html import escape
from typing import Final

LETTERS: Final = 'font-family="\'DejaVu Sans\',Verdana,\'Segoe UI\',sans-serif" font-weight="700" text-anchor="middle"'
"""The attributes of a whole picture's letters."""


def number(value: float) -> str:
    """A coordinate with at most one decimal, as short as can be."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def move_to(point: tuple[float, float], angle: float = 0, scale: float = 1) -> str:
    """The ``transform`` attribute that turns a shape, scales it and brings it there."""
    rotate = f" rotate({number(angle)})" if angle else ""
    zoom = f" scale({scale:g})" if scale != 1 else ""
    return f'transform="translate({number(point[0])} {number(point[1])}){rotate}{zoom}"'


def text(words: str, at: tuple[float, float], size: float, ink: str, more: str = "") -> str:
    """A line of text with its baseline there; ``more`` holds further attributes."""
    place = f'x="{number(at[0])}" y="{number(at[1])}"'
    return f'<text {place} font-size="{size:g}" fill="{ink}"{" " + more if more else ""}>{escape(words)}</text>'


def stroke(color: str, width: float, more: str = "") -> str:
    """The attributes of a line."""
    return f'stroke="{color}" stroke-width="{width:g}"{" " + more if more else ""}'


def fitted(words: str, width: float, size: float) -> str:
    """As many of the letters as surely fit that width in bold type of that size; what is cut off becomes an ellipsis."""
    room = max(int(width / (size * 0.7)), 1)
    return words if len(words) <= room else words[: room - 1] + "…"
