"""Small pieces of SVG that the pictures of all games share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Final

LETTERS: Final = 'font-family="\'DejaVu Sans\',Verdana,\'Segoe UI\',sans-serif" font-weight="700" text-anchor="middle"'
"""The attributes of all text in a picture."""


def number(value: float) -> str:
    """Return a coordinate with at most one decimal, as short as possible."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def move_to(point: tuple[float, float], angle: float = 0, scale: float = 1) -> str:
    """Return the ``transform`` attribute that scales a shape, turns it by ``angle`` degrees and moves it to the point."""
    rotate = f" rotate({number(angle)})" if angle else ""
    zoom = f" scale({scale:g})" if scale != 1 else ""
    return f'transform="translate({number(point[0])} {number(point[1])}){rotate}{zoom}"'


def text(words: str, at: tuple[float, float], size: float, ink: str, more: str = "") -> str:
    """Return a line of text with its baseline at a point; ``more`` holds further attributes."""
    place = f'x="{number(at[0])}" y="{number(at[1])}"'
    return f'<text {place} font-size="{size:g}" fill="{ink}"{" " + more if more else ""}>{escape(words)}</text>'


def from_one(words: str, names: Sequence[str] = ()) -> str:
    """Return words for readers: each "seat N", counted from 0, as the player's name if ``names`` has it, else counted from 1."""
    return re.sub(r"\b([Ss]eat) ([0-9]+)\b", lambda seat: names[int(seat[2])] if names else f"{seat[1]} {int(seat[2]) + 1}", words)


def stroke(color: str, width: float, more: str = "") -> str:
    """Return the attributes of a line; ``more`` holds further ones."""
    return f'stroke="{color}" stroke-width="{width:g}"{" " + more if more else ""}'


def fitted(words: str, width: float, size: float) -> str:
    """Return a text, shortened with an ellipsis if it might not fit a width in bold type of that size."""
    room = max(int(width / (size * 0.7)), 1)
    return words if len(words) <= room else words[: room - 1] + "…"
