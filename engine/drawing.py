"""Positions of every game as pictures: which game is drawn by which module. It draws nothing itself; no module of rules imports it."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from engine.core import Move, State
from engine.sunda import drawing as sunda_drawing
from engine.sunda import terminal as sunda_terminal
from engine.tongiaki import drawing as tongiaki_drawing
from engine.tongiaki import terminal as tongiaki_terminal


class _Svg(Protocol):
    def __call__(self, state: State, *, last: Move | None = None, before: State | None = None) -> str: ...


class _Lines(Protocol):
    def __call__(
        self,
        state: State,
        *,
        last: Move | None = None,
        before: State | None = None,
        width: int = 80,
        height: int | None = None,
        color: bool = True,
    ) -> list[str]: ...


class Drawer(NamedTuple):
    """The two drawings of a game; both are pure functions."""

    svg: _Svg
    lines: _Lines


_DRAWERS: Final = {
    "tongiaki": Drawer(tongiaki_drawing.svg, tongiaki_terminal.lines),
    "sunda": Drawer(sunda_drawing.svg, sunda_terminal.lines),
}


def _drawer(state: State) -> Drawer:
    if not is_drawn(state.game.name):
        raise TypeError(f"there is no drawing of positions of {state.game.name}")
    return _DRAWERS[state.game.name]


def is_drawn(game: str) -> bool:
    """Whether there are drawings of the game of that name."""
    return game in _DRAWERS


def svg(state: State, *, last: Move | None = None, before: State | None = None) -> str:
    """The position as a standalone SVG document, with what the move ``last`` that led to it concerned marked.

    ``before`` is the position ``last`` was played in; a game may mark more when it knows it. Raises TypeError for a game without a drawing.
    """
    return _drawer(state).svg(state, last=last, before=before)


def lines(
    state: State, *, last: Move | None = None, before: State | None = None, width: int = 80, height: int | None = None, color: bool = True
) -> list[str]:
    """The board as lines for a terminal, at most ``width`` columns wide and, if ``height`` is given, at most so many.

    A board that is too large is cropped around what ``last`` concerned, and a line says what is cut off. There are ANSI sequences only with
    ``color``. Raises TypeError for a game without a drawing.
    """
    return _drawer(state).lines(state, last=last, before=before, width=width, height=height, color=color)
