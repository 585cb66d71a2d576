"""Pictures of positions of every game, and what is said beside them: each function calls the module that draws the state's game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple, Protocol

from engine.core import Move, State
from engine.render.scene import BoardSummary, EventText, Scene, Sign, Supply


class _Svg(Protocol):
    def __call__(self, state: State, *, last: Move | None = None, before: State | None = None, names: Sequence[str] = ()) -> str: ...


class _Scene(Protocol):
    def __call__(self, state: State, *, last: Move | None = None, before: State | None = None) -> Scene: ...


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


class Sheet(NamedTuple):
    """What all pictures of a game share: its title, the ``<defs>`` that pieces refer to, the colour of the table."""

    title: str
    defs: str
    table: str


class Drawer(NamedTuple):
    """The drawing functions of a game, all of them pure."""

    svg: _Svg
    lines: _Lines
    scene: _Scene
    summarize: Callable[[State], BoardSummary]
    legend: Callable[[State], tuple[Sign, ...]]
    supply: Callable[[State], Supply | None]
    describe_event: Callable[[str], EventText]
    sheet: Sheet


@cache
def _tongiaki() -> Drawer:
    from engine.tongiaki.render import drawing, event_text, terminal  # noqa: PLC0415  # a match loads only the drawings of its game
    from engine.tongiaki.render.pictures import DEFS, TABLE  # noqa: PLC0415

    return Drawer(
        drawing.svg,
        terminal.lines,
        drawing.scene,
        drawing.summarize,
        drawing.legend,
        drawing.supply,
        event_text.describe_event,
        Sheet("Tongiaki", DEFS, TABLE),
    )


@cache
def _sunda() -> Drawer:
    from engine.sunda.render import drawing, event_text, terminal  # noqa: PLC0415
    from engine.sunda.render.pictures import PAPER  # noqa: PLC0415

    return Drawer(
        drawing.svg,
        terminal.lines,
        drawing.scene,
        drawing.summarize,
        drawing.legend,
        drawing.supply,
        event_text.describe_event,
        Sheet("Sunda to Sahul", "", PAPER),
    )


_DRAWERS: Final[Mapping[str, Callable[[], Drawer]]] = {"tongiaki": _tongiaki, "sunda": _sunda}


def _drawer(state: State) -> Drawer:
    if not is_drawn(state.game.name):
        raise TypeError(f"there is no drawing of positions of {state.game.name}")
    return _DRAWERS[state.game.name]()


def is_drawn(game: str) -> bool:
    """Return whether there are drawings of the game of that name."""
    return game in _DRAWERS


def svg(state: State, *, last: Move | None = None, before: State | None = None, names: Sequence[str] = ()) -> str:
    """Return the position as a standalone SVG document in which ``last``, the move that led to it, is marked.

    ``before`` is the position in which ``last`` was played; some games mark more if it is given. ``names`` are those of the players, by
    seat, if they are to be shown, without characters that XML does not allow. Raises TypeError for a game without drawings.
    """
    return _drawer(state).svg(state, last=last, before=before, names=names)


def scene(state: State, *, last: Move | None = None, before: State | None = None) -> Scene:
    """Return the board of that picture alone, piece by piece. Raises TypeError for a game without drawings."""
    return _drawer(state).scene(state, last=last, before=before)


def summarize(state: State) -> BoardSummary:
    """Return what a page says beside the board. Raises TypeError for a game without drawings."""
    return _drawer(state).summarize(state)


def legend(state: State) -> tuple[Sign, ...]:
    """Return what the signs on the board mean. Raises TypeError for a game without drawings."""
    return _drawer(state).legend(state)


def supply(state: State) -> Supply | None:
    """Return what the seats use up in this game, or None. Raises TypeError for a game without drawings."""
    return _drawer(state).supply(state)


def describe_events(state: State) -> tuple[EventText, ...]:
    """Return the events of the last move in plain words. Raises TypeError for a game without drawings."""
    return tuple(map(_drawer(state).describe_event, state.events))


def describe_event(game: str, event: str) -> EventText:
    """Return an event of the game of that name in plain words. Raises TypeError for a game without drawings."""
    if not is_drawn(game):
        raise TypeError(f"there is no drawing of positions of {game}")
    return _DRAWERS[game]().describe_event(event)


def sheet(state: State) -> Sheet:
    """Return what all pictures of the state's game share. Raises TypeError for a game without drawings."""
    return _drawer(state).sheet


def lines(
    state: State, *, last: Move | None = None, before: State | None = None, width: int = 80, height: int | None = None, color: bool = True
) -> list[str]:
    """Return the board as lines for a terminal, of at most ``width`` columns, and at most ``height`` lines if given.

    A board that is too large is cropped around what ``last`` concerned, and a line says what is cut off. There are ANSI sequences only with
    ``color``. Raises TypeError for a game without drawings.
    """
    return _drawer(state).lines(state, last=last, before=before, width=width, height=height, color=color)
