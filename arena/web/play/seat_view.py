"""A seat's view of a match in progress, as JSON for the page. Everything secret is left out: the deck, the seed and hidden choices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import cycle
from typing import Final

import msgspec
from msgspec.structs import replace

from arena.web.play.move_picker.base import MovePicker, guide_of, move_picker_of
from arena.web.play.table import Snapshot, Table
from arena.web.viewer.documents import Board, Event, Sheet, Sign, Supply, board_of, event_of, ink_on, sheet_of, tidy
from engine.core import Move, Score, State, View
from engine.core.observer import News, spoken
from engine.render import drawing
from engine.render.drawing import named
from engine.render.palette import SEAT_COLORS
from leaderboard.storage.play_tables import Line, Stage

_LOG: Final = 60
GUEST: Final = "Guest"
"""The name of a person who gave no name."""


class SeatInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """The player in a seat. ``score`` and ``rank`` are set at the end; ``fault`` is why a substitute plays, if one does."""

    name: str
    color: str
    ink: str
    person: bool
    score: Score | None = None
    rank: int | None = None
    fault: str = ""


class LogEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A decision as this seat may know it; ``notation`` is empty while the move is hidden."""

    at: int
    seat: int
    notation: str = ""
    words: str = ""
    events: list[Event] = []


class SeatView(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that a table's page shows to one seat; ``with_deadline`` adds the seconds until the substitute takes over.

    - ``at``: the number of decisions so far; ``me``: this seat; ``offers``: the legal moves of this seat
    - ``asked``: the seats of the people whose move is awaited; nobody's move is awaited while the match is ``paused``
    - ``can``: which of these the visitor may do now: resign, leave, rematch, start, resume, chat, hint
    - ``rematch``: the address of the table for the rematch; ``notice``: a sentence about what has happened to the table
    - ``guide``: for a first match, the goal of the game and, on this seat's turn, an explanation of the decision
    """

    at: int
    stage: str
    sheet: Sheet
    game: str
    board: Board
    seats: list[SeatInfo]
    columns: list[str]
    values: list[list[float]]
    status: str
    facts: list[str]
    waiting: list[Sign]
    log: list[LogEntry]
    actor: int = -1
    me: int | None = None
    supply: Supply | None = None
    offers: MovePicker | None = None
    problem: str = ""
    match: str = ""
    asked: list[int] = []
    can: list[str] = []
    chat: list[Line] = []
    chat_on: bool = False
    paused: bool = False
    rematch: str = ""
    notice: str = ""
    guide: list[str] = []


def seat_view(shot: Snapshot, root: str = "/play/t") -> SeatView:
    """Return everything that is shown to the seat; the addresses of tables begin with ``root``."""
    table, news, known = shot.table, shot.news, shot.view.position
    summary = drawing.drawer(known).summarize(known)
    columns = list(summary.columns)
    supply = drawing.drawer(known).supply(known)
    last = table.game.parse(news[-1].move) if news and news[-1].move is not None else None
    first = max(0, len(news) - _LOG)
    names = _names(table)
    told = ["you" if seat == shot.seat and name == GUEST else name for seat, name in enumerate(names)]
    return SeatView(
        at=len(news),
        stage=shot.stage.value,
        sheet=sheet_of(known),
        game=table.game.name,
        board=board_of(known, last=last, before=shot.before),
        seats=_seats(shot, names),
        columns=columns,
        values=[[tidy(number) for number in column] for column in summary.columns.values()],
        status=named(summary.status, names),
        facts=[named(fact, names) for fact in summary.facts],
        waiting=[Sign(named(sign.words, names), sign.markup, sign.box) for sign in summary.waiting],
        log=[_log_entry(shot, at, each, told) for at, each in enumerate(news[first:], first)],
        actor=-1 if known.actor is None else known.actor,
        me=shot.seat,
        supply=Supply(columns.index(supply.column), supply.word, supply.full) if supply else None,
        offers=_offers(shot.view, names) if shot.is_asked else None,
        problem=table.row.problem,
        match=table.match,
        asked=[] if table.asked is None else [table.asked],
        can=may_do(table, shot.seat),
        chat=list(table.row.chat),
        chat_on=table.has_chat,
        paused=table.is_paused,
        rematch=f"{root}/{table.rematch}" if table.rematch else "",
        notice=table.notice,
        guide=_guide(shot, names),
    )


def view_of_position(state: State, names: Sequence[str], at: int, last: tuple[State, Move] | None) -> SeatView:
    """Return what the seat to move may see and choose after ``at`` decisions or, if the game is over, what everybody may see.

    ``last`` is the previous position and the move played in it.
    """
    seat, outcome = state.actor, state.outcome
    view = state.view(-1 if seat is None else seat)
    summary, supply = drawing.drawer(view.position).summarize(view.position), drawing.drawer(view.position).supply(view.position)
    columns = list(summary.columns)
    log = []
    if last is not None and not any(state.has_hidden_choice(other) for other in range(state.players)):
        before, move = last
        words = _deed(drawing.describe_move(before, move, is_done=True), before.actor, names)
        events = [event_of(event, names) for event in drawing.describe_events(state)]
        log = [LogEntry(at - 1, -1 if before.actor is None else before.actor, str(move), words, events)]
    seats = [SeatInfo(name, color.hex, ink_on(color.hex), person=False) for name, color in zip(names, cycle(SEAT_COLORS), strict=False)]
    if outcome is not None:
        ends = zip(seats, outcome.scores, outcome.ranks, strict=True)
        seats = [replace(each, score=tidy(score), rank=rank) for each, score, rank in ends]
    return SeatView(
        at=at,
        stage=(Stage.PLAYING if outcome is None else Stage.OVER).value,
        sheet=sheet_of(view.position),
        game=state.game.name,
        board=board_of(view.position),
        seats=seats,
        columns=columns,
        values=[[tidy(number) for number in column] for column in summary.columns.values()],
        status=named(summary.status, names),
        facts=[named(fact, names) for fact in summary.facts],
        waiting=[Sign(named(sign.words, names), sign.markup, sign.box) for sign in summary.waiting],
        log=log,
        actor=-1 if seat is None else seat,
        me=seat,
        supply=Supply(columns.index(supply.column), supply.word, supply.full) if supply else None,
        offers=None if seat is None else _offers(view, names),
    )


def with_deadline(view: bytes, deadline: float | None) -> bytes:
    """Return a view (JSON) with the seconds left until the substitute takes over, the only part of a view that changes with time."""
    return view if deadline is None else view[:-1] + b',"deadline":%.1f}' % deadline


def may_do(table: Table, seat: int | None) -> list[str]:
    """Return what a visitor in that seat may do at the table now; a spectator (None) may do nothing."""
    if seat is None:
        return []
    is_playing = table.stage is Stage.PLAYING
    able = {
        "start": table.stage is Stage.LOBBY and seat == table.row.maker and table.is_ready(),
        "resign": is_playing and seat in table.people(),
        "leave": table.is_open,
        "resume": is_playing and table.is_paused,
        "rematch": table.stage is Stage.OVER,
        "chat": table.has_chat,
        "hint": is_playing and table.hint_bot is not None and table.asked == seat,
    }
    return [name for name, may in able.items() if may]


def _names(table: Table) -> list[str]:
    return [seat.name or f"seat {number + 1}" for number, seat in enumerate(table.seats)]


def _offers(view: View[State], names: Sequence[str]) -> MovePicker:
    picker = move_picker_of(view)
    told = {move: named(words, names) for move, words in picker.told.items()}
    choices = {
        key: replace(choice, **{part: named(getattr(choice, part), names) for part in ("words", "more", "next", "grave")})
        for key, choice in picker.choices.items()
    }
    trays = [tray.renamed(lambda words: named(words, names)) for tray in picker.trays]
    return replace(picker, choices=choices, prompt=named(picker.prompt, names), trays=trays, told=told)


def _guide(shot: Snapshot, names: list[str]) -> list[str]:
    guide = guide_of(shot.view)
    now = guide.now if shot.view.position.actor == shot.seat else ""
    return [named(text, names) for text in (guide.goal, now) if text]


def _seats(shot: Snapshot, names: list[str]) -> list[SeatInfo]:
    table = shot.table
    result = table.result if shot.stage is Stage.OVER else None
    seats = []
    for number, (seat, name, color) in enumerate(zip(table.seats, names, cycle(SEAT_COLORS), strict=False)):
        ended = result.seats[number] if result else None
        failed = ended.fault if ended else table.faults.get(number)
        fault = failed.kind.value if failed else ""
        score, rank = (tidy(ended.score), ended.rank) if ended else (None, None)
        seats.append(SeatInfo(name, color.hex, ink_on(color.hex), seat.is_person, score, rank, fault))
    return seats


def _taken_over(shot: Snapshot, at: int, names: list[str]) -> list[Event]:
    events = []
    for seat, fault in shot.table.faults.items():
        first = next((number for number, news in enumerate(shot.news) if number >= fault.index and news.seat == seat), -1)
        if first == at:
            why = fault.detail if shot.table.seats[seat].is_person else fault.kind.value
            events.append(Event(f"A substitute plays for {names[seat]} from here on: {why}"))
    return events


def _deed(words: str, seat: int | None, names: Sequence[str]) -> str:
    """Return what a seat did, with players' names, such as ``lands 2 ships and 1 ship of greedy``; after ``you``, the verb is ``land``."""
    said = re.sub(r" of you\b", " of yours", named(re.sub(rf" of seat {seat}\b", "", words), names))
    if seat is None or names[seat] != "you":
        return said
    verb, space, rest = said.partition(" ")
    return ("have" if verb == "has" else re.sub(r"(?<=ss)es\b|s\b", "", verb)) + space + rest


def _log_entry(shot: Snapshot, at: int, news: News, names: list[str]) -> LogEntry:
    events = _taken_over(shot, at, names)
    if news.move is None:
        return LogEntry(at, news.seat, words=_deed("has chosen in secret", news.seat, names), events=events)
    game, position = shot.table.game, shot.view.position

    def words_of(move: str) -> str:
        return drawing.describe_move(position, game.parse(move), is_done=True)

    chosen = [event.split(" ", 2) for event in news.events if event.startswith("chose ")]
    events += [Event(named(f"seat {seat} chose: {words_of(move)}", names)) for _, seat, move in chosen]
    events += [event_of(drawing.drawer_of(game.name).describe_event(event), names) for event in spoken(news.events)]
    return LogEntry(at, news.seat, news.move, _deed(words_of(news.move), news.seat, names), events)
