"""The drawing functions of one game, as a record that its plug-in may offer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

from engine.core import Move, State
from engine.render.scene import BoardSummary, EventText, Scene, Supply, Symbol
from engine.render.sketch import Sketch


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


class _DescribeMove(Protocol):
    def __call__(self, position: State, move: Move, *, is_done: bool) -> str: ...


class Sheet(NamedTuple):
    """What all pictures of a game share: its title, the ``<defs>`` that pieces use, and the table's colours on light and dark pages."""

    title: str
    defs: str
    table: str
    dark: str = ""


class Drawer(NamedTuple):
    """The drawing functions of a game, all of them pure; ``engine.render.drawing`` says what each returns.

    A game needs neither ``sketch`` nor ``describe_move``: moves are then described by ``Game.explain``. ``endings`` has phrases for the
    words that say why it ended, such as ``the last water is laid``.
    """

    svg: _Svg
    lines: _Lines
    scene: _Scene
    summarize: Callable[[State], BoardSummary]
    legend: Callable[[State], tuple[Symbol, ...]]
    supply: Callable[[State], Supply | None]
    describe_event: Callable[[str], EventText]
    sheet: Sheet
    sketch: Callable[[State, Move], Sketch | None] | None = None
    describe_move: _DescribeMove | None = None
    endings: Mapping[str, str] = MappingProxyType({})
