"""Pictures of positions of every game, and the text beside them.

Each function calls the drawer of the game's plug-in; a game without drawings is shown as its text in a frame, and a table of the seats.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from textwrap import wrap
from typing import Final

from engine.core import Move, State
from engine.registry import find_part, find_plugin
from engine.render.palette import SEAT_COLORS
from engine.render.scene import BoardSummary, Box, Drawer, EventText, Scene, Sheet, Sketch, Supply, Symbol
from engine.render.svg import fitted, from_one, number
from engine.text import figure, plain_lines


def drawer_of(game: str) -> Drawer:
    """Return the drawer of the game of that name. Raises GameError for a missing game."""
    drawer: Drawer | None = find_part(game, "drawer")
    return drawer or plain_drawer(find_plugin(game).title)


def _drawer(state: State) -> Drawer:
    return drawer_of(state.game.name)


def svg(state: State, *, last: Move | None = None, before: State | None = None, names: Sequence[str] = ()) -> str:
    """Return the position as a standalone SVG document in which ``last``, the move that led to it, is marked.

    ``before`` is the position in which ``last`` was played; some games mark more if it is given. ``names`` are the players' names by seat,
    if they should be shown, without characters that XML does not allow.
    """
    return _drawer(state).svg(state, last=last, before=before, names=names)


def scene(state: State, *, last: Move | None = None, before: State | None = None) -> Scene:
    """Return only the board of the picture that ``svg`` returns, as pieces."""
    return _drawer(state).scene(state, last=last, before=before)


def sketch(state: State, move: Move) -> Sketch | None:
    """Return the effect of a legal move, as marks over the board of ``scene(state)``; None for a move or a game that has no sketch."""
    draw = _drawer(state).sketch
    return draw(state, move) if draw else None


def summarize(state: State) -> BoardSummary:
    """Return the text beside the board of a page."""
    return _drawer(state).summarize(state)


def legend(state: State) -> tuple[Symbol, ...]:
    """Return the legend of the signs on the board."""
    return _drawer(state).legend(state)


def supply(state: State) -> Supply | None:
    """Return the supply that the seats use up in this game, or None."""
    return _drawer(state).supply(state)


def describe_events(state: State) -> tuple[EventText, ...]:
    """Return the events of the last move in plain words."""
    return tuple(map(_drawer(state).describe_event, state.events))


def describe_event(game: str, event: str) -> EventText:
    """Return an event in plain words; ``game`` is the name of its game."""
    return drawer_of(game).describe_event(event)


def describe_move(position: State, move: Move, *, is_done: bool = False) -> str:
    """Return a move as a sentence without its subject, for tables, replays and analyses; seats appear in it as ``seat 0``.

    ``position`` is the one in which the move may be played or, if it ``is_done``, any later one, which may allow less detail. By default
    the words are those of ``Game.explain``.
    """
    describe = _drawer(position).describe_move
    return describe(position, move, is_done=is_done) if describe else position.game.explain(move)


def sheet(state: State) -> Sheet:
    """Return the definitions shared by all pictures of the state's game."""
    return _drawer(state).sheet


def lines(
    state: State, *, last: Move | None = None, before: State | None = None, width: int = 80, height: int | None = None, color: bool = True
) -> list[str]:
    """Return the board as lines for a terminal, of at most ``width`` columns, and at most ``height`` lines if given.

    A board that is too large is cropped around the area of ``last``, and a line says how much is cut off. There are ANSI sequences only
    with ``color``.
    """
    return _drawer(state).lines(state, last=last, before=before, width=width, height=height, color=color)


_PAPER: Final = "#f4efe4"
_INK: Final = "#23313a"
_ROW: Final = 20.0
_LETTER: Final = 8.6
_LONGEST: Final = 72
_ROOM: Final = 16.0
_LEAST: Final = 180.0
_FONT: Final = 'font-family="\'DejaVu Sans Mono\',Menlo,Consolas,monospace" font-weight="400" text-anchor="start"'
"""All said, since a page that shows pieces of a board centres its letters."""


@lru_cache(maxsize=64)
def plain_drawer(title: str) -> Drawer:
    """Return the drawer for a game without its own, by its title."""
    return Drawer(_svg, _lines, _scene, _summarize, lambda _: (), lambda _: None, EventText, Sheet(title, "", _PAPER))


def text_of(state: State, width: int = _LONGEST) -> list[str]:
    """Return the lines of ``str(state)``, folded at ``width`` columns."""
    return [part for line in plain_lines(str(state)).splitlines() for part in (wrap(line, width, drop_whitespace=False) or [""])]


def _scene(state: State, *, last: Move | None = None, before: State | None = None) -> Scene:
    lines = text_of(state)
    width = 2 * _ROOM + _LETTER * max(map(len, lines), default=1)
    left = min(0.0, (width - _LEAST) / 2)  # a small board is not blown up to the size of the page
    scene = Scene(Box(left, 0, max(width, _LEAST), 2 * _ROOM + _ROW * len(lines)))
    for row, line in enumerate(lines):
        place = f'x="{number(_ROOM)}" y="{number(_ROOM + _ROW * (row + 0.75))}"'
        scene.add(
            f"line {row}", f'<text {place} {_FONT} font-size="14" fill="{_INK}" xml:space="preserve">{escape(line)}</text>', order=row
        )
    return scene


def _svg(state: State, *, last: Move | None = None, before: State | None = None, names: Sequence[str] = ()) -> str:
    scene = _scene(state)
    summary = _summarize(state)
    top = scene.box.height
    rows = [("", tuple(summary.columns))] + [
        (names[seat] if names else f"Seat {seat + 1}", tuple(figure(column[seat]) for column in summary.columns.values()))
        for seat in range(state.players)
    ]
    width = max(scene.box.width, 320.0, 2 * _ROOM + 200 + 90.0 * len(summary.columns))
    parts = []
    for row, (name, cells) in enumerate(rows):
        y = number(top + _ROW * (row + 0.75))
        color = SEAT_COLORS[(row - 1) % len(SEAT_COLORS)].hex if row else "none"
        parts.append(f'<rect x="{number(_ROOM)}" y="{number(top + _ROW * row + 5)}" width="12" height="12" rx="3" fill="{color}"/>')
        for column, words in enumerate((name, *cells)):
            x = _ROOM + 20 if not column else _ROOM + 200 + 90.0 * (column - 1)
            shown = escape(fitted(words, 170 if not column else 85, 13))
            parts.append(f'<text x="{number(x)}" y="{y}" {_FONT} font-size="13" fill="{_INK}">{shown}</text>')
    status = escape(from_one(summary.status, names))
    status_y = top + _ROW * len(rows) + _ROOM
    parts.append(f'<text x="{number(_ROOM)}" y="{number(status_y)}" {_FONT} font-size="13" fill="{_INK}">{status}</text>')
    height = status_y + _ROOM
    paper = f'<rect width="{number(width)}" height="{number(height)}" fill="{_PAPER}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" role="img">'
        f"<title>{escape(summary.status)}</title>{paper}{scene.drawn()}{''.join(parts)}</svg>"
    )


def _lines(
    state: State, *, last: Move | None = None, before: State | None = None, width: int = 80, height: int | None = None, color: bool = True
) -> list[str]:
    lines = text_of(state, width)
    if height is not None and len(lines) > height:
        lines = [*lines[: max(height - 1, 0)], f"… {len(lines) - max(height - 1, 0)} more lines"[:width]]
    return lines


def _summarize(state: State) -> BoardSummary:
    outcome = state.outcome
    status = f"Seat {state.actor} has to decide" if outcome is None else f"Over: {outcome.ending}"
    return BoardSummary(status, (), state.tally(), ())


_SEAT: Final = re.compile(r"\b[Ss]eat ([0-9]{1,3})\b")


def named(text: str, names: Sequence[str]) -> str:
    """Return the text with the name of a player for each "seat N", where there is one."""

    def name(seat: re.Match[str]) -> str:
        return next(iter(names[int(seat[1]) :]), "") or seat[0]

    return _SEAT.sub(name, text)
