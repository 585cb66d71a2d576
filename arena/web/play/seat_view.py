"""What a seat sees of a match in progress, as JSON for the page, with nothing that it may not know: no deck, seed or hidden choice."""

from __future__ import annotations

from itertools import cycle
from typing import Final

import msgspec
from msgspec.structs import replace

from arena.web.play.move_picker.base import MovePicker
from arena.web.play.move_picker.games import guide_of, move_picker_of
from arena.web.play.table import Look, PlayTable, Stage
from arena.web.viewer.names import named
from arena.web.viewer.schema import Board, Event, Sheet, Sign, Supply, board_of, event_of, ink_on, sheet_of, tidy
from engine.core import Score
from engine.render import drawing
from engine.render.palette import SEAT_COLORS
from engine.replay.observer import News, spoken

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

    ``guide`` has the goal of the game and what the present decision is about, for a first match.
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
    guide: list[str] = []


def seat_view(look: Look) -> SeatView:
    """Return everything that is shown to the seat."""
    table, known = look.table, look.view.position
    told = drawing.summarize(known)
    columns = list(told.columns)
    supply = drawing.supply(known)
    last = table.game.parse(look.news[-1].move) if look.news and look.news[-1].move is not None else None
    first = max(0, len(look.news) - _LOG)
    names = _names(look.table)
    return SeatView(
        at=len(look.news),
        stage=look.stage.value,
        sheet=sheet_of(known),
        game=table.game.name,
        board=board_of(known, last=last, before=look.before),
        seats=_seats(look),
        columns=columns,
        values=[[tidy(number) for number in column] for column in told.columns.values()],
        status=named(told.status, names),
        facts=[named(fact, names) for fact in told.facts],
        waiting=[Sign(named(sign.words, names), sign.markup, sign.box) for sign in told.waiting],
        log=[_told(look, first + number, news) for number, news in enumerate(look.news[first:])],
        actor=-1 if known.actor is None else known.actor,
        me=look.seat,
        supply=Supply(columns.index(supply.column), supply.word, supply.full) if supply else None,
        offers=_offers(look, names) if look.is_asked else None,
        problem=table.problem,
        match=table.match,
        guide=_guide(look, names),
    )


def _names(table: PlayTable) -> list[str]:
    return [chair.name or f"seat {number}" for number, chair in enumerate(table.chairs)]


def _offers(look: Look, names: list[str]) -> MovePicker:
    picker = move_picker_of(look.view)
    choices = {
        key: replace(choice, **{part: named(getattr(choice, part), names) for part in ("words", "more", "next", "grave")})
        for key, choice in picker.choices.items()
    }
    trays = [tray.renamed(lambda words: named(words, names)) for tray in picker.trays]
    return replace(picker, choices=choices, prompt=named(picker.prompt, names), trays=trays)


def _guide(look: Look, names: list[str]) -> list[str]:
    guide = guide_of(look.view)
    return [named(text, names) for text in (guide.goal, guide.now) if text]


def _seats(look: Look) -> list[SeatInfo]:
    table = look.table
    result = table.result if look.stage is Stage.OVER else None
    seats = []
    for number, (chair, name, color) in enumerate(zip(table.chairs, _names(table), cycle(SEAT_COLORS), strict=False)):
        seat = result.seats[number] if result else None
        fault = seat.fault.kind.value if seat and seat.fault else ""
        score, rank = (tidy(seat.score), seat.rank) if seat else (None, None)
        seats.append(SeatInfo(name, color.hex, ink_on(color.hex), chair.version is None, score, rank, fault))
    return seats


def _told(look: Look, at: int, news: News) -> Told:
    if news.move is None:
        return Told(at, news.seat)
    game, names = look.table.game, _names(look.table)
    events = [drawing.describe_event(game.name, event) for event in spoken(news.events)]
    chosen = [event.split(" ", 2) for event in news.events if event.startswith("chose ")]
    opened = [Event(named(f"seat {seat} chose: {game.explain(game.parse(move))}", names)) for _, seat, move in chosen]
    words = named(game.explain(game.parse(news.move)), names)
    return Told(at, news.seat, news.move, words, [*opened, *(event_of(event, names) for event in events)])
