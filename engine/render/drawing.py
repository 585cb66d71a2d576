"""Pictures of the positions of any game, and the text next to them.

Each function calls the drawer of the game's plug-in. If the plug-in has none, the position is shown as text in a frame, with a table of
the seats.
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
from engine.render.scene import BoardSummary, Box, Drawer, EventText, Scene, Sheet, Sketch
from engine.render.svg import LETTERS, fitted, from_one, move_to, number, text
from engine.text import figure, plain_lines


def drawer_of(game: str) -> Drawer:
    """Return the drawer of the game with that name. Raises GameError if there is no such game."""
    own: Drawer | None = find_part(game, "drawer")
    return own or plain_drawer(find_plugin(game).title)


def drawer(state: State) -> Drawer:
    """Return the drawer of the state's game."""
    return drawer_of(state.game.name)


def svg(state: State, *, last: Move | None = None, before: State | None = None, names: Sequence[str] = ()) -> str:
    """Return the position as a standalone SVG document: the board, and below it a table of the seats.

    ``last``, the move that led to the position, is marked; some games mark more if they get ``before``, the position in which it was
    played. If ``names`` holds the players' names by seat, they are shown; they must not contain characters that XML forbids.
    """
    by = drawer(state)
    board, summary = by.scene(state, last=last, before=before), by.summarize(state)
    table, table_width, table_height = _table(state, summary, names)
    box, status = board.box, escape(from_one(summary.status, names))
    zoom = min(max(box.width / table_width, 1.0), 2.5)  # larger below a large board, which is scaled down
    width = max(box.width, zoom * table_width) + 2 * _ROOM
    ground = box.height + 2 * _ROOM
    height = ground + zoom * table_height + _ROOM
    at = ((width - box.width) / 2 - box.x, _ROOM - box.y)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{width * _SCALE:.0f}" height="{height * _SCALE:.0f}" {LETTERS}>\n'
        f"<title>{escape(by.sheet.title)}: {status}</title>\n<desc>{escape('; '.join(summary.facts))}</desc>\n{by.sheet.defs}"
        f'<rect width="{number(width)}" height="{number(height)}" fill="{_PAPER}"/>'
        f'<rect width="{number(width)}" height="{number(ground)}" fill="{by.sheet.table}"/>\n'
        f'<g class="board" stroke-linejoin="round" {move_to(at)}>\n{board.drawn()}\n</g>\n'
        f'<g class="seats" {move_to((_ROOM, ground), scale=zoom)}>{table}</g>\n</svg>\n'
    )


def _table(state: State, summary: BoardSummary, names: Sequence[str]) -> tuple[str, float, float]:
    columns = {head: tuple(map(figure, column)) for head, column in summary.columns.items()}
    if state.outcome is not None:
        columns["rank"] = tuple(map(str, state.outcome.ranks))
    parts = [text(from_one(summary.status, names), (0, _ROW), 15, _INK, _START)]
    parts += [text(fact, (0, _ROW * (2 + row)), 13, _INK, f'{_START} font-weight="400"') for row, fact in enumerate(summary.facts)]
    top = _ROW * (2 + len(summary.facts))
    parts += [text(fitted(head, _COLUMN, 13), (_NAME + _COLUMN * at, top), 13, _INK, _END) for at, head in enumerate(columns, 1)]
    for seat in range(state.players):
        y = top + _ROW * (seat + 1)
        parts.append(f'<rect y="{number(y - 11)}" width="12" height="12" rx="3" fill="{SEAT_COLORS[seat % len(SEAT_COLORS)].hex}"/>')
        parts.append(text(fitted(names[seat] if names else f"Seat {seat + 1}", _NAME - 20, 13), (20, y), 13, _INK, _START))
        parts += [text(column[seat], (_NAME + _COLUMN * at, y), 13, _INK, _END) for at, column in enumerate(columns.values(), 1)]
    y = top + _ROW * (state.players + 0.75)
    for words, markup, (left, upper, wide, high) in summary.waiting:
        shown = f'viewBox="{left:g} {upper:g} {wide:g} {high:g}" width="{number(_SIGN * wide / high)}" height="{_SIGN:g}"'
        parts.append(f'<svg x="0" y="{number(y)}" {shown}>{markup}</svg>')
        parts.append(text(words, (_SIGN * wide / high + 12, y + _SIGN / 2 + 5), 13, _INK, _START))
        y += _SIGN + 8
    return "".join(parts), _NAME + _COLUMN * len(columns), y


def scene(state: State, *, last: Move | None = None, before: State | None = None) -> Scene:
    """Return a picture of only the board, as a ``Scene``, with the marks that ``svg`` draws."""
    return drawer(state).scene(state, last=last, before=before)


def sketch(state: State, move: Move) -> Sketch | None:
    """Return the effect of a legal move as marks over the board of ``scene(state)``, or None if the move or the game has no sketch."""
    draw = drawer(state).sketch
    return draw(state, move) if draw else None


def describe_events(state: State) -> tuple[EventText, ...]:
    """Return the events of the last move in plain words."""
    return tuple(map(drawer(state).describe_event, state.events))


def describe_move(position: State, move: Move, *, is_done: bool = False) -> str:
    """Return a move as a sentence without a subject, for matches, replays and analyses; seats are written as ``seat 0``.

    ``position`` is the position in which the move may be played or, if ``is_done``, any later position, which may allow less detail. By
    default, the result of ``Game.explain`` is returned.
    """
    describe = drawer(position).describe_move
    return describe(position, move, is_done=is_done) if describe else position.game.explain(move)


def lines(
    state: State, *, last: Move | None = None, before: State | None = None, width: int = 80, height: int | None = None, color: bool = True
) -> list[str]:
    """Return the board as lines for a terminal: at most ``width`` columns and, if given, at most ``height`` lines.

    A board that is too large is cropped around the area of ``last``, and a line says how much is cut off. ANSI sequences are used only if
    ``color`` is true.
    """
    return drawer(state).lines(state, last=last, before=before, width=width, height=height, color=color)


_PAPER: Final = "#f4efe4"
_INK: Final = "#23313a"
_ROW: Final = 20.0
_NAME: Final = 170.0
_COLUMN: Final = 140.0
_SIGN: Final = 48.0
_SCALE: Final = 0.75
"""Pixels per unit, unless the page sets another size."""
_START: Final = 'text-anchor="start"'
_END: Final = 'text-anchor="end"'
_LETTER: Final = 8.6
_LONGEST: Final = 72
_ROOM: Final = 16.0
_LEAST: Final = 180.0
_FONT: Final = 'font-family="\'DejaVu Sans Mono\',Menlo,Consolas,monospace" font-weight="400" text-anchor="start"'
"""Every text attribute is set, because a page that shows pieces of a board centres its text."""


@lru_cache(maxsize=64)
def plain_drawer(title: str) -> Drawer:
    """Return the default drawer, for a game that doesn't define one; ``title`` is the game's title."""
    return Drawer(_lines, _scene, _summarize, lambda _: (), lambda _: None, EventText, Sheet(title, "", _PAPER))


def text_of(state: State, width: int = _LONGEST) -> list[str]:
    """Return the lines of ``str(state)``, wrapped at ``width`` columns."""
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
    """Return the text with each "seat N" replaced with the player's name, if it is in ``names``."""

    def name(seat: re.Match[str]) -> str:
        return next(iter(names[int(seat[1]) :]), "") or seat[0]

    return _SEAT.sub(name, text)
