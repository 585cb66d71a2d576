"""Pictures, and the text next to them. A picture is a tree of named pieces, so that a page can redraw only what differs between two
positions. Each game's drawing code creates the pieces; ``Scene.drawn`` joins them. A plug-in can provide a ``Drawer``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias, final

from engine.core import Move, State

Point: TypeAlias = tuple[float, float]
_CLOSE: Final = "</g>"


class Box(NamedTuple):
    """A rectangle of the plane: its upper left corner and its size, in units of the picture; y grows downwards."""

    x: float
    y: float
    width: float
    height: float


class Piece(NamedTuple):
    """One element of a picture.

    ``key`` is its name, unique in the picture; ``parent`` is the key of the group that contains it, or empty. Pieces of a group are drawn
    in ascending ``order``, then in order of key. ``markup`` is one whole element; a group's pieces are added after its own content.
    """

    key: str
    parent: str
    order: float
    markup: str


@final
class Scene:
    """The pieces of one picture."""

    __slots__ = ("box", "pieces")

    def __init__(self, box: Box) -> None:
        self.box: Final = box
        self.pieces: Final[dict[str, Piece]] = {}

    def add(self, key: str, markup: str, *, parent: str = "", order: float = 0) -> None:
        """Add a ``Piece`` with these attributes."""
        self.pieces[key] = Piece(key, parent, order, markup)

    def group(self, key: str, attributes: str, *, parent: str = "", order: float = 0, inside: str = "") -> str:
        """Add a group for pieces and return its key; ``inside`` is content that is drawn before the pieces."""
        self.add(key, f"<g {attributes}>{inside}{_CLOSE}", parent=parent, order=order)
        return key

    def drawn(self) -> str:
        """Return the whole picture as SVG: one line for each piece that is in no group. A group is on one line with all its pieces."""
        inside: dict[str, list[Piece]] = {}
        for piece in self.pieces.values():
            inside.setdefault(piece.parent, []).append(piece)
        for pieces in inside.values():
            pieces.sort(key=lambda piece: (piece.order, piece.key))
        return "\n".join("".join(_written(piece, inside)) for piece in inside.get("", ()))


def _written(piece: Piece, inside: dict[str, list[Piece]]) -> Iterator[str]:
    children = inside.get(piece.key)
    if not children:
        yield piece.markup
        return
    yield piece.markup.removesuffix(_CLOSE)
    for child in children:
        yield from _written(child, inside)
    yield _CLOSE


class Symbol(NamedTuple):
    """A small picture with words, such as a line of a legend or a tile in hand. ``box`` is the part of the plane to show."""

    words: str
    markup: str
    box: Box


class Supply(NamedTuple):
    """A supply that a seat uses up: the name of its column, the word for one piece, and the number at the start."""

    column: str
    word: str
    full: int


class BoardSummary(NamedTuple):
    """The text next to the board on a page. ``status`` is the pending decision; ``facts`` are further facts. ``columns`` maps the heading
    of each column, points first, to a number for each seat. ``waiting`` shows pieces that are neither on the board nor in a supply, such
    as a tile in hand or a group about to land.
    """

    status: str
    facts: tuple[str, ...]
    columns: dict[str, tuple[int, ...]]
    waiting: tuple[Symbol, ...]


class EventText(NamedTuple):
    """An event in plain words. Each entry of ``dice`` says who rolled (a seat or a role) and holds the numbers."""

    words: str
    dice: tuple[tuple[str, tuple[int, ...]], ...] = ()


class Sketch(NamedTuple):
    """The effect of a move as marks over the board: ``box`` contains all the marks, and ``at`` is the point that the move is about.

    ``is_arrow`` is whether the marks include an arrow, so that a page need not add one.
    """

    markup: str
    box: Box
    at: Point
    is_arrow: bool = False


class Sheet(NamedTuple):
    """What all pictures of a game share: its title, the ``<defs>`` of the pieces, and the background colours for light and dark pages."""

    title: str
    defs: str
    table: str
    dark: str = ""


class Drawer(NamedTuple):
    """The drawing functions of a game, all of them pure; ``engine.render.drawing`` documents what each function takes and returns.

    ``sketch`` and ``describe_move`` are optional; by default, moves are described with ``Game.explain``. ``endings`` maps the value of
    ``Outcome.ending`` to a phrase such as ``the last water is laid``.
    """

    lines: Callable[..., list[str]]
    scene: Callable[..., Scene]
    summarize: Callable[[State], BoardSummary]
    legend: Callable[[State], tuple[Symbol, ...]]
    supply: Callable[[State], Supply | None]
    describe_event: Callable[[str], EventText]
    sheet: Sheet
    sketch: Callable[[State, Move], Sketch | None] | None = None
    describe_move: Callable[..., str] | None = None
    endings: Mapping[str, str] = MappingProxyType({})
