"""Makes the viewer's documents (``schema``) from positions and replays."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import cycle
from typing import Final, Generic, TypeVar

from arena.web.viewer.schema import FORMAT, Board, Document, Event, Forfeit, Frame, Played, Seat, Sheet, Sign, Supply
from engine.core import Move, State
from engine.render import drawing
from engine.render.drawing import named
from engine.render.palette import BLACK, SEAT_COLORS, WHITE
from engine.render.scene import Box, EventText, Piece, Scene, Symbol
from engine.replay.verifier import ReplayTimeline
from engine.text import short

_DARKEST: Final = 0.04045
"""The value of a channel below which its light grows linearly."""
_MIDDLE: Final = 0.179
"""The luminance on which black and white are equally easy to read."""
T = TypeVar("T")


def sheet_of(state: State) -> Sheet:
    """Return the sheet shared by all boards of the state's game."""
    return Sheet(*drawing.sheet(state))


def board_of(state: State, *, last: Move | None = None, before: State | None = None) -> Board:
    """Return the board of one position, for a page without a replay."""
    scene = drawing.scene(state, last=last, before=before)
    return Board(_box(scene.box), [(piece.key, piece.parent, piece.order, piece.markup) for piece in scene.pieces.values()])


def document_of(timeline: ReplayTimeline) -> Document:
    """Return the replay for the viewer."""
    replay, start = timeline.replay, timeline.states[0]
    paper = _Paper()
    frames = [_frame(timeline, at, paper) for at in range(timeline.end + 1)]
    columns = list(drawing.summarize(start).columns)
    supply = drawing.supply(start)
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
        legend=[_sign(_with_names(sign, timeline.names)) for sign in drawing.legend(start)],
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
    """Values that many frames share, each kept once."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self._index: dict[T, int] = {}

    def index(self, value: T) -> int:
        """Return the index of the value, added if it is new."""
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
    scene, told = drawing.scene(state, last=last, before=before), drawing.summarize(state)
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
    """Return the revealed events, with the players' names."""
    return Event(named(event.words, names), [(named(who, names), list(dice)) for who, dice in event.dice])


def ink_on(color: str) -> str:
    """Return black or white, whichever is easier to read on a colour ``#rrggbb``: a contrast of at least 4.5, by the formula of WCAG 2."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= _DARKEST else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return WHITE if 0.2126 * red + 0.7152 * green + 0.0722 * blue < _MIDDLE else BLACK


def tidy(number: float) -> float:
    """Return the number for a page: an integer if it is whole, else with at most three decimals."""
    return int(number) if float(number).is_integer() else round(number, 3)


def _box(box: Box) -> tuple[float, float, float, float]:
    x, y, width, height = (round(side, 1) for side in box)
    return x, y, width, height


def _with_names(sign: Symbol, names: Sequence[str]) -> Symbol:
    return sign._replace(words=named(sign.words, names))


def _sign(sign: Symbol) -> Sign:
    return Sign(sign.words, sign.markup, _box(sign.box))
