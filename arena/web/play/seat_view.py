"""What a seat sees of a match in progress, as JSON for the page, with nothing that it may not know: no deck, seed or hidden choice."""

from __future__ import annotations

from itertools import cycle
from typing import Final

import msgspec
from msgspec.structs import replace

from arena.web.play.chat import Line
from arena.web.play.move_picker.base import MovePicker
from arena.web.play.move_picker.games import guide_of, move_picker_of
from arena.web.play.seating import Stage
from arena.web.play.table import Look, PlayTable
from arena.web.viewer.documents import board_of, event_of, ink_on, sheet_of, tidy
from arena.web.viewer.schema import Board, Event, Sheet, Sign, Supply
from engine.core import Score
from engine.core.observer import News, spoken
from engine.render import drawing
from engine.render.drawing import named
from engine.render.palette import SEAT_COLORS

_LOG: Final = 60


class SeatInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who sits in a seat. ``score`` and ``rank`` are those at the end; ``fault`` is why a substitute plays."""

    name: str
    color: str
    ink: str
    person: bool
    score: Score | None = None
    rank: int | None = None
    fault: str = ""


class Told(msgspec.Struct, frozen=True, omit_defaults=True):
    """A decision as this seat was told of it; without ``notation`` it is still hidden."""

    at: int
    seat: int
    notation: str = ""
    words: str = ""
    events: list[Event] = []


class SeatView(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that the page shows. ``at`` is the number of decisions so far, ``me`` this seat, ``offers`` its legal moves.

    ``asked`` are the seats of the people whose move is awaited; ``with_deadline`` adds the seconds until the substitute takes over.
    ``can`` names what this visitor may do now: resign, leave, rematch, start, resume, chat, hint. ``rematch`` is the address of the table
    where its people play again, ``notice`` a sentence on what has happened to the table. While a match is ``paused`` nobody is asked.

    ``guide`` has the goal of the game and, if it is this seat's, what the present decision is about, for a first match.
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
    log: list[Told]
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


def seat_view(look: Look) -> SeatView:
    """Return everything that is shown to the seat."""
    table, known = look.table, look.seen.view.position
    told = drawing.summarize(known)
    columns = list(told.columns)
    supply = drawing.supply(known)
    last = table.game.parse(look.seen.news[-1].move) if look.seen.news and look.seen.news[-1].move is not None else None
    first = max(0, len(look.seen.news) - _LOG)
    names = _names(look.table)
    asked, _ = table.asked()
    return SeatView(
        at=len(look.seen.news),
        stage=look.stage.value,
        sheet=sheet_of(known),
        game=table.game.name,
        board=board_of(known, last=last, before=look.seen.before),
        seats=_seats(look),
        columns=columns,
        values=[[tidy(number) for number in column] for column in told.columns.values()],
        status=named(told.status, names),
        facts=[named(fact, names) for fact in told.facts],
        waiting=[Sign(named(sign.words, names), sign.markup, sign.box) for sign in told.waiting],
        log=[_told(look, first + number, news) for number, news in enumerate(look.seen.news[first:])],
        actor=-1 if known.actor is None else known.actor,
        me=look.seat,
        supply=Supply(columns.index(supply.column), supply.word, supply.full) if supply else None,
        offers=_offers(look, names) if look.is_asked else None,
        problem=table.problem,
        match=table.match,
        asked=asked,
        can=may_do(table, look.seat),
        chat=table.chat.lines if table.chat else [],
        chat_on=table.chat is not None,
        paused=table.is_paused,
        rematch=f"/play/t/{table.rematch}" if table.rematch else "",
        notice=table.notice,
        guide=_guide(look, names),
    )


def encoded(view: SeatView) -> bytes:
    """Return the view as JSON."""
    return msgspec.json.encode(view)


def with_deadline(view: bytes, deadline: float | None) -> bytes:
    """Return a view as JSON with the seconds that are left now, the only part that changes by itself."""
    return view if deadline is None else view[:-1] + b',"deadline":%.1f}' % deadline


def may_do(table: PlayTable, seat: int | None) -> list[str]:
    """Return what a visitor may do at the table now, who sits in that seat or looks on."""
    if seat is None:
        return []
    is_playing = table.stage is Stage.PLAYING
    able = {
        "start": table.stage is Stage.LOBBY and seat == table.maker and table.is_ready(),
        "resign": is_playing and seat in table.people(),
        "leave": table.is_open,
        "resume": is_playing and table.is_paused,
        "rematch": table.stage is Stage.OVER,
        "chat": table.chat is not None,
        "hint": is_playing and table.has_hints() and table.asked()[0] == [seat],
    }
    return [name for name, may in able.items() if may]


def _names(table: PlayTable) -> list[str]:
    return [chair.name or f"seat {number}" for number, chair in enumerate(table.chairs)]


def _offers(look: Look, names: list[str]) -> MovePicker:
    picker = move_picker_of(look.seen.view)
    choices = {
        key: replace(choice, **{part: named(getattr(choice, part), names) for part in ("words", "more", "next", "grave")})
        for key, choice in picker.choices.items()
    }
    trays = [tray.renamed(lambda words: named(words, names)) for tray in picker.trays]
    return replace(picker, choices=choices, prompt=named(picker.prompt, names), trays=trays)


def _guide(look: Look, names: list[str]) -> list[str]:
    guide = guide_of(look.seen.view)
    now = guide.now if look.seen.view.position.actor == look.seat else ""
    return [named(text, names) for text in (guide.goal, now) if text]


def _seats(look: Look) -> list[SeatInfo]:
    table = look.table
    result = table.result if look.stage is Stage.OVER else None
    seats = []
    for number, (chair, name, color) in enumerate(zip(table.chairs, _names(table), cycle(SEAT_COLORS), strict=False)):
        seat = result.seats[number] if result else None
        failed = seat.fault if seat else table.faults.get(number)
        fault = failed.kind.value if failed else "resigned" if chair.gone else ""
        score, rank = (tidy(seat.score), seat.rank) if seat else (None, None)
        seats.append(SeatInfo(name, color.hex, ink_on(color.hex), chair.is_person, score, rank, fault))
    return seats


def _taken_over(look: Look, at: int, names: list[str]) -> list[Event]:
    """Return, in words, that the substitute plays from this decision on."""
    found = []
    for seat, fault in look.table.faults.items():
        first = next((number for number, news in enumerate(look.seen.news) if number >= fault.index and news.seat == seat), -1)
        if first == at:
            why = fault.detail if look.table.chairs[seat].is_person else fault.kind.value
            found.append(Event(f"A substitute plays for {names[seat]} from here on: {why}"))
    return found


def _told(look: Look, at: int, news: News) -> Told:
    if news.move is None:
        return Told(at, news.seat, events=_taken_over(look, at, _names(look.table)))
    game, names, position = look.table.game, _names(look.table), look.seen.view.position
    events = [drawing.describe_event(game.name, event) for event in spoken(news.events)]
    chosen = [event.split(" ", 2) for event in news.events if event.startswith("chose ")]

    def told(move: str) -> str:
        return drawing.describe_move(position, game.parse(move), is_done=True)

    opened = [Event(named(f"seat {seat} chose: {told(move)}", names)) for _, seat, move in chosen]
    words = named(told(news.move), names)
    return Told(at, news.seat, news.move, words, [*_taken_over(look, at, names), *opened, *(event_of(event, names) for event in events)])
