"""The picture that stands for a replay, or for a position in it, where a link to it is shared: the board, the players, their points."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from html import escape
from typing import Final

from arena.web.viewer.documents import ink_on
from arena.web.viewer.small_board import RATIO, small_board
from engine.core import State
from engine.records import Replay
from engine.render import drawing
from engine.render.palette import SEAT_COLORS
from engine.replay.verifier import shown_names
from engine.text import counted, figure, short

WIDTH: Final = 1200
HEIGHT: Final = 630
"""The size in pixels that sites use for pictures of links."""
_EDGE: Final = 40
_BOARD: Final = HEIGHT - 2 * _EDGE
"""The height of the board; the rest of the width is for words."""
_LEFT: Final = int(_EDGE + _BOARD * RATIO + _EDGE)
"""Where the words begin."""
_LONGEST_NAME: Final = 15
_LONGEST_TITLE: Final = 16
"""The most characters that are as wide as the room for words."""
_FONT: Final = "DejaVu Sans"
_PROBE: Final = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" font-family="DejaVu Sans"><text y="16">{}</text></svg>'


def share_card(replay: Replay, state: State, at: int, title: str, moves: int = 0) -> str:
    """Return the card of the position after ``at`` decisions of a replay, and so many other moves, as SVG.

    Places and final points are on that of the last decision.
    """
    is_over = at == len(replay.decisions)
    order = sorted(range(replay.players), key=lambda seat: replay.ranks[seat] if is_over else seat)
    columns = list(drawing.summarize(state).columns.values())
    points = replay.scores if is_over else columns[0] if columns else [None] * replay.players
    board = b64encode(small_board(state).encode()).decode()
    step = min(72, (HEIGHT - 260) // len(order))
    rows = []
    for row, seat in enumerate(order):
        place = f"{replay.ranks[seat]}. " if is_over and replay.players > 1 else ""
        rows.append(_row(shown_names(replay)[seat], seat, 220 + step * row, place, points[seat]))
    when = "The final board" if is_over else f"After decision {at} of {len(replay.decisions)}"
    if moves:
        when = f"{counted(moves, 'move')} after decision {at}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="{_FONT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#0e2a47"/>'
        f'<image x="{_EDGE}" y="{_EDGE}" width="{_BOARD * RATIO:.0f}" height="{_BOARD}" href="data:image/svg+xml;base64,{board}"/>'
        f'<text x="{_LEFT}" y="90" font-size="32" font-weight="700" fill="#fff">{_text(title, _LONGEST_TITLE)}</text>'
        f'<text x="{_LEFT}" y="132" font-size="22" fill="#c9d8e4">{when}</text>{"".join(rows)}</svg>'
    )


def _row(name: str, seat: int, y: int, place: str, points: float | None) -> str:
    """Return a player's line: the seat's number on its colour, the place if there is one, the name, and the points."""
    fill = SEAT_COLORS[seat % len(SEAT_COLORS)].hex
    right = f'x="{WIDTH - _EDGE}" y="{y + 9}" text-anchor="end"'
    score = "" if points is None else f'<text {right} font-size="26" font-weight="700" fill="#fff">{figure(points)}</text>'
    return (
        f'<circle cx="{_LEFT + 16}" cy="{y}" r="16" fill="{fill}"/>'
        f'<text x="{_LEFT + 16}" y="{y + 7}" font-size="20" font-weight="700" text-anchor="middle" fill="{ink_on(fill)}">{seat + 1}</text>'
        f'<text x="{_LEFT + 42}" y="{y + 9}" font-size="24" fill="#fff">{_text(f"{place}{name}", _LONGEST_NAME)}</text>{score}'
    )


def _text(words: str, most: int) -> str:
    return escape(short(words, most))


def as_png(picture: str) -> bytes | None:
    """Return an SVG document as PNG; None without resvg_py, or on a machine without fonts, where it would lack its words."""
    if not _can_draw():
        return None
    import resvg_py  # noqa: PLC0415  # of the extra "serve"

    return bytes(resvg_py.svg_to_bytes(picture, font_family=_FONT))


@cache
def _can_draw() -> bool:
    try:
        import resvg_py  # noqa: PLC0415  # the same
    except ModuleNotFoundError:
        return False
    drawn, empty = (bytes(resvg_py.svg_to_bytes(_PROBE.format(word), font_family=_FONT)) for word in ("M", ""))
    return drawn != empty
