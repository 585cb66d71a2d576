"""Pictures of positions of every game, and what is said beside them.

Each function calls what the game's plug-in draws with; a game without drawings is shown as text (``engine.render.plain``).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.core import Move, State
from engine.registry import find_part, find_plugin
from engine.render.drawer import Drawer, Sheet
from engine.render.plain import plain_drawer
from engine.render.scene import BoardSummary, EventText, Scene, Sign, Supply
from engine.render.sketch import Sketch


def drawer_of(game: str) -> Drawer:
    """Return what draws the game of that name. Raises GameError for a game that is not there."""
    drawer: Drawer | None = find_part(game, "drawer")
    return drawer or plain_drawer(find_plugin(game).title)


def _drawer(state: State) -> Drawer:
    return drawer_of(state.game.name)


def svg(state: State, *, last: Move | None = None, before: State | None = None, names: Sequence[str] = ()) -> str:
    """Return the position as a standalone SVG document in which ``last``, the move that led to it, is marked.

    ``before`` is the position in which ``last`` was played; some games mark more if it is given. ``names`` are those of the players, by
    seat, if they are to be shown, without characters that XML does not allow.
    """
    return _drawer(state).svg(state, last=last, before=before, names=names)


def scene(state: State, *, last: Move | None = None, before: State | None = None) -> Scene:
    """Return the board of that picture alone, piece by piece."""
    return _drawer(state).scene(state, last=last, before=before)


def sketch(state: State, move: Move) -> Sketch | None:
    """Return what a legal move would do, as marks over the board of ``scene(state)``; None for a move or a game that has no sketch."""
    draw = _drawer(state).sketch
    return draw(state, move) if draw else None


def summarize(state: State) -> BoardSummary:
    """Return what a page says beside the board."""
    return _drawer(state).summarize(state)


def legend(state: State) -> tuple[Sign, ...]:
    """Return what the signs on the board mean."""
    return _drawer(state).legend(state)


def supply(state: State) -> Supply | None:
    """Return what the seats use up in this game, or None."""
    return _drawer(state).supply(state)


def describe_events(state: State) -> tuple[EventText, ...]:
    """Return the events of the last move in plain words."""
    return tuple(map(_drawer(state).describe_event, state.events))


def describe_event(game: str, event: str) -> EventText:
    """Return an event of the game of that name in plain words."""
    return drawer_of(game).describe_event(event)


def describe_move(position: State, move: Move, *, is_done: bool = False) -> str:
    """Return a move as a sentence without its subject, as tables, replays and analyses tell it; seats stand in it as ``seat 0``.

    ``position`` is the one in which the move may be played or, if it ``is_done``, any later one, of which less may be known. A game that
    has no words for it that depend on the position has those of ``Game.explain``.
    """
    describe = _drawer(position).describe_move
    return describe(position, move, is_done=is_done) if describe else position.game.explain(move)


def sheet(state: State) -> Sheet:
    """Return what all pictures of the state's game share."""
    return _drawer(state).sheet


def lines(
    state: State, *, last: Move | None = None, before: State | None = None, width: int = 80, height: int | None = None, color: bool = True
) -> list[str]:
    """Return the board as lines for a terminal, of at most ``width`` columns, and at most ``height`` lines if given.

    A board that is too large is cropped around what ``last`` concerned, and a line says what is cut off. There are ANSI sequences only with
    ``color``.
    """
    return _drawer(state).lines(state, last=last, before=before, width=width, height=height, color=color)
