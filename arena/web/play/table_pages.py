"""What is done at one table, over HTTP: sitting down, seeing what the seat sees, moves, hints, chat, giving up, playing again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.sse import EventSourceResponse, format_sse_event
from limits import RateLimitItemPerHour, RateLimitItemPerMinute
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from arena.web.errors import NotFoundError
from arena.web.play.seat_view import encoded, seat_view, with_deadline
from arena.web.play.seating import Stage, TableError
from arena.web.play.table import PlayTable
from arena.web.play.tables import Tables
from arena.web.play.visitors import known_name, named, new_secret, remember, secret_of, visitor_of
from arena.web.protection.rate_limits import address_of, from_here, rate_limits
from arena.web.protection.streams import stream
from arena.web.rendering.templates import render
from engine import describe
from engine.render import drawing
from engine.render.drawing import named as with_names

router = APIRouter(prefix="/t", include_in_schema=False, default_response_class=HTMLResponse)
NO_STORE: Final = {"cache-control": "no-store"}
TABLES_OF_ONE: Final = RateLimitItemPerHour(60)
_LINES: Final = RateLimitItemPerMinute(12)
_LINES_OF_ADDRESS: Final = RateLimitItemPerMinute(40)
_HINTS: Final = RateLimitItemPerMinute(20)
_LOOK_SECONDS: Final = 0.1
_PING_LOOKS: Final = 150
_LAST_LOOKS: Final = 36_000


def tables_of(request: Request) -> Tables:
    """Return the tables of the application that a request came to."""
    tables: Tables = request.app.state.tables
    return tables


def _find(request: Request, table: str) -> PlayTable:
    try:
        open_table = tables_of(request).find(table)
    except TableError as error:
        raise refusal(error) from None
    if open_table is not None:
        return open_table
    ended = tables_of(request).ended(table)
    if ended is not None and ended.match:
        raise HTTPException(410, f"The match at this table is over; it can be watched at /play/m/{ended.match}.")
    if ended is not None:
        raise HTTPException(410, f"This table is closed: {ended.problem}.")
    raise NotFoundError("There is no such table any more.")


def _seat(request: Request, table: PlayTable) -> int | None:
    return table.seat_of(secret_of(request))


def _seated(request: Request, table: PlayTable) -> int:
    """Return the visitor's seat. Raises HTTPException (403) if there is none."""
    seat = _seat(request, table)
    if seat is None:
        raise HTTPException(403, "You don't sit at this table.")
    table.attend()
    return seat


def sentence(error: object) -> str:
    """Return an error as a sentence."""
    words = str(error)
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"


def refusal(error: TableError) -> HTTPException:
    """Return the response to what can't be done."""
    return HTTPException(error.status, sentence(error))


def _done(request: Request, address: str) -> Response:
    """Return the response to a form, which leads to a page, or to a script, which gets none."""
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(address, 303)
    return Response(status_code=204)


@router.get("/{table}")
def at_table(request: Request, table: str) -> Response:
    """Show the table: who sits there, or the board; or the match that was played there before the server was restarted."""
    ended = tables_of(request).ended(table)
    if ended is not None and ended.match:
        return RedirectResponse(f"/play/m/{ended.match}", 303)
    open_table = _find(request, table)
    seat = _seat(request, open_table)
    if seat is not None:
        tables_of(request).wake(open_table)
    template = "lobby.html" if open_table.stage is Stage.LOBBY else "table.html"
    address = str(request.url.replace(query="", fragment=""))
    return render(
        request,
        template,
        headers=NO_STORE,
        table=open_table,
        seat=seat,
        address=address,
        name=known_name(request),
    )


@router.post("/{table}/join", dependencies=[Depends(from_here)])
def join(
    request: Request,
    table: str,
    name: Annotated[str, Form(max_length=200)] = "",
    seat: Annotated[int | None, Form(ge=0, le=100)] = None,
) -> Response:
    """Take a free seat, or change seats."""
    open_table = _find(request, table)
    secret = new_secret(request)
    if open_table.seat_of(secret) is None or seat is not None:
        try:
            open_table.join(named(name), secret, seat)
        except TableError as error:
            raise refusal(error) from None
    answer = RedirectResponse(f"/play/t/{open_table.id}", 303)
    remember(request, answer, secret, named(name) if name.strip() else "")
    return answer


@router.post("/{table}/start", dependencies=[Depends(from_here)])
def begin(request: Request, table: str) -> Response:
    """Start the match, which only the maker of the table may do."""
    open_table = _find(request, table)
    if _seat(request, open_table) != open_table.maker:
        raise HTTPException(403, "Whoever made the table starts the match.")
    try:
        tables_of(request).start(open_table)
    except TableError as error:
        raise refusal(error) from None
    return _done(request, f"/play/t/{open_table.id}")


@router.get("/{table}/state")
def state(request: Request, table: str, at: Annotated[int | None, Query(ge=0, le=1_000_000)] = None) -> Response:
    """Return what this seat sees, as JSON; spectators see what is public. With ``at`` it is what was seen after so many decisions."""
    open_table = _find(request, table)
    seat = _seat(request, open_table)
    if seat is not None:
        open_table.attend()

    def make() -> bytes | None:
        look = open_table.look(seat) if at is None else open_table.look_back(seat, at)
        return None if look is None else encoded(seat_view(look))

    found = tables_of(request).sent.get((open_table.id, seat, at), open_table.moment(), make)
    if found is None:
        raise NotFoundError("That position of the match is not kept any more.")
    return Response(with_deadline(found, open_table.asked()[1]), media_type="application/json", headers=NO_STORE)


@router.get("/{table}/text")
def text(request: Request, table: str) -> Response:
    """Return what this seat sees in plain words: rules, position and legal moves; spectators read what is public."""
    open_table = _find(request, table)
    seat = _seat(request, open_table)
    found = tables_of(request).sent.get(
        (open_table.id, seat, "text"), open_table.moment(), lambda: describe(open_table.look(seat).seen.view).encode()
    )
    return Response(found, media_type="text/plain; charset=utf-8", headers=NO_STORE)


class Answer(BaseModel):
    """A person's move: its notation, for decision number ``at``."""

    at: int = Field(ge=0, le=1_000_000)
    move: str = Field(max_length=200)


class Question(BaseModel):
    """A request for advice on decision number ``at``."""

    at: int = Field(ge=0, le=1_000_000)


class Words(BaseModel):
    """A line for the chat."""

    text: str = Field(max_length=2000)


@router.post("/{table}/move", dependencies=[Depends(from_here)])
def move(request: Request, table: str, answer: Answer) -> Response:
    """Play a person's move."""
    open_table = _find(request, table)
    seat = _seated(request, open_table)
    try:
        open_table.answer(seat, answer.at, answer.move)
    except TableError as error:
        raise refusal(error) from None
    return Response(status_code=204)


@router.post("/{table}/hint", dependencies=[Depends(from_here)])
def hint(request: Request, table: str, question: Question) -> Response:
    """Return what a strong bot would play from what this seat knows."""
    open_table = _find(request, table)
    seat = _seated(request, open_table)
    rate_limits(request).count(_HINTS, "hint", address_of(request), "You have asked for many hints; wait a minute.")
    try:
        found = open_table.hint(seat, question.at)
    except TableError as error:
        raise refusal(error) from None
    names = [chair.name for chair in open_table.chairs]
    words = drawing.describe_move(open_table.look(seat).seen.view.position, found)
    return JSONResponse({"move": str(found), "words": with_names(words, names)}, headers=NO_STORE)


@router.post("/{table}/resign", dependencies=[Depends(from_here)])
def resign(request: Request, table: str) -> Response:
    """Give up the match: the substitute plays the seat on, and it ranks last."""
    open_table = _find(request, table)
    seat = _seated(request, open_table)
    try:
        open_table.give_up(seat, f"{open_table.chairs[seat].name} has resigned")
    except TableError as error:
        raise refusal(error) from None
    return _done(request, f"/play/t/{open_table.id}")


@router.post("/{table}/leave", dependencies=[Depends(from_here)])
def leave(request: Request, table: str) -> Response:
    """Get up from the table for good."""
    open_table = _find(request, table)
    open_table.leave(_seated(request, open_table))
    return _done(request, "/play")


@router.post("/{table}/resume", dependencies=[Depends(from_here)])
def resume(request: Request, table: str) -> Response:
    """Have a paused match go on."""
    open_table = _find(request, table)
    _seated(request, open_table)
    tables_of(request).wake(open_table)
    return _done(request, f"/play/t/{open_table.id}")


@router.post("/{table}/rematch", dependencies=[Depends(from_here)])
def rematch(request: Request, table: str) -> Response:
    """Make a table for the same game and people, or return the address of the one that somebody has made already."""
    open_table = _find(request, table)
    seat = _seated(request, open_table)
    if not open_table.rematch:
        rate_limits(request).count(TABLES_OF_ONE, "table", address_of(request), "You have made many tables; wait a while.")
    try:
        again = tables_of(request).play_again(open_table, seat, visitor_of(request, secret_of(request)))
    except TableError as error:
        raise refusal(error) from None
    address = f"/play/t/{again}"
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(address, 303)
    return JSONResponse({"address": address}, headers=NO_STORE)


@router.post("/{table}/chat", dependencies=[Depends(from_here)])
def say(request: Request, table: str, words: Words) -> Response:
    """Write a line for those at the table and its spectators."""
    open_table = _find(request, table)
    seat = _seated(request, open_table)
    limits = rate_limits(request)
    limits.count(_LINES, "line", f"{open_table.id} {seat}", "You write very fast; wait a minute.")
    limits.count(_LINES_OF_ADDRESS, "lines", address_of(request), "You write very fast; wait a minute.")
    try:
        open_table.say(seat, words.text)
    except TableError as error:
        raise refusal(error) from None
    return Response(status_code=204)


@router.get("/{table}/events")
async def events(request: Request, table: str) -> EventSourceResponse:
    """Send an event whenever something has changed; the page then requests the state."""
    open_table = await asyncio.to_thread(_find, request, table)
    sits = _seat(request, open_table) is not None
    if sits:
        await asyncio.to_thread(tables_of(request).wake, open_table)
    return stream(request, _signs(tables_of(request), open_table, sits=sits))


async def _signs(tables: Tables, table: PlayTable, *, sits: bool) -> AsyncIterator[bytes]:
    """Yield an event for each change until nothing more can come; a follower who ``sits`` there keeps the table from being idle."""
    shown, quiet = -1, 0
    while tables.holds(table):
        if sits:
            table.attend()
        if table.number != shown:
            shown, quiet = table.number, 0
            yield format_sse_event(event="changed", data_str=f"{shown} {table.stage.value}")
        if table.stage is Stage.CLOSED or (table.stage is Stage.OVER and (table.rematch or quiet > _LAST_LOOKS)):
            return
        quiet += 1
        if quiet % _PING_LOOKS == 0:
            yield format_sse_event(comment="still here")
        await asyncio.sleep(_LOOK_SECONDS)
