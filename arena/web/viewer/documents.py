"""The data for the viewer in the browser: a board as named pieces, and a replay as one document, with its analysis if there is one.

``static/board.js`` and ``static/viewer.js`` read these structures.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import cycle
from typing import Final, Generic, Literal, TypeVar

import msgspec

from arena.analysis.match_analysis import DecisionAnalysis, Grade, MatchAnalysis, Unit, grade_of
from engine.core import Move, State
from engine.render import drawing
from engine.render.drawing import named
from engine.render.palette import BLACK, SEAT_COLORS, WHITE
from engine.render.scene import Box, EventText, Piece, Scene, Sketch, Symbol
from engine.render.svg import arrow
from engine.replay.verifier import ReplayTimeline
from engine.text import figure, short

FORMAT: Final = "arena-viewer/1"
_DARKEST: Final = 0.04045
"""The channel value below which luminance grows linearly."""
_MIDDLE: Final = 0.179
"""The luminance on which black and white are equally easy to read."""
T = TypeVar("T")
_LEAST_POINTS: Final = 20.0
"""In solo play, losses are graded as shares of the seat's points, or of this number if the seat has fewer points."""
_SHORT: Final = 26.0
"""How far from the better place the arrow to it ends, in board units."""
_DIGITS: Final = 4


class Record(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The base class of all parts of a document: unknown keys are rejected, and default values are left out."""


class Sheet(Record, frozen=True):
    """What all boards of a game share.

    ``defs`` are SVG definitions that pieces refer to; ``table`` is the background colour (``#rrggbb``), and ``dark`` is a different one
    for dark pages, if there is one.
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
    """A player. ``color``, and ``ink`` for text on it, are ``#rrggbb``; ``score`` and ``rank`` are the final ones."""

    name: str
    color: str
    ink: str
    score: int | float
    rank: int


class Forfeit(Record, frozen=True):
    """A forfeit: a substitute played for the seat from decision ``index`` on."""

    seat: int
    index: int
    reason: str


class Supply(Record, frozen=True):
    """A supply that players use up: the index of its column, the word for a single item, and the number at the start."""

    column: int
    word: str
    full: int


class Sign(Record, frozen=True):
    """A small picture with a description; ``box`` is the part of the plane to show."""

    words: str
    markup: str
    box: tuple[float, float, float, float]


class Played(Record, frozen=True):
    """A decision: who made it, and the move in notation and in words."""

    seat: int
    notation: str
    words: str


class Event(Record, frozen=True):
    """What was revealed, in words; ``dice`` are pairs of who rolled and the numbers rolled."""

    words: str
    dice: list[tuple[str, list[int]]] = []


class Frame(Record, frozen=True):
    """A position, as the changes from the previous frame. ``box``, ``columns`` and ``facts`` are left out if they have not changed.

    - ``actor``: the seat to move, or -1 if the game is over; ``legal``: the number of its legal moves
    - ``status`` and ``facts``: indices in ``Document.words``; ``waiting``: indices in ``Document.signs``
    - ``board``: a flat list of pairs (slot, shape), each of which puts the shape in the slot; -1 empties it
    - ``text``: splices of the position's lines, the last one first, as (line, number of lines removed, lines inserted)
    - ``columns``: a list for each column, with a number for each seat; ``move``: the decision that led here, None in the first frame
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
    """The best move found, in notation and in words; ``sketch`` is drawn over the board, and ``box`` is the part of the plane to show."""

    notation: str
    words: str
    sketch: str = ""
    box: tuple[float, float, float, float] | None = None


class Mark(Record, frozen=True):
    """A decision that lost something. ``lost`` is in chances of winning, or points in solo play; ``words`` are the grade and the loss."""

    index: int
    grade: Grade
    lost: float
    words: str
    better: Better | None = None


class Document(Record, frozen=True):
    """A replay for the viewer; ``frames[k]`` is the position after ``k`` decisions.

    - ``slots``: places for pieces, as (key, parent, order); ``shapes``: the markup that frames put there
    - ``turns``: the frames in which a seat's turn begins; ``supply``: what players use up, or None; ``seed``: None if it is still secret
    - ``evaluation``: each seat's chance of winning in each frame up to the first forfeit (may be empty); ``marks``: None if not analysed
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
    """Return the record as JSON that is safe in an HTML ``script`` element, with ``<``, ``>`` and ``&`` escaped."""
    text = msgspec.json.encode(record).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def sheet_of(state: State) -> Sheet:
    """Return the sheet shared by all boards of the state's game."""
    return Sheet(*drawing.drawer(state).sheet)


def board_of(state: State, *, last: Move | None = None, before: State | None = None) -> Board:
    """Return the board of one position, for a page without a replay."""
    scene = drawing.scene(state, last=last, before=before)
    return Board(_box(scene.box), [(piece.key, piece.parent, piece.order, piece.markup) for piece in scene.pieces.values()])


def document_of(timeline: ReplayTimeline) -> Document:
    """Return the document of a replay, without an analysis."""
    replay, start = timeline.replay, timeline.states[0]
    paper = _Paper()
    frames = [_frame(timeline, at, paper) for at in range(timeline.end + 1)]
    columns = list(drawing.drawer(start).summarize(start).columns)
    supply = drawing.drawer(start).supply(start)
    return Document(
        format=FORMAT,
        game=replay.game,
        sheet=sheet_of(start),
        seats=[
            Seat(name, color.hex, ink_on(color.hex), tidy(score), rank)
            for name, color, score, rank in zip(timeline.names, cycle(SEAT_COLORS), replay.scores, replay.ranks, strict=False)
        ],
        seed=replay.seed,
        end=short(replay.end),
        columns=columns,
        legend=[_sign(_with_names(sign, timeline.names)) for sign in drawing.drawer(start).legend(start)],
        words=paper.words.values,
        signs=[_sign(sign) for sign in paper.signs.values],
        slots=paper.slots.values,
        shapes=paper.shapes.values,
        turns=list(timeline.turns),
        frames=frames,
        forfeits=[Forfeit(each.seat, each.index, short(each.reason, 400)) for each in replay.forfeits],
        supply=Supply(columns.index(supply.column), supply.word, supply.full) if supply else None,
    )


class _Pool(Generic[T]):
    """Values that many frames share; each value is kept once."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self._index: dict[T, int] = {}

    def index(self, value: T) -> int:
        """Return the index of the value, and add the value if it is new."""
        index = self._index.setdefault(value, len(self.values))
        if index == len(self.values):
            self.values.append(value)
        return index


class _Paper:
    """The output so far, and the state of the previous frame."""

    def __init__(self) -> None:
        self.words: _Pool[str] = _Pool()
        self.signs: _Pool[Symbol] = _Pool()
        self.slots: _Pool[tuple[str, str, float]] = _Pool()
        self.shapes: _Pool[str] = _Pool()
        self.drawn: dict[str, Piece] = {}
        self.lines: list[str] = []
        self.box: tuple[float, float, float, float] | None = None
        self.columns: list[list[float]] | None = None
        self.facts: list[int] | None = None

    def draw(self, scene: Scene) -> list[int]:
        """Return the changes that show the scene, in the form of ``Frame.board``."""
        before, now = self.drawn, scene.pieces
        changed = [piece for key, piece in now.items() if before.get(key) != piece]  # nearly all pieces are unchanged
        left = {piece.key for piece in changed} | (before.keys() - now.keys())
        gone = [piece[:3] for key, piece in before.items() if key in left and (key not in now or now[key][:3] != piece[:3])] if left else []
        self.drawn = now
        pairs = [(self.slots.index(slot), -1) for slot in gone]
        pairs += [(self.slots.index(piece[:3]), self.shapes.index(piece.markup)) for piece in changed]
        return [number for pair in pairs for number in pair]

    def write(self, text: str) -> list[tuple[int, int, list[str]]]:
        """Return the changes that lead to this text, in the form of ``Frame.text``."""
        lines = text.splitlines()
        matcher = SequenceMatcher(a=self.lines, b=lines, autojunk=False)
        splices = [(i, end - i, lines[j:till]) for tag, i, end, j, till in matcher.get_opcodes() if tag != "equal"]
        self.lines = lines
        return splices[::-1]


def _frame(timeline: ReplayTimeline, at: int, paper: _Paper) -> Frame:
    state = timeline.states[at]
    last, before = (timeline.moves[at - 1], timeline.states[at - 1]) if at else (None, None)
    scene, told = drawing.scene(state, last=last, before=before), drawing.drawer(state).summarize(state)
    names = timeline.names
    box, columns = _box(scene.box), [[tidy(number) for number in column] for column in told.columns.values()]
    facts = [paper.words.index(named(fact, names)) for fact in told.facts]
    changed = (box != paper.box, columns != paper.columns, facts != paper.facts)
    paper.box, paper.columns, paper.facts = box, columns, facts
    return Frame(
        actor=-1 if state.actor is None else state.actor,
        status=paper.words.index(named(told.status, names)),
        board=paper.draw(scene),
        text=paper.write(state.text),
        legal=timeline.replay.decisions[at].legal if at < timeline.end else 0,
        box=box if changed[0] else None,
        columns=columns if changed[1] else None,
        facts=facts if changed[2] else None,
        waiting=[paper.signs.index(_with_names(sign, names)) for sign in told.waiting],
        move=_played(timeline, at - 1) if at else None,
        events=[event_of(event, names) for event in drawing.describe_events(state)],
    )


def _played(timeline: ReplayTimeline, decision: int) -> Played:
    move = timeline.moves[decision]
    words = drawing.describe_move(timeline.states[decision], move)
    return Played(timeline.replay.decisions[decision].seat, str(move), named(words, timeline.names))


def event_of(event: EventText, names: Sequence[str]) -> Event:
    """Return an event with the players' names."""
    return Event(named(event.words, names), [(named(who, names), list(dice)) for who, dice in event.dice])


def ink_on(color: str) -> str:
    """Return black or white, whichever is easier to read on a colour ``#rrggbb``; the WCAG 2 contrast is at least 4.5."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= _DARKEST else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return WHITE if 0.2126 * red + 0.7152 * green + 0.0722 * blue < _MIDDLE else BLACK


def tidy(number: float) -> float:
    """Return the number for a page: an integer if it is whole, or else a float with at most three decimals."""
    return int(number) if float(number).is_integer() else round(number, 3)


def _box(box: Box) -> tuple[float, float, float, float]:
    x, y, width, height = (round(side, 1) for side in box)
    return x, y, width, height


def _with_names(sign: Symbol, names: Sequence[str]) -> Symbol:
    return sign._replace(words=named(sign.words, names))


def _sign(sign: Symbol) -> Sign:
    return Sign(sign.words, sign.markup, _box(sign.box))


def analysis_document(timeline: ReplayTimeline, analysis: MatchAnalysis) -> Document:
    """Return the document of the replay with its analysis."""
    return msgspec.structs.replace(document_of(timeline), marks=marks_of(timeline, analysis), evaluation=evaluation_of(analysis))


def evaluation_of(analysis: MatchAnalysis) -> list[list[float]]:
    """Return the seats' chances of winning in each frame analysed so far, rounded; an empty list in solo play."""
    if analysis.unit is Unit.POINTS:
        return []
    return [[round(chance, _DIGITS) for chance in chances] for chances in analysis.chances]


def marks_of(timeline: ReplayTimeline, analysis: MatchAnalysis) -> list[Mark]:
    """Return the marks of decisions that lost something; losses in solo play are graded as shares of the seat's points."""
    whole = 1.0 if analysis.unit is Unit.CHANCE else max(_LEAST_POINTS, analysis.scores[0])
    return [mark for decision in analysis.decisions if (mark := _mark(timeline, decision, whole)) is not None]


def _mark(timeline: ReplayTimeline, decision: DecisionAnalysis, whole: float) -> Mark | None:
    loss = decision.loss
    grade = grade_of(loss / whole)
    if grade is Grade.FINE or decision.best is None:
        return None
    lost = f"{int(100 * loss)} percentage points of winning chance" if whole == 1 else f"{figure(round(loss, 1))} points"
    better = _better(timeline, decision.index, decision.best.notation, decision.best.meaning or decision.best.notation)
    return Mark(decision.index, grade, round(loss, _DIGITS), f"{grade.value}: {lost}", better)


def _better(timeline: ReplayTimeline, index: int, notation: str, words: str) -> Better:
    state = timeline.states[index]
    sketch = drawing.sketch(state, state.game.parse(notation))
    if sketch is None:
        return Better(notation, words)
    played = drawing.sketch(state, timeline.moves[index])
    way = arrow(played.at, sketch.at, short=_SHORT) if played is not None and not sketch.is_arrow else ""
    return Better(notation, words, f'<g class="better">{way}{sketch.markup}</g>', _room(timeline, index, sketch))


def _room(timeline: ReplayTimeline, index: int, sketch: Sketch) -> Box | None:
    """Return the box of the board after the decision and the sketch together, or None if the board's own box contains the sketch."""
    board = drawing.scene(timeline.states[index + 1], last=timeline.moves[index], before=timeline.states[index]).box
    left, top = min(board.x, sketch.box.x), min(board.y, sketch.box.y)
    right = max(board.x + board.width, sketch.box.x + sketch.box.width)
    bottom = max(board.y + board.height, sketch.box.y + sketch.box.height)
    whole = Box(*(round(side, 1) for side in (left, top, right - left, bottom - top)))
    return None if whole == Box(*(round(side, 1) for side in board)) else whole
