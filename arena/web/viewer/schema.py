"""The data of the viewer in the browser: a board as named pieces, a whole replay as one document.

The structures here are the contract with ``static/board.js`` and ``static/viewer.js``.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from arena.analysis.match_analysis import Grade

FORMAT: Final = "arena-viewer/1"


class Record(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The base of all parts: unknown keys are refused, and default values are left out."""


class Sheet(Record, frozen=True):
    """What every board of a game shares.

    ``defs`` are SVG definitions that pieces refer to, ``table`` is the background colour (``#rrggbb``), ``dark`` that on a
    dark page, if it is another.
    """

    title: str
    defs: str
    table: str
    dark: str = ""


class Board(Record, frozen=True):
    """A board: its pieces, with the fields of ``engine.render.scene.Piece``, and its box (x, y, width, height)."""

    box: tuple[float, float, float, float]
    pieces: list[tuple[str, str, float, str]]


class Seat(Record, frozen=True):
    """A player: ``color`` and the ``ink`` that is read on it are ``#rrggbb``; score and rank are those at the end."""

    name: str
    color: str
    ink: str
    score: int | float
    rank: int


class Forfeit(Record, frozen=True):
    """From decision ``index`` on a substitute played for the seat, for this ``reason``."""

    seat: int
    index: int
    reason: str


class Supply(Record, frozen=True):
    """The index of the column that counts down, the word for a single item, and the number at the start."""

    column: int
    word: str
    full: int


class Sign(Record, frozen=True):
    """A small picture with words; ``box`` is the part of the plane to show."""

    words: str
    markup: str
    box: tuple[float, float, float, float]


class Played(Record, frozen=True):
    """A decision: who made it, its notation, the same in words."""

    seat: int
    notation: str
    words: str


class Event(Record, frozen=True):
    """What was revealed, in words, and dice as pairs of who rolled and the numbers."""

    words: str
    dice: list[tuple[str, list[int]]] = []


class Frame(Record, frozen=True):
    """The position after that many decisions, as it differs from the one before.

    ``board`` has pairs (slot, shape), flat: the slot now shows that shape, -1 for nothing. ``text`` has splices of the position's lines,
    the last one first: (line, how many lines go, the lines that come). ``box``, ``columns`` (a list for each column, a number for each
    seat) and ``facts`` are left out when they are as before. ``actor`` is the seat to decide, -1 when the game is over; ``legal`` the
    number of its moves. ``status`` and ``facts`` are indices of ``Document.words``, ``waiting`` of ``Document.signs``. ``move`` is the
    decision that led here; only the first frame has none.
    """

    actor: int
    status: int
    board: list[int] = []
    text: list[tuple[int, int, list[str]]] = []
    legal: int = 0
    box: tuple[float, float, float, float] | None = None
    columns: list[list[float]] | None = None
    facts: list[int] | None = None
    waiting: list[int] = []
    move: Played | None = None
    events: list[Event] = []


class Better(Record, frozen=True):
    """The best move found: in notation, in words, drawn over the board, and the part of the plane that shows all of that drawing."""

    notation: str
    words: str
    sketch: str = ""
    box: tuple[float, float, float, float] | None = None


class Mark(Record, frozen=True):
    """A decision that lost something, by its index: how much, in chances to win (points where a seat plays alone), and in words."""

    index: int
    grade: Grade
    lost: float
    words: str
    better: Better | None = None


class Document(Record, frozen=True):
    """A replay for the viewer; ``frames[k]`` is the position after ``k`` decisions.

    ``slots`` are places for pieces, (key, parent, order); ``shapes`` is the markup that frames put there. ``turns`` are the frames in which
    a seat begins to decide. ``supply`` is missing when nothing is used up, ``seed`` where it is not public yet. ``evaluation`` is
    empty, or has for each frame the chances of the seats to win, which add up to 1, until a forfeit. ``marks`` are there
    once the match has been analysed.
    """

    format: Literal["arena-viewer/1"]
    game: str
    sheet: Sheet
    seats: list[Seat]
    end: str
    columns: list[str]
    legend: list[Sign]
    words: list[str]
    signs: list[Sign]
    slots: list[tuple[str, str, float]]
    shapes: list[str]
    turns: list[int]
    frames: list[Frame]
    forfeits: list[Forfeit] = []
    supply: Supply | None = None
    seed: int | None = None
    evaluation: list[list[float]] = []
    marks: list[Mark] | None = None


def write(record: msgspec.Struct) -> str:
    """Return the record as JSON that is safe in an HTML ``script`` element: it has none of ``< > &``."""
    text = msgspec.json.encode(record).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
