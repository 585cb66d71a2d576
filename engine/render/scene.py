"""Pictures as trees of named pieces, so that a page can redraw just what differs between two positions; and the text beside them. The
drawings of each game make the pieces; ``Scene.drawn`` writes them one after the other as a whole picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, final

_CLOSE: Final = "</g>"


class Box(NamedTuple):
    """A rectangle of the plane: its upper left corner and its size, in units of the picture; y grows downwards."""

    x: float
    y: float
    width: float
    height: float


class Piece(NamedTuple):
    """One element of a picture.

    ``key`` names it within the picture; ``parent`` is the key of the group that contains it, or empty. Pieces of a group are drawn by
    ascending ``order``, then by key. ``markup`` is one whole element; the pieces of a group follow the content of its own markup.
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
        """Add a piece."""
        self.pieces[key] = Piece(key, parent, order, markup)

    def group(self, key: str, attributes: str, *, parent: str = "", order: float = 0, inside: str = "") -> str:
        """Add a group for pieces and return its key; ``inside`` is its content before them."""
        self.add(key, f"<g {attributes}>{inside}{_CLOSE}", parent=parent, order=order)
        return key

    def drawn(self) -> str:
        """Return the whole picture as SVG, with a line for each piece that is in no group."""
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
    """A small picture with words: a line of a legend, a tile in hand. ``box`` is the part of the plane to show."""

    words: str
    markup: str
    box: Box


class Supply(NamedTuple):
    """A supply that a seat uses up: the name of its column, the word for one piece, and the number at the start."""

    column: str
    word: str
    full: int


class BoardSummary(NamedTuple):
    """The text beside the board of a page. ``status`` is the pending decision, ``facts`` are further facts. ``columns`` maps the head of
    each column, points first, to a number for each seat. ``waiting`` shows pieces that are neither on the board nor in a supply: a tile in
    hand, a group about to land.
    """

    status: str
    facts: tuple[str, ...]
    columns: dict[str, tuple[int, ...]]
    waiting: tuple[Symbol, ...]


class EventText(NamedTuple):
    """An event in plain words, and the dice that it rolled as pairs of who rolled (a seat or a role) and the numbers."""

    words: str
    dice: tuple[tuple[str, tuple[int, ...]], ...] = ()
